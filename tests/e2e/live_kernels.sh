#!/bin/bash
# --kernel on functions of a program, their sizes by place: by value, by address, beyond the
# registers; by a name of BLAS, in a library; a model or a time. Only while the program is in MPI.
# Expected: 1e-6 * m * n + 0.25 s of the model, by hand.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
has_coroutines || skip "functions of a program are found on x86-64 and AArch64 only"
scratch
echo '{"model":1,"noise":0,"hosts":[{"host":"a","mean":{"mn":1e-6,"1":0.25}}]}' >m.json
"$ORRERY" cc -O1 -o k "$SRC/tests/programs/live_kernels.c" || exit 2
"$ORRERY" cc -O1 -w -no-pie -o fixed "$SRC/tests/programs/live_kernels.c" || exit 2
"$ORRERY" cc -O1 -w -shared -fPIC -DPART=1 -o libown.so "$SRC/tests/programs/live_blas.c" &&
	"$ORRERY" cc -O1 -w -o blas "$SRC/tests/programs/live_blas.c" -Wl,-rpath,"$PWD" -L. -lown ||
	exit 2
ways_to_hold
run() { # HOLD PROGRAM OPTIONS: what the program writes
	"$ORRERY" run -q -p graphene --computation none --hold "$1" "${@:3}" -- "$2" >all 2>err ||
		bad "$*: $(cat err)"
	grep -v ' ranks\? on \|^collectives\|^time\|actions\|^trust\|^simulated' all
}
same() { diff - out >said || bad "$*: $(cat said)"; }
# one model for each host, M-2 by hand (m, n, k of many: 2, 3, 4): 24 * 0.001 + 6 * 0.01 + 8 * 0.1 +
# 12 * 1 + 100; that of the other host is not taken.
printf 'graphene-7.nancy.grid5000.fr\n' >hosts
printf 'graphene-7.nancy.grid5000.fr\ngraphene-70.nancy.grid5000.fr\n' >hosts2
cat >hosts.json <<-END
	{"model":2,"noise":1,"hosts":[{"host":"graphene-70","mean":{"1":7}},
	{"host":"graphene-7","mean":{"mnk":0.001,"mn":0.01,"mk":0.1,"nk":1,"1":100},
	"deviation":{"1":2}}]}
END
many() { # HOLD OPTIONS: seconds of the call
	run "$1" ./k --hostfile hosts --kernel "many(2,3,4)=hosts.json" "${@:2}" | sed -n 4p
}
for hold in "${holds[@]}"; do
	for program in ./k ./fixed; do
		run $hold $program --kernel "work(1)=m.json" --kernel "by_address_(*1,*3)=m.json" \
			--kernel "many(7,8)=m.json" >out
		same $hold $program <<-END
			before 45 in 0 0 0
			0.251000
			0.250015
			0.250056
			after 3
		END
	done
	run $hold ./k --kernel "work()=0.5" >out
	same $hold "a time" <<-END
		before 45 in 0 30 77
		0.500000
		0.000000
		0.000000
		after 3
	END
	[[ $(many $hold) == 112.884000 ]] || bad "$hold, M-2: $(many $hold)"
	# it deviates in a run with a seed, and alike with the same seed
	seeded=$(many $hold --cfg noise/seed:5)
	awk -v x="$seeded" 'BEGIN {exit !(x != 112.884 && x > 110.2 && x < 122)}' ||
		bad "$hold, a seed: $seeded"
	[[ $seeded == "$(many $hold --cfg noise/seed:5)" &&
		$seeded != "$(many $hold --cfg noise/seed:6)" ]] || bad "$hold: seeds"
	echo "$seeded" >>seeds
	# BLAS, of two hosts: 10 calls of 112.884 or 7 s; before and after MPI it is run
	run $hold ./blas -np 2 --hostfile hosts2 --kernel dgemm_=hosts.json | sort >out
	same $hold BLAS <<-END
		0: 1 0 2 1128.840000, scaled 6
		1: 1 0 2 70.000000, scaled 6
	END
done
# ranks that take turns in a place: each has its own models, and its own time to be in MPI
if ((${#holds[@]} > 1)); then
	[[ $(sort -u seeds | wc -l) == 1 ]] || bad "as processes and as coroutines: $(cat seeds)"
	run coroutines ./blas -np 3 --hostfile hosts2 --slots 1 --kernel dgemm_=hosts.json \
		--oversubscribe | sort >out
	same "taking turns, BLAS" <<-END
		0: 1 0 2 1128.840000, scaled 6
		1: 1 0 2 70.000000, scaled 6
		2: 1 0 2 1128.840000, scaled 6
	END
	run coroutines ./k -np 3 --slots 1 --kernel "work()=0.5" >out
	[[ $(sort out | uniq -c | awk '{$1 = $1; print}') == \
		$'6 0.000000\n3 0.500000\n3 after 3\n3 before 45 in 0 30 77' ]] ||
		bad "taking turns: $(cat out)"
fi
# where a call is does not depend on whose text is there
"$ORRERY" cc -g -O1 -w -o g "$SRC/tests/programs/live_kernels.c" || exit 2
for hold in "${holds[@]}"; do
	"$ORRERY" run -q -np 1 -p graphene --hold $hold --kernel "work()=0.5" --profile -- ./g |
		grep -o 'live_kernels.c:[0-9]*>live_kernels.c:[0-9]*' | sort -u >regions.$hold
	[[ -s regions.$hold ]] || bad "$hold: no regions"
	cmp -s regions.processes regions.$hold || bad "regions: $(cat regions.$hold)"
done
"$ORRERY" run -q -np 1 -p graphene --kernel "work(x)=0.5" -- ./k 2>err && bad "work(x) is taken"
grep -q 'the places of' err || bad "work(x): $(cat err)"
# what no file of the program has is told, and what is compiled into its callers, with -g too
cat >in.c <<-END
	#include <mpi.h>
	static int twice(int x) { return 2 * x; }
	int main(int c, char **v)
	{
		MPI_Init(&c, &v);
		c = twice(c);
		return MPI_Finalize() + c - 2;
	}
END
"$ORRERY" cc -g -O2 -o in in.c || exit 2
told() { # OPTION: what is said of it
	"$ORRERY" run -p graphene --computation none "$1" "$2" -- ./in 2>&1 >/dev/null
}
for what in 'nowhere()=1' 'twice(1)=1' dgemm_=1; do
	[[ $(told --kernel "$what") == "orrery: --kernel $what has no effect: neither ./in "* ]] ||
		bad "--kernel $what: $(told --kernel "$what")"
done
[[ $(told --fold-memory nowhere=1MiB) == *"--fold-memory nowhere=1MiB has no effect"* ]] ||
	bad "--fold-memory: $(told --fold-memory nowhere=1MiB)"
for what in 'main()=1' 'getsubopt()=1'; do # its own, the C library's
	[[ -z $(told --kernel "$what") ]] || bad "--kernel $what: $(told --kernel "$what")"
done
exit $failed
