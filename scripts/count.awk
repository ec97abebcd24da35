# Counts test functions in CTest's LastTest.log, with -v failures=LastTestsFailed.log -v code=N (the exit code
# of CTest). One block per executable:
#     1/9 Testing: name ... Output: ... <end of output> ... Test Passed.
# cmocka executables count by function; others (the examples) as one. An executable that CTest lists
# as failed, or that ended before cmocka's summary, counts at least one failure. Each block has a line of
# scripts/limited with its processor time; the slowest tests are listed.
BEGIN {
    while ((getline line < failures) > 0) {
        sub(/^[0-9]+:/, "", line)
        listed[line] = 1
    }
}
/^[0-9]+\/[0-9]+ Testing: / {
    name = $3
    block = ""
    ok = bad = skip = begun = ended = cpu = 0
    inside = 1
}
inside { block = block $0 "\n" }
/\[       OK \] / { ++ok }
/\[==========\] Running [0-9]+ test/ { ++begun }
/\[==========\] [0-9]+ test\(s\) run/ { ++ended }
/\[  FAILED  \] [0-9]+ test\(s\)/ { bad += number("FAILED  ") }
/\[  SKIPPED \] [0-9]+ test\(s\)/ { skip += number("SKIPPED ") }
/\[   CPU    \] [0-9.]+ user [0-9.]+ system/ { cpu = after("CPU    ") + $(NF - 1) }
/^<end of output>/ { inside = 2 }
inside == 2 && /^Test (Passed|Failed|Skipped)/ {
    if ((name in listed || begun > ended) && !bad) {
        bad = 1
    }
    if (!begun && !bad) {
        if ($2 ~ /^Skipped/) {
            skip = 1
        } else {
            ok = 1
        }
    }
    total_ok += ok
    total_bad += bad
    total_skip += skip
    total_cpu += cpu
    took[name] = cpu
    if (bad) {
        text = text "\n==== " name "\n" block
    }
    inside = 0
}
# the number that follows "[  FAILED  ] " in this line
function number(word) {
    return after(" " word)
}
# the number that follows "[ WORD] "
function after(word,    rest) {
    rest = $0
    sub(".*\\[ +" word "\\] ", "", rest)
    return rest + 0
}
# "a 9.1 s, b 8.2 s": the tests that took longest
function slowest(count,    list, name, most) {
    while (count-- > 0) {
        most = ""
        for (name in took) {
            if (took[name] >= 0.5 && (most == "" || took[name] > took[most])) {
                most = name
            }
        }
        if (most == "") {
            break
        }
        list = list sprintf("%s%s %.1f s", list == "" ? "" : ", ", most, took[most])
        delete took[most]
    }
    return list
}
END {
    if (inside || (code != 0 && !total_bad)) {
        ++total_bad
        text = text "\n==== CTest ended with code " code "\n" (inside ? block : "")
    }
    printf "%s\nThe tests took %.0f s of processor time; the slowest: %s\n", text, total_cpu, slowest(10)
    printf "%d passed, %d failed", total_ok, total_bad
    if (total_skip) {
        printf ", %d skipped", total_skip
    }
    printf "\n"
    exit total_bad > 0
}
