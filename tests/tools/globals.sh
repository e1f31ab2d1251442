#!/bin/bash
# Each variable of src/ that is written has its reason in tools/globals.rules; and the checker sees
# one that has none, in whatever section it lies, and a line that nothing bears out any more.
build=$(dirname "$ORRERY")
. "$SRC/tests/need.bash"
need nm:binutils ar:binutils
"$SRC/tools/check-globals" "$build"
case $? in
0) ;;
2) skip "objects of link-time optimisation have no sections" ;;
*) exit 1 ;;
esac
failed=0
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/tools" && cp "$SRC/tools/check-globals" "$tmp/tools" || exit 2
cat >"$tmp/a.c" <<'END'
int a(void);
int zero, one = 1;
_Thread_local int own;
static const int fixed = 5;
static const char *const words[] = {"p", "q"};
extern const char *const *const at;
const char *const *const at = words;
int a(void)
{
	static int calls;
	return ++calls + zero++ + one++ + own++ + *(volatile const int *)&fixed;
}
END
(cd "$tmp" && ${CC:-cc} -fPIC -c a.c && ar rc liborrery_new.a a.o) || exit 2
printf '%s\n' '# ROOM FILE NAME: why' 'new a zero: for the test' 'new a gone: was there' \
	>"$tmp/tools/globals.rules"
"$tmp/tools/check-globals" "$tmp" >"$tmp/out"
[ $? = 1 ] || bad "variables without a reason were not seen"
sort "$tmp/out" >"$tmp/sorted"
sort >"$tmp/expected" <<'END'
new a calls: is written: tools/globals.rules has no reason for it
new a one: is written: tools/globals.rules has no reason for it
new a own: is written: tools/globals.rules has no reason for it
new a gone: tools/globals.rules names it, and it is not there
END
diff "$tmp/expected" "$tmp/sorted" || bad "told otherwise"
rm "$tmp"/*.a
"$tmp/tools/check-globals" "$tmp"
[ $? = 2 ] || bad "no archive, and nothing said"
exit $failed
