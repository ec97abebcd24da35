# Converts the help of the command to a manual page. Each line of input starts with @version, @overview, or @
# and the name of a subcommand; the rest of the line is the output of the command.
BEGIN {
    print ".\\\" written by scripts/manpage from the command's help"
}
{
    topic = substr($1, 2)
    text = $0
    sub(/^@[a-z]+ ?/, "", text)
}
topic == "version" {
    printf ".TH ABUT 1 \"\" \"%s\" \"User Commands\"\n", quoted(text)
    next
}
topic == "overview" {
    overview()
    next
}
topic != last {
    begin_command()
    next
}
/^@[a-z]+ Usage: / {
    sub(/^Usage: /, "", text)
    print ".PP\n.B " quoted(text)
    gap = 1
    next
}
/^@[a-z]+ (Options|Examples):$/ {
    part = text
    printf ".PP\n%s\n", text
    next
}
text == "" { gap = 1; next }
part == "Options:" && text ~ /^  --/ {
    # two columns: the option, and what it does
    sub(/^  /, "", text)
    split_at = match(text, /   *[^ ]/)
    left = split_at ? substr(text, 1, split_at - 1) : text
    print ".TP\n.B " quoted(left)
    if (split_at) {
        print line(trimmed(substr(text, split_at)))
    }
    next
}
part == "Options:" && text ~ /^   / {
    print line(trimmed(text))
    next
}
part == "Examples:" && text ~ /^  / {
    print ".PP\n.nf\n.RS\n" line(trimmed(text)) "\n.RE\n.fi"
    next
}
{
    # a paragraph
    if (gap) {
        print ".PP"
        gap = 0
    }
    part = ""
    # every entry of a list starts a new line, and so does the text after the list
    if (text ~ /^  [^ ]/ || (listed && text !~ /^ /)) {
        print ".br"
    }
    listed = text ~ /^ /
    print line(trimmed(text))
}
END {
    print ".SH ENVIRONMENT"
    print ".TP\n.B ABUT_ISA\nthe instruction set of the kernels: scalar, avx2, avx512, or best (the default);"
    print "the answers are the same"
    print ".TP\n.B NO_COLOR\nif set and not empty, nothing is printed in colour"
    print ".SH EXIT STATUS"
    print "0 if nothing was found, 1 if something was found, 2 if the command failed; the description of each"
    print "command gives the details."
}

function overview() {
    if (!begun) {
        begun = 1
        sub(/^abut: */, "", text)
        print ".SH NAME\nabut \\- " line(text)
        print ".SH SYNOPSIS"
    } else if (text ~ /^  abut /) {
        sub(/^  /, "", text)
        split_at = match(text, /  +/)
        synopsis = split_at ? substr(text, 1, split_at - 1) : text
        # the columns of the overview are padded; a long synopsis is followed by a single blank
        if (!split_at && match(text, /(\.\.\.|\]) /)) {
            synopsis = substr(text, 1, RSTART + RLENGTH - 2)
        }
        print (synopses++ ? ".br\n" : "") ".B " quoted(synopsis)
    } else if (text != "") {
        about[++about_count] = text
    }
}

function begin_command(    i) {
    if (last == "overview" || last == "") {
        print ".SH DESCRIPTION"
        for (i = 1; i <= about_count; ++i) {
            print line(about[i])
        }
        print ".SH COMMANDS"
    }
    last = topic
    part = ""
    gap = 1
    printf ".SS %s\n", quoted(text)
}

# escapes the argument of a macro: dashes, backslashes and quotes
function quoted(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/"/, "\\(dq", s)
    return s
}

# escapes a line of text: as above, and a dot or an apostrophe at its start, which would be a request
function line(s) {
    s = quoted(s)
    return s ~ /^[.']/ ? "\\&" s : s
}

function trimmed(s) {
    sub(/^ +/, "", s)
    return s
}
