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
# The tracer is read from its objects, and a call of what the C library has is none of a file that
# stands before it: here of a function of posix.c, which calls back.
dir=$tmp/tracer/CMakeFiles/orrery-trace-mpich.dir
mkdir -p "$dir" && rm "$tmp"/*.a || exit 2
echo 'int p(void); int open(void); int open(void) { return p(); }' >"$dir/posix.c"
echo 'int open(void); int p(void); int p(void) { return open(); }' >"$dir/p.c"
circle() { # of p, q, r
	echo 'int p(void); int q(void); int q(void) { return p() + 1; }' >"$dir/q.c"
	echo 'int q(void); int r(void); int r(void) { return q() + 1; }' >"$dir/r.c"
	echo 'int r(void); int p(void); int p(void) { return r() + 1; }' >"$dir/p.c"
}
objects() { (cd "$dir" && ${CC:-cc} -fno-builtin -c ./*.c) || exit 1; }
objects
"$SRC/tools/check-circles" "$tmp" || exit 1
circle
objects
"$SRC/tools/check-circles" "$tmp" >"$tmp/out" && { echo "a circle in the tracer was not seen";
	exit 1; }
grep -q '^tracer: a circle of 3 files' "$tmp/out" ||
	{ echo "the circle in the tracer is not told right:"; cat "$tmp/out"; exit 1; }
