#!/bin/bash
# Numbers look the same in every locale, and words are known. Orrery's own program never leaves the
# C locale, but the tracer and the shared library live in programs that have: here orrery itself and
# its ranks are in de_DE, where the point is a comma, or in tr_TR, where the small letter of "I" is
# another one than "i" (a preloaded library calls setlocale), and nothing changes.
. "$SRC/tests/need.bash"
need localedef:libc-bin cc:gcc
scratch
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer wants to be loaded first"
for l in de_DE tr_TR; do
	localedef -i $l -f UTF-8 "$tmp/$l.UTF-8" 2>out || skip "no locale $l (Debian: locales)"
done
cat >abroad.c <<'END'
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
__attribute__((constructor)) static void here(void)
{
	const char *name = getenv("ABROAD");
	if (!setlocale(LC_ALL, name) || atof("1,5") != 1.5 ||
	    (*name == 't' && !strcasecmp("I", "i")))
		fprintf(stderr, "not in %s\n", name);
}
END
cc -shared -fPIC -o abroad.so abroad.c || exit 2
cp "$SRC/tests/golden/cases/two.trace" "$SRC/tests/golden/cases/two.xml" . || exit 2
printf '0 compute 1234567.12345678901234567890\n1 compute 1.5e6\n' >long.trace
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
"$ORRERY" replay -q two.trace -p two.xml --record run.rec >out || exit 2
land=de_DE.UTF-8
abroad() { LOCPATH=$tmp ABROAD=$land LD_PRELOAD=$tmp/abroad.so "$ORRERY" "$@"; }
# But for what orrery itself took, and what a program prints.
cut_own() {
	sed -E -e 's/ in .*actions.s.*//; /^[0-9][0-9.,]*$/d' \
		-e 's/"(wall_seconds|actions_per_second|peak_rss_kib)[^,}]*//g' "$1"
}
same() { # COMMAND…
	"$ORRERY" "$@" >plain.out 2>plain.err
	local code=$?
	abroad "$@" >abroad.out 2>abroad.err
	[[ $? == "$code" && $code == "${want:-0}" ]] || bad "exit code: $*: $(cat abroad.err)"
	cmp -s <(cut_own plain.out) <(cut_own abroad.out) && cmp -s plain.err abroad.err ||
		bad "in $land: $*: $(diff <(cut_own plain.out) <(cut_own abroad.out) | head -6)" \
			"$(diff plain.err abroad.err | head -6)"
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

# Words whose case is free.
land=tr_TR.UTF-8
sed 's/routing="Full"/routing="DIJKSTRA"/' two.xml >dijkstra.xml
same replay -q two.trace -p two.xml --cfg network/model:HYBRID
same replay -q two.trace -p two.xml --cfg network/model:ib
same replay -q two.trace -p two.xml --cfg network/model:DIMEMAS
same replay -q two.trace -p dijkstra.xml
same coll MPI_ALLTOALL -p two.xml -n 2 --bytes 8 -j 1 --json
want=2 same replay -q two.trace -p two.xml --cfg smpi/async-small-thresh:1KIB
want=2 same replay -q two.trace -p GRIFFON
land=de_DE.UTF-8

mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi)
if [[ $mpicc ]] && "$mpicc" -O1 -w -o k "$SRC/tests/programs/live_kernels.c" 2>out; then
	same run -q -np 1 -p graphene --computation none --kernel "work()=0.5" -- ./k
fi
exit $failed
