#!/bin/bash
# An input that is mapped, and that another process cuts while it is read: a message that names it
# and exit code 2, not the end by SIGBUS; and what was under the output's name stays. A preloaded
# library cuts it just after it was mapped, so the moment is no matter of luck.
. "$SRC/tests/need.bash"
need cc:gcc
scratch
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer wants to be loaded first"
cat >cut.c <<'END'
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t from)
{
	void *p = (void *)syscall(SYS_mmap, at, n, protection, flags, fd, from);
	char link[64], path[4096];
	const char *want = getenv("CUT");
	ssize_t got;

	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	got = fd < 0 || !want ? -1 : readlink(link, path, sizeof path - 1);
	if (got <= 0)
		return p;
	path[got] = '\0';
	if (!strcmp(path, want) && truncate(path, atol(getenv("CUT_AT"))) < 0)
		perror(path);
	return p;
}
void *mmap64(void *, size_t, int, int, int, off_t) __attribute__((alias("mmap")));
END
cc -shared -fPIC -o cut.so cut.c || exit 2
cp "$SRC/tests/golden/cases/two.xml" . || exit 2
awk 'BEGIN {
	srand(3)
	for (r = 0; r < 2; r++) {
		print r, "init"
		for (i = 0; i < 20000; i++)
			print r, "compute", int(rand() * 1e9)
		print r, "finalize"
	}
}' >long.trace
"$ORRERY" convert -q long.trace -f compressed -o whole || exit 2
size=$(stat -c %s whole)
((size > 65536)) || bad "the trace has only $size bytes: nothing of it is beyond the first pages"
here=$(pwd -P)
# cut AT WORDS…: the trace c is cut to AT bytes.
cut() {
	cp whole c
	echo old >out
	CUT=$here/c CUT_AT=$1 LD_PRELOAD=$here/cut.so timeout 30 "$ORRERY" "${@:2}" \
		>stdout 2>err </dev/null
	code=$?
	[[ $(stat -c %s c) == "$1" ]] || bad "not cut: $*"
	[[ $code == 2 ]] || bad "exit code $code: $*: $(head -c 300 err)"
	[[ $(<out) == old ]] || bad "out is another: $*"
	grep -q '^orrery: ' err || bad "no message: $*"
	grep -q "^orrery: $here/c was made shorter while it was read" err ||
		bad "it is not named: $*: $(head -c 300 err)"
}
for at in 0 4096 8192 40960; do
	cut $at replay -q c -p two.xml --csv out
	cut $at convert -q c -o out --force -f merged
	cut $at info c
	cut $at diff c whole
done
exit "$failed"
