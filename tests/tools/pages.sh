#!/bin/bash
# tools/check-pages: this tree's rooms have pages that name all of their files; a file that no page
# names is found, by its own name and not by another that contains it.
. "$SRC/tests/need.bash"
need python3:python3
scratch
"$SRC/tools/check-pages" "$SRC" || bad "a page lacks a file"
mkdir -p t/src/room/part t/src/other
for f in room/one.c room/one_more.c room/verb_a.c room/part/deep.c room/pair.c; do
	: >"t/src/$f"
done
: >t/src/other/without_page.c
printf '| `one.c`, `verb_*.c` |\n| `part/` | |\n| `pair.[ch]` | |\n' >t/src/room/README.md
"$SRC/tools/check-pages" t >out && bad "a file that no page names passes"
[[ $(cat out) == "t/src/room/README.md: does not name one_more.c" ]] || bad "found: $(cat out)"
echo '| `one_more.c` |' >>t/src/room/README.md
"$SRC/tools/check-pages" t || bad "all are named"
exit $failed
