// SPDX-FileCopyrightText: 2026 The abut authors
// SPDX-License-Identifier: MIT
//
// Runs test programs under node, each test function in an instance of its own: node run.mjs PROGRAM... The last line is
// "N passed, M failed, K skipped".
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { WASI } from 'node:wasi';

const folder = mkdtempSync(`${tmpdir()}/abut-wasm-`);
const counts = { passed: 0, failed: 0, skipped: 0 };

// Runs the program once and returns its exit code and output.
function run(module, file, env) {
    const out = `${folder}/out`;
    const stdout = openSync(out, 'w');
    const wasi = new WASI({ version: 'preview1', args: [file], env: { ...process.env, ...env }, returnOnExit: true,
        stdout, stderr: stdout });
    let code = 1;
    let trap = '';
    try {
        code = wasi.start(new WebAssembly.Instance(module, wasi.getImportObject()));
    } catch (error) {
        trap = `${error.name}: ${error.message}`;
    }
    closeSync(stdout);
    return { code, text: readFileSync(out, 'utf8') + trap };
}

for (const file of process.argv.slice(2)) {
    const start = process.cpuUsage();
    const module = new WebAssembly.Module(readFileSync(file));
    const names = run(module, file, {}).text.trim().split('\n');
    const here = { passed: 0, failed: 0, skipped: 0 };
    names.forEach((name, number) => {
        const { code, text } = run(module, file, { ABUT_TEST_NUMBER: String(number) });
        const kind = code === 0 ? 'passed' : code === 77 ? 'skipped' : 'failed';
        ++here[kind];
        ++counts[kind];
        if (kind === 'failed') {
            console.log(`FAILED  ${basename(file)}: ${name}\n${text.split('\n').slice(-20).join('\n')}`);
        }
    });
    const { user, system } = process.cpuUsage(start);
    console.log(`${here.failed === 0 ? 'ok     ' : 'FAILED '} ${basename(file)}: ${here.passed} passed, ${here.failed} failed, ` +
        `${here.skipped} skipped (${((user + system) / 1e6).toFixed(1)} s)`);
}
rmSync(folder, { recursive: true });
console.log(`${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`);
process.exitCode = counts.failed === 0 ? 0 : 1;
