#!/bin/bash
# One thread of a rank waits in MPI while another one works: simulated time passes as far as what is
# waited for needs, and no further; what the other computes meanwhile passes beside it. One that
# does nothing but wait is told of.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need mpicc.openmpi:libopenmpi-dev
need_live
scratch
mpicc.openmpi -O1 -o beside "$SRC/tests/programs/live_beside.c" -lpthread || exit 2
seconds() { # of ORRERY's arguments
	timeout 60 "$ORRERY" "$@" 2>err | sed -n 's/^simulated time: \(.*\) s$/\1/p'
}
within() { # TIME LOW HIGH WHAT
	awk -v t="${1:-none}" -v low="$2" -v high="$3" 'BEGIN { exit !(t >= low && t <= high) }' ||
		bad "$4: $1 s, not $2 to $3 ($(cat err))"
}
# a server: the trace of the run has waits where the run looks again and again
for i in 1 2 3; do
	time=$(seconds run -q -np 4 -p graphene --computation none -t trace -f -- ./beside serve 10)
	replay=$(seconds replay -q -p graphene trace)
	within "${time:-none}" "${replay:-9}" "$(awk "BEGIN { print 1.3 * ${replay:-0} }")" \
		"a server, run $i"
done
# computation: as long as the longer one, where it was the sum and more
for both in "0.2 0.1" "0.1 0.2" "0.15 0.15"; do
	read -r own other <<<"$both"
	long=$(printf '%s\n' "$own" "$other" | sort -g | tail -1)
	time=$(seconds run -q -np 2 -p dahu --cpu-ratio 1 -- ./beside compute "$own" "$other")
	within "$time" "$long" "$(awk "BEGIN { print $long + 0.04 }")" "beside, $both"
done
# where computation takes no time, little passes while it is waited for
time=$(seconds run -q -np 2 -p dahu --computation none -- ./beside compute 0.4 0)
within "$time" 0 0.02 "no computation"
# What MPI itself does to find out about other threads is no computation: 13 us a call, were it.
least=$(for i in 1 2 3; do
	seconds run -q -np 1 -p dahu --cpu-ratio 1 -- ./beside calls 2000
done | sort -g | head -1)
within "$least" 0 0.03 "6,000 calls beside a thread that sleeps"
# a thread that spins beside one that looks: told, with what helps; not what sleeps, nor then
told() {
	grep -c "rank 0 on .*: other threads have computed for [12] s while one looked .*caller" err
}
seconds run -q -np 2 -p dahu --cpu-ratio 1 -- ./beside spin 1.4 >out
[[ $(told) == 1 ]] || bad "one that spins: $(cat out err)"
time=$(seconds run -q -np 2 -p dahu --cpu-ratio 1 --threads caller -- ./beside spin 1.4)
[[ $(told) == 0 ]] || bad "one that spins, the caller alone: $(cat err)"
within "$time" 1.4 1.55 "one that spins, the caller alone"
seconds run -q -np 2 -p dahu --cpu-ratio 1 -- ./beside spin -1.05 >out
[[ $(told) == 0 ]] || bad "one that sleeps: $(cat out err)"
exit $failed
