#!/bin/bash
# No circle of files is larger than tools/circles.rules allows; and the checker sees one.
build=$(dirname "$ORRERY")
. "$SRC/tests/need.bash"
need nm:binutils ar:binutils
"$SRC/tools/check-circles" "$build" || exit 1
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
echo 'int b(void); int a(void); int a(void) { return b(); }' >"$tmp/a.c"
echo 'int a(void); int b(void); int c(void); int b(void) { return c() + a(); }' >"$tmp/b.c"
echo 'int c(void); int c(void) { return 1; }' >"$tmp/c.c"
(cd "$tmp" && ${CC:-cc} -c a.c b.c c.c && ar rc liborrery_new.a a.o b.o c.o) || exit 1
"$SRC/tools/check-circles" "$tmp" >"$tmp/out" && { echo "a circle of two files was not seen";
	exit 1; }
grep -q '^new: a circle of 2 files' "$tmp/out" && grep -q '^  b calls a: a$' "$tmp/out" &&
	! grep -q ' c:' "$tmp/out" ||
	{ echo "the circle of a and b is not told right:"; cat "$tmp/out"; exit 1; }
