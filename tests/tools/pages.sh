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
[[ $(cat out) == "src/room/README.md: does not name one_more.c" ]] || bad "found: $(cat out)"
echo '| `one_more.c` |' >>t/src/room/README.md
"$SRC/tools/check-pages" t || bad "all are named"
refused() { # EXPECTED: and back to what was in order
	"$SRC/tools/check-pages" t >out && bad "passes: $1"
	[[ $(cat out) == "src/room/$1" ]] || bad "found: $(cat out)"
}
: >t/src/room/alone.h
refused 'README.md: does not name alone.h'
rm t/src/room/alone.h
cp t/src/room/README.md whole
echo '| `gone.c` |' >>t/src/room/README.md
refused 'README.md: names gone.c, which is not there'
cp whole t/src/room/README.md
mkdir t/src/room/inner
: >t/src/room/inner/x.c
echo '`x.c`, `one.c`' >t/src/room/inner/README.md
refused 'README.md: does not name inner/'
echo '`inner/`' >>t/src/room/README.md
"$SRC/tools/check-pages" t || bad "a sub-folder with a page of its own"
: >t/src/room/inner/y.c
refused 'inner/README.md: does not name y.c'
rm t/src/room/inner/y.c
mkdir t/tools
touch t/tools/{forge,anvil}
echo '| `forge` |' >t/tools/README.md
"$SRC/tools/check-pages" t >out && bad "a tool that no page names passes"
[[ $(cat out) == 'tools/README.md: does not name anvil' ]] || bad "found: $(cat out)"
exit $failed
