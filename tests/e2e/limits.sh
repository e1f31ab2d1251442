#!/bin/bash
# Under a limit of memory (ulimit -v: RLIMIT_AS) every verb succeeds, or says so with exit code 3,
# what the memory was for, and leaves what was there before; it never crashes, nor finds another
# reason. Limits are multiples of what orrery itself takes. Three in a row that were enough are so
# many for one process with one thread, which asks for the same memory whatever the limit; then only
# the highest is tried. Threads and other processes are tried with all.
# parts: 6
. "$SRC/tests/need.bash"
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer takes terabytes of addresses"
scratch
verb_inputs
"$ORRERY" calibrate noise -q --time 0.1 --quantum 50us --cpus 0 --raw noise.csv >out 2>&1
for ((r = 0; r < 2000; r++)); do
	printf "$r %s\n" init 'barrier' 'alltoall 100 100 6' finalize
done >wide.tail
{ echo '# orrery-trace 1 ranks=2000'; cat wide.tail; } >wide.trace
awk 'BEGIN {
	for (i = 0; i < 60000; i++) print "0 send 1", i % 9, i, 6 "\n1 recv 0", i % 9, i, 6
}' >long
{
	printf '# orrery-trace 1 ranks=2\n0 init\n1 init\n'
	cat long
	printf '0 finalize\n1 finalize\n'
} >long.trace
"$ORRERY" replay -q long.trace -p two.xml --record long.rec >out || exit 2
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi)
[[ $mpicc ]] && "$mpicc" -w -O1 -o ring "$SRC/tests/programs/ring.c"

# The address space, in KiB, that orrery itself can be loaded in: what the loader says below that is
# not ours.
least=1000
can() { (ulimit -v $1; exec "$ORRERY" version) >out 2>&1; }
until can $least 2>err; do least=$((least * 5 / 4)); done 2>err

limited() { # KiB WORDS…: 0 if it succeeded
	local kib=$1 code
	shift
	echo old >old
	rm -rf out.d
	(ulimit -v "$kib"; exec timeout 20 "$ORRERY" "$@") >out 2>err </dev/null
	code=$?
	if [[ $code == 3 ]]; then
		ran_out=$((ran_out + 1))
		grep -qE 'memory|cannot be loaded|Resource temporarily' err ||
			bad "$kib KiB: $*: exit code 3 says: $(head -c 300 err)"
		[[ $(cat old) == old || $* != *old* ]] ||
			bad "$kib KiB: $*: exit code 3, and overwritten"
		[[ -e out.d ]] && bad "$kib KiB: $*: exit code 3, and a folder"
	elif [[ $code != 0 ]]; then
		bad "$kib KiB: $*: exit code $code: $(head -c 300 err)"
	fi
	left=$(find . -name '*.part*')
	[[ -z $left ]] || bad "$kib KiB: $*: left behind: $left"
	return $((code != 0))
}

verbs=0 ran_out=0
limited $((least * 11 / 10)) replay long.trace -p two.xml --csv old # in each part: too little
while read -r words; do
	[[ $words ]] || continue
	[[ $words == *ring* && ! $mpicc ]] && continue
	"$ORRERY" ${words//=/new} >out 2>err </dev/null || {
		grep -qE 'was built without|when orrery was built|was not built' err && continue
		bad "$words: fails: $(cat err)"
	}
	verbs=$((verbs + 1))
	rm -rf new new_files out.d
	in_a_row=0
	for tenths in 11 13 17 22 30 45 70 120 220 400; do
		((tenths < 400 && in_a_row >= 3)) && [[ $words != run* && $words != *"-j 2"* ]] &&
			continue
		limited $((least * tenths / 10)) ${words//=/old} && in_a_row=$((in_a_row + 1)) ||
			in_a_row=0
	done
done < <(my_part <<'END'
version
help man
platform list
platform show two.xml --svg =
platform check two.xml
platform generate flat 100000 -o =
platform generate fat-tree 16x16x16 -o =
info long.trace
info c --json
info --matrix wide.trace
diff run.rec timed
replay long.trace -p two.xml --csv =
replay long.trace -p two.xml --record =
replay wide.trace -p graphene --oversubscribe --csv =
replay two.trace -p two.xml --runs 2 --cfg noise/detours:10:1ms:0.5
convert long.trace -f merged --force -o =
convert long.trace -f compressed --force -o =
convert long.trace -o out.d
export long.rec -f html -o =
export long.rec -f paje -o =
export long.rec -f csv -o =
coll alltoall -p graphene -n 80 --bytes 8 -j 1 --csv =
coll bcast -p two.xml -n 2 --bytes 8 -j 2 --csv =
tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1 -o =
calibrate kernel --from kernel.csv -o =
calibrate network --from network.csv -o =
calibrate noise --from noise.csv -o =
calibrate cpu timed -o =
gather d --pack
run -q -n 2 -p two.xml --computation none -- true
run -q -n 2 -p two.xml --computation none -- ./ring
run -q -n 2 -p two.xml --hold coroutines --computation none -- ./ring
END
)
# How many come to a limit goes with the libraries that orrery was built with.
((verbs > 2 && ran_out > 0)) || bad "$ran_out runs of $verbs verbs came to the limit"
echo "$ran_out runs of $verbs verbs came to the limit"
exit $failed
