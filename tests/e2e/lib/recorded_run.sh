# lib/recorded_run.sh: to be sourced: recorded_run RANKS ROUNDS FILE replays a small ring with a
# computation, an exchange and a reduction per round, and records it. Counts: per rank and round 5
# calls (computation, Irecv, Isend, Waitall, Allreduce), plus Init and Finalize.
recorded_run() {
	local ranks=$1 rounds=$2 file=$3 dir r k
	dir=$(dirname "$file")
	: > "$dir/list"
	for ((r = 0; r < ranks; r++)); do
		{
			echo "$r init"
			for ((k = 0; k < rounds; k++)); do
				echo "$r compute $((1000000 * (1 + (r + k) % 3)))"
				echo "$r irecv $(((r + ranks - 1) % ranks)) 7 2000 6"
				echo "$r isend $(((r + 1) % ranks)) 7 2000 6"
				echo "$r waitall 2"
				echo "$r allreduce 1 0 6"
			done
			echo "$r finalize"
		} > "$dir/rank-$r.txt"
		echo "rank-$r.txt" >> "$dir/list"
	done
	"$ORRERY" replay "$dir/list" -p graphene -q -o "$file" > "$dir/replay.out" ||
		{ cat "$dir/replay.out"; return 1; }
}
