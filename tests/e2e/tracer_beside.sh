#!/bin/bash
# Between two MPI calls a rank computes as long as the busiest of its threads, also where that one
# calls no MPI; and whoever traces is told of such threads: of all ranks, in both forms.
. "$(dirname "$0")/tracer.bash"

said="threads that called no MPI computed "
# computed MS: of each rank of the trace the longest computation is that long, and no fifth more
computed() {
	local file
	for file in "$tmp"/t/rank-?.tit; do
		awk -v ms="$1" '$2 == "compute" && $3 / 1e6 > most { most = $3 / 1e6 }
			END { exit !(most >= ms && most < 1.2 * ms) }' "$file" ||
			bad "$f, not $1 ms: $(grep compute "$file")"
	done
}
for f in "${families[@]}"; do
	build $f beside -pthread
	for form in text compressed; do
		ORRERY_FORM=$form trace $f 2 "$tmp/t" --counter cputime -- "$tmp/beside.$f" \
			2>"$tmp/err" || bad "$f $form: $(cat "$tmp/err")"
		# two ranks, 60 ms each, and little of the library's own
		awk -v said="$said" 'i = index($0, said) { s = substr($0, i + length(said)) + 0 }
			END { exit !(s >= 0.12 && s < 0.2) }' "$tmp/err" ||
			bad "$f $form: $(cat "$tmp/err")"
		has "$f $form" "$tmp/err" "that of the busiest thread"
		"$ORRERY" replay "$tmp/t" -p graphene >"$tmp/trust" 2>&1 ||
			bad "$(cat "$tmp/trust")"
		has "$f $form" "$tmp/trust" "threads of a rank, of which the busiest"
		[[ $form == compressed ]] || computed 60
	done
	trace $f 2 "$tmp/t" --counter cputime -- "$tmp/beside.$f" c11 2>"$tmp/err" ||
		bad "$f c11: $(cat "$tmp/err")"
	has "$f c11" "$tmp/err" "that of the busiest thread"
	computed 60
	trace $f 2 "$tmp/t" --counter cputime -- "$tmp/beside.$f" alone 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	! grep -q "$said" "$tmp/err" || bad "$f, one thread: $(cat "$tmp/err")"
	"$ORRERY" replay "$tmp/t" -p graphene >"$tmp/trust" 2>&1 || bad "$(cat "$tmp/trust")"
	! grep "threads of a rank" "$tmp/trust" || bad "$f, one thread"
	# elapsed time is that of all threads
	trace $f 2 "$tmp/t" --counter wall -- "$tmp/beside.$f" 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	! grep -q "$said" "$tmp/err" || bad "$f, elapsed: $(cat "$tmp/err")"
done
exit $failed
