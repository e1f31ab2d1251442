#!/bin/bash
# Spawned processes, and those that they spawn, are further ranks of the trace, which replays: in a
# simulation, in every form. A child without the tracer is told, and the program goes on.
# parts: 5
. "$(dirname "$0")/tracer.bash"

# of_rank RANK: its events but computation
of_rank() { grep -v '^#' "$tmp/t/rank-$1.tit" | grep -v compute | cut -d' ' -f2-; }
for f in "${families[@]}"; do
	build $f spawns
	run $f 1 "$tmp/spawns.$f" untraced >/dev/null 2>&1 || continue # Debian's MPICH cannot
	if mine 1; then
		same "$f untraced" "2 spawns: all right" "$(trace $f 1 "$tmp/t" -- \
			"$tmp/spawns.$f" untraced 2>"$tmp/err" | sort | uniq -c | xargs)"
		same "$f untraced: complete" yes "$(complete "$tmp/t")"
		has "$f untraced" "$tmp/err" "not traced: 1 MPI_Comm_spawn, 1 MPI_Recv"
	fi
	for form in text compressed; do
		mine $([[ $form == text ]] && echo 2 || echo 3) || continue
		same "$f $form" "8 spawns: all right" "$(trace $f 2 "$tmp/t" --form $form \
			--counter fake -- "$tmp/spawns.$f" 2>"$tmp/err" | sort | uniq -c | xargs)"
		same "$f $form: complete" yes "$(complete "$tmp/t")"
		same "$f $form: ranks" 8 "$(sed -n 's/^ranks: //p' "$tmp/t/manifest")"
		"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
			bad "$f $form: $(cat "$tmp/out")"
	done
	if mine 5; then # a page of each world
		trace $f 2 "$tmp/t" --profile -- "$tmp/spawns.$f" >"$tmp/out" 2>"$tmp/err"
		same "$f: profiles" "of 2 ranks,of ranks 2 to 4,of ranks 5 to 5,of ranks 6 to 6,of \
ranks 7 to 7" "$(grep -o ' of [0-9a-z ]*ranks[ 0-9to]*[0-9]\| of [0-9]* ranks' "$tmp/err" |
			sed 's/^ //' | paste -sd,)"
		# two of the first three to their parents, each of the others to its own
		same "$f: sent" "2 1 1 1" \
			"$(sed -nE 's/.*MPI_Send +([0-9]+) .*/\1/p' "$tmp/err" | xargs)"
	fi
	if mine 4 && have mpifort.$f gfortran; then
		for binding in MODULE F08; do
			mpifort.$f -w -O1 -D$binding -J"$tmp" -o "$tmp/spawns_f" \
				"$SRC/tests/programs/spawns.F90" ||
				bad "$f, $binding: does not compile"
			same "$f, $binding" "spawns: all right" "$(trace $f 1 "$tmp/t" --counter \
				fake -- "$tmp/spawns_f" 2>"$tmp/err")"
			same "$f, $binding: complete, ranks" "complete: yes,ranks: 9" \
				"$(grep -E '^(complete|ranks):' "$tmp/t/manifest" | sort |
					paste -sd,)"
			same "$f, $binding: messages" "send 0 5 1 1 $(echo recv\ {1..8})" \
				"$(of_rank 3 | grep -o 'send [0-9 ]*[0-9]') $(of_rank 0 |
					grep -o 'recv [0-9]*' | xargs)"
			"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
				bad "$f, $binding: $(cat "$tmp/out")"
		done
		continue
	fi
	[[ -e $tmp/t/rank-7.tit ]] || continue
	w=0.536870912
	same "$f: a parent" "init
comm_create_group comm=$w members=0-1 agreed=1
intercomm_create comm=0.0 parent=$w members=0,1 remote=2-4 spawn=1
barrier comm=$w
intercomm_merge comm=0.1 parent=0.0 members=0-4
allreduce 1 0 1 comm=0.1
comm_free comm=0.1
comm_free comm=0.0 disconnect=1
comm_free comm=$w
finalize" "$(of_rank 1)"
	same "$f: a child" "init
comm_create_group comm=2.0 members=2-4 agreed=1
intercomm_create comm=0.0 parent=2.0 members=2-4 remote=0,1 spawned=1" "$(of_rank 2 | head -3)"
	same "$f: its message" "send 0 5 1 1 comm=0.0" "$(of_rank 3 | grep send)"
	same "$f: grandchildren" "recv 5 recv 6 recv 7" "$(for r in 2 3 4; do
		of_rank $r | grep -o 'recv [0-9]*'; done | sort | xargs)"
	"$ORRERY" convert -q -f compressed "$tmp/t" -o "$tmp/c" || bad "$f: not compressed"
	same "$f: compressed" "$("$ORRERY" replay -q "$tmp/t" -p graphene | grep simulated)" \
		"$("$ORRERY" replay -q "$tmp/c" -p graphene | grep simulated)"
done
exit $failed
