#!/bin/bash
# Numbers look the same in every locale. Orrery's own program never leaves the C locale, but the
# tracer and the shared library live in programs that have: here orrery itself and its ranks are in
# de_DE, where the point is a comma (a preloaded library calls setlocale), and nothing changes.
. "$SRC/tests/need.bash"
need localedef:libc-bin cc:gcc
scratch
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer wants to be loaded first"
localedef -i de_DE -f UTF-8 "$tmp/de_DE.UTF-8" 2>out || skip "no locale de_DE (Debian: locales)"
cat >german.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
__attribute__((constructor)) static void here(void)
{
	if (!setlocale(LC_ALL, "de_DE.UTF-8") || atof("1,5") != 1.5)
		fputs("not in de_DE\n", stderr);
}
END
cc -shared -fPIC -o german.so german.c || exit 2
cp "$SRC/tests/golden/cases/two.trace" "$SRC/tests/golden/cases/two.xml" . || exit 2
printf '0 compute 1234567.12345678901234567890\n1 compute 1.5e6\n' >long.trace
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
"$ORRERY" replay -q two.trace -p two.xml --record run.rec >out || exit 2
german() { LOCPATH=$tmp LD_PRELOAD=$tmp/german.so "$ORRERY" "$@"; }
# But for what orrery itself took, and what a program prints.
cut_own() {
	sed -E -e 's/ in .*actions.s.*//; /^[0-9][0-9.,]*$/d' \
		-e 's/"(wall_seconds|actions_per_second|peak_rss_kib)[^,}]*//g' "$1"
}
same() { # COMMAND…
	"$ORRERY" "$@" >plain.out 2>plain.err
	local code=$?
	german "$@" >german.out 2>german.err
	[[ $? == "$code" && $code == 0 ]] || bad "exit code: $*: $(cat german.err)"
	cmp -s <(cut_own plain.out) <(cut_own german.out) && cmp -s plain.err german.err ||
		bad "in de_DE: $*: $(diff <(cut_own plain.out) <(cut_own german.out) | head -6)"
}
same replay -q long.trace -p two.xml
same replay -q two.trace -p two.xml --json --profile --explain message:1
same replay -q two.trace -p two.xml --csv -
same replay -q two.trace -p two.xml --cfg network/latency-factor:0:1.5
same export run.rec -q -f json -o -
same export run.rec -q -f csv -o -
same export run.rec -q -f paje -o -
same info two.trace --json
same info two.trace
same convert -q long.trace -f merged -o -
same convert -q long.trace -f dimemas -o -
same platform generate flat 4 --bandwidth 12.5Gbps --latency 1.5us
same platform show two.xml --json
same coll bcast -p two.xml -n 2 --bytes 8 -j 1 --json
same calibrate network --from network.csv
same help settings
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi)
if [[ $mpicc ]] && "$mpicc" -O1 -w -o k "$SRC/tests/programs/live_kernels.c" 2>out; then
	same run -q -np 1 -p graphene --computation none --kernel "work()=0.5" -- ./k
fi
exit $failed
