#!/bin/bash
# The checker of line widths sees a line of 101 columns, counts a tab as eight and a letter of two
# bytes as one, and excuses tables of Markdown, URLs and data.
. "$SRC/tests/need.bash"
need python3:python3
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$tmp/tools" "$tmp/data" || exit 2
failed=0
bad() { echo "$*"; failed=1; }
check() { "$SRC/tools/check-width" "$@" "$tmp" >"$tmp.out" 2>&1; }
trap 'rm -rf "$tmp" "$tmp.out"' EXIT
columns() { printf "%${1}s\n" '' | tr ' ' x; }
printf '# rules\n' >"$tmp/tools/width.rules"
columns 100 >"$tmp/fits.c"
printf '\t%s\n' "$(columns 92)" >>"$tmp/fits.c"
printf '\xc3\xa9%s\n' "$(columns 99)" >>"$tmp/fits.c"
printf '|%s|\n' "$(columns 200)" >"$tmp/table.md"
printf 'https://%s\n' "$(columns 200)" >"$tmp/url.md"
columns 200 >"$tmp/data/numbers.def"
check || bad "what fits was refused: $(cat "$tmp.out")"

printf '\t%s\n' "$(columns 93)" >"$tmp/tab.c"
columns 101 >>"$tmp/tab.c"
check && bad "lines of 101 columns were not seen"
grep -q '^\*.c: 2 lines over 100 columns' "$tmp.out" || bad "told wrong: $(cat "$tmp.out")"
grep -qx '  tab.c:1' "$tmp.out" && grep -qx '  tab.c:2' "$tmp.out" ||
	bad "places: $(cat "$tmp.out")"

# A table in a comment that was wrapped into text.
printf '/* t.c: a table:\n *   one     first\n *   two     second   (last)\n */\n' >"$tmp/t.c"
check
grep -q 't.c:[1-5]:' "$tmp.out" && bad "a table that is one was refused: $(cat "$tmp.out")"
printf '/* t.c: a table:\n *   one     first, which is\n * long two     second\n */\n' >"$tmp/t.c"
check
grep -q '^t.c:3: a row of a table' "$tmp.out" || bad "a wrapped row was not seen"
rm "$tmp/t.c"

# So many are allowed: not more, and --write notes fewer.
printf '*.c: 2\n' >>"$tmp/tools/width.rules"
check || bad "two lines that are allowed were refused: $(cat "$tmp.out")"
columns 101 >"$tmp/more.c"
check && bad "a third line was not seen"
rm "$tmp/more.c"
sed -i 1d "$tmp/tab.c"
check --write || bad "--write: $(cat "$tmp.out")"
[[ $(cat "$tmp/tools/width.rules") == $'# rules\n*.c: 1' ]] ||
	bad "--write wrote $(cat "$tmp/tools/width.rules")"
exit $failed
