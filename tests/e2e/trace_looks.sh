#!/bin/bash
# A trace of a file per rank: each file is looked at (stat) once, and of some hundreds the size
# beforehand: on a parallel file system a look takes as long as to read a small file. (A standard
# output that is a file is compared with each, too, lest it be one of them.)
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need strace:strace
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "strace and a sanitizer's check for leaks"
scratch
n=2000
for ((r = 0; r < n; r++)); do
	printf "$r %s\n" init barrier finalize
done >all
{ echo "# orrery-trace 1 ranks=$n"; cat all; } >merged
"$ORRERY" convert -q merged -o folder || exit 2
strace -f -o calls "$ORRERY" replay -q folder -p graphene --oversubscribe >/dev/null 2>err ||
	{ grep -q "ptrace\|PTRACE" err && skip "strace may not trace here"; bad "$(cat err)"; }
looks=$(grep -c 'stat[a-z0-9]*(.*S_IFREG\|statx(.*S_IFREG' calls)
((looks >= n && looks <= n + 400)) || bad "$looks looks at $n files"
exit $failed
