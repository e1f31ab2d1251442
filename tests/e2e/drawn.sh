#!/bin/bash
# drawn.sh: a trace whose messages are histograms replays to its end whatever the seed, in
# simulation, with and without eager messages, and on a real MPI; the same seed gives the same time;
# the error is small; what is drawn is told; sizes further apart than the precision allows are kept.
. "${BASH_SOURCE[0]%/*}/tracer.bash"

# Four ranks; in each of 200 steps rank r sends a message of another size to a rank one to three
# ahead, and there is now and then a reduction: text that is right by rule.
program() { # the least size; the greatest is 20,000
	awk -v least=$1 'function draw() {
			seed = (seed * 1103515245 + 12345) % 2147483648
			return int(seed / 65536)
		}
		BEGIN {
		print "# orrery-trace 1 ranks=4"
		for (r = 0; r < 4; r++) print r, "init"
		for (s = 0; s < 200; s++) {
			d = 1 + draw() % 3
			for (r = 0; r < 4; r++) size[r] = least + draw() % (20001 - least)
			for (r = 0; r < 4; r++) {
				from = (r - d + 4) % 4
				print r, "compute", 20000 + size[r], "t=" (20000 + size[r]) / 1e9
				print r, "irecv", from, 0, size[from], 6, "req=0"
				print r, "isend", (r + d) % 4, 0, size[r], 6, "req=1"
				print r, "waitall 2 reqs=0-1 t=0.0001"
				if (s % 20 == 19) print r, "allreduce 1 0 0"
			}
		}
		for (r = 0; r < 4; r++) print r, "finalize"
	}'
}

seconds() { sed -n 's/^simulated time: \([0-9.e+-]*\) s$/\1/p' "$tmp/out"; }

replay() { # name, arguments
	local name=$1; shift
	timeout 60 "$ORRERY" replay "$@" -p "$SRC/tests/platforms/four.xml" -q >"$tmp/out" \
		2>"$tmp/err" || bad "$name: exit $?: $(head -3 "$tmp/err")"
	[[ -n $(seconds) ]] || bad "$name: no time"
}

least=([95]=19000 [50]=10000 [0]=1) # 100 - p per cent below the greatest
for p in 95 50 0; do
	program "${least[p]}" >"$tmp/text"
	replay exact "$tmp/text"; exact=$(seconds)
	"$ORRERY" convert "$tmp/text" -o "$tmp/p$p" -f compressed --precision $p || bad "convert $p"
	replay "$p" "$tmp/p$p"; once=$(seconds)
	replay "$p again" "$tmp/p$p"; same "$p: twice the same" "$once" "$(seconds)"
	for seed in 1 2 3; do
		replay "$p, seed $seed" "$tmp/p$p" --cfg "noise/seed:$seed" --cfg \
			smpi/send-is-detached-thresh:0 --cfg smpi/async-small-thresh:0
	done
	# What a step takes is its computation and its message: their means are kept, what is lost
	# is who had to wait for whom.
	echo "precision $p: $once s, exactly $exact s"
	awk -v a="$exact" -v b="$once" 'BEGIN { exit !(b > 0.7 * a && b < 1.5 * a) }' ||
		bad "$p: $once s, $exact s"
done
"$ORRERY" info --structure "$tmp/p95" >"$tmp/out" || bad "structure"
has "what is drawn" "$tmp/out" 'count about'
program 18900 >"$tmp/far" # 5.5 per cent
"$ORRERY" convert "$tmp/far" -o "$tmp/kept" -f compressed --precision 95 || bad "convert far"
"$ORRERY" info --structure "$tmp/kept" >"$tmp/out" || bad "structure"
grep -q 'count about' "$tmp/out" && bad "sizes that differ by more than 5 % are drawn at 95"
for f in "${families[@]}"; do
	timeout 60 "$ORRERY" replay "$tmp/p50" --on "mpirun.$f" --on-computation none >"$tmp/out" \
		2>"$tmp/err" || bad "$f: $(head -3 "$tmp/err")"
	has "$f" "$tmp/out" 'real time'
done
exit $failed
