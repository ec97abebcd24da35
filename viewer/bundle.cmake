# Bundles page.html and src/ into one page and writes it as C, to be compiled into the command. Needs CMake only:
#
#     cmake -DSOURCE=viewer -DOUTPUT=page.c [-DPAGE=page.html] -P bundle.cmake
#
# Each module goes after those that it imports, in a scope of its own, so that two modules may use the same name. The
# bundle supports `import { a, b } from './x.js';`, and `export` before const, let, class and function; any other form
# of import or export stops the build. The command inserts data at the mark <!--data-->, before the program. PAGE also
# writes the page without data. STYLE is a style that comes first, for pages that look like another one.
cmake_minimum_required(VERSION 3.22)

# the names in "a, b, c"
function(names_in text result)
    string(REGEX MATCHALL "[A-Za-z_$][A-Za-z0-9_$]*" names "${text}")
    set(${result} "${names}" PARENT_SCOPE)
endfunction()

function(stop_at file message)
    message(FATAL_ERROR "${SOURCE}/src/${file}: ${message}")
endfunction()

# adds a module, after those that it imports, to the property `program`
function(add_module file importer)
    get_property(state GLOBAL PROPERTY "state of ${file}")
    if(state STREQUAL done)
        return()
    elseif(state STREQUAL begun)
        stop_at(${importer} "imports ${file}, which imports it: break the circle")
    elseif(NOT EXISTS ${SOURCE}/src/${file})
        stop_at(${importer} "imports ${file}, which is missing")
    endif()
    set_property(GLOBAL PROPERTY "state of ${file}" begun)
    file(READ ${SOURCE}/src/${file} text)
    set(text "\n${text}")

    set(import "\nimport {([^}]*)} from '\\./([^']*)';")
    while(text MATCHES "${import}")
        set(line "${CMAKE_MATCH_0}")
        set(wanted "${CMAKE_MATCH_1}")
        set(from "${CMAKE_MATCH_2}")
        add_module(${from} ${file})
        if(wanted MATCHES "[^A-Za-z0-9_$, \n]" OR wanted MATCHES " as ")
            stop_at(${file} "imports from ${from} in a form that the bundle does not support")
        endif()
        names_in("${wanted}" names)
        get_property(exported GLOBAL PROPERTY "exports of ${from}")
        foreach(name IN LISTS names)
            if(NOT name IN_LIST exported)
                stop_at(${file} "imports ${name}, which ${from} does not export")
            endif()
        endforeach()
        list(JOIN names ", " names)
        string(REPLACE "${line}" "\nconst { ${names} } = modules['${from}'];" text "${text}")
    endwhile()

    set(export "\nexport (const|let|class|function|async function) ([A-Za-z_$][A-Za-z0-9_$]*)")
    string(REGEX MATCHALL "${export}" exported "${text}")
    list(TRANSFORM exported REPLACE "^.* " "")
    string(REGEX REPLACE "${export}" "\n\\1 \\2" text "${text}")
    if(text MATCHES "\n(import|export)[ {*]([^\n]*)")
        stop_at(${file} "the bundle does not support the form '${CMAKE_MATCH_1} ${CMAKE_MATCH_2}'")
    elseif(text MATCHES "</[sS][cC][rR][iI][pP][tT]" OR text MATCHES "<!--")
        stop_at(${file} "'${CMAKE_MATCH_0}' would end the program in the page: write it in two parts")
    endif()
    set_property(GLOBAL PROPERTY "exports of ${file}" "${exported}")
    list(JOIN exported ", " exported)
    set_property(GLOBAL APPEND_STRING PROPERTY program
                 "modules['${file}'] = (() => {${text}return { ${exported} };\n})();\n")
    set_property(GLOBAL PROPERTY "state of ${file}" done)
endfunction()

# style.css first, so that the others may refine it
function(read_style result)
    file(GLOB others ${SOURCE}/src/*.css)
    list(FILTER others EXCLUDE REGEX "/style\\.css$")
    foreach(file ${STYLE} ${SOURCE}/src/style.css ${others})
        file(READ ${file} text)
        string(APPEND style "${text}")
    endforeach()
    set(${result} "${style}" PARENT_SCOPE)
endfunction()

# replaces a mark, which must occur in the page exactly once, by `text`; sets `at` to its offset
function(put_in variable mark text)
    string(FIND "${${variable}}" "${mark}" first)
    string(FIND "${${variable}}" "${mark}" last REVERSE)
    if(first EQUAL -1 OR NOT first EQUAL last)
        message(FATAL_ERROR "${SOURCE}/page.html: the mark ${mark} must occur exactly once")
    endif()
    string(REPLACE "${mark}" "${text}" filled "${${variable}}")
    set(${variable} "${filled}" PARENT_SCOPE)
    set(at ${first} PARENT_SCOPE)
endfunction()

add_module(main.js page.html)
get_property(program GLOBAL PROPERTY program)
read_style(style)
file(READ ${SOURCE}/page.html page)
put_in(page "/*style*/" "${style}")
put_in(page "<!--data-->" "")
set(data_at ${at})
put_in(page "/*script*/" "\nconst modules = {};\n${program}")
string(LENGTH "${page}" size)

# through a file, because CMake can read a file, but not a text, as hexadecimal digits
file(WRITE ${OUTPUT}.html "${page}")
file(READ ${OUTPUT}.html digits HEX)
file(REMOVE ${OUTPUT}.html)
string(LENGTH "${digits}" digit_count)
math(EXPR bytes "${digit_count} / 2")
if(NOT bytes EQUAL size)
    message(FATAL_ERROR "The page has ${bytes} bytes in its file, and ${size} in CMake.")
endif()
string(REPEAT "[0-9a-f]" 64 row)
string(REGEX REPLACE "(${row})" "\\1\n" digits "${digits}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," digits "${digits}")
file(WRITE ${OUTPUT} "#include \"cli/report_page.h\"\nconst unsigned char report_page[] = {\n${digits}\n};\n"
                     "const size_t report_page_size = ${size};\nconst size_t report_page_data_at = ${data_at};\n")
if(PAGE)
    file(WRITE ${PAGE} "${page}")
endif()
