# Turns the help of the command into a manual page. Each line of input begins with @version, @overview
# or @ and a subcommand's name; the rest of the line is what the command printed.
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
    # two columns: what to write, what it does
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
    # the entries of a list begin lines, and so does what follows it
    if (text ~ /^  [^ ]/ || (listed && text !~ /^ /)) {
        print ".br"
    }
    listed = text ~ /^ /
    print line(trimmed(text))
}
END {
    print ".SH ENVIRONMENT"
    print ".TP\n.B ABUT_ISA\nthe instruction set of the inner loops: scalar, avx2, avx512, or best (the default);"
    print "the answers are the same"
    print ".TP\n.B NO_COLOR\nif set and not empty, nothing is printed in colour"
    print ".SH EXIT STATUS"
    print "0 if nothing was found, 1 if something was, 2 if it could not be done; each command above says"
    print "what that means for it."
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
        # the overview's columns are padded to one width; a long one has a single blank
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

# text of a macro's argument: dashes are dashes, backslashes and quotes are themselves
function quoted(s) {
    gsub(/\\/, "\\e", s)
    gsub(/-/, "\\-", s)
    gsub(/"/, "\\(dq", s)
    return s
}

# text of a line: as above, and a dot or an apostrophe in front is no request
function line(s) {
    s = quoted(s)
    return s ~ /^[.']/ ? "\\&" s : s
}

function trimmed(s) {
    sub(/^ +/, "", s)
    return s
}
