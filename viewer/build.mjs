// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Makes one page of page.html, src/ and three.js, and writes it as C, so that the command carries it:
//
//     node build.mjs NODE_MODULES OUTPUT.c
//
// Data go in at the mark <!--data-->, before the program.
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const [modules, output] = process.argv.slice(2).map((path) => resolve(path));
const here = dirname(fileURLToPath(import.meta.url));
const esbuild = createRequire(join(modules, 'here.js'))('esbuild');

function bundle(entry, more) {
    const built = esbuild.buildSync({
        entryPoints: [join(here, 'src', entry)],
        bundle: true,
        minify: true,
        write: false,
        nodePaths: [modules],
        legalComments: 'none',
        ...more,
    });
    return built.outputFiles[0].text;
}

const script = bundle('main.js', { format: 'esm', target: 'es2022' }).replaceAll('</script', '<\\/script');
const style = bundle('style.css', { loader: { '.css': 'css' } });
const page = readFileSync(join(here, 'page.html'), 'utf8')
    .replace('/*style*/', () => style)
    .replace('/*script*/', () => script);
const mark = '<!--data-->';
const at = Buffer.byteLength(page.slice(0, page.indexOf(mark)));
const bytes = Buffer.from(page.replace(mark, ''));

let text = '#include "cli/report_page.h"\nconst unsigned char report_page[] = {';
for (let i = 0; i < bytes.length; ++i) {
    text += (i % 32 === 0 ? '\n' : '') + bytes[i] + ',';
}
text += `\n};\nconst size_t report_page_size = ${bytes.length};\nconst size_t report_page_data_at = ${at};\n`;
writeFileSync(output, text);
