#!/bin/bash
# What threads compute that call no MPI is in no trace of a thread's counter, and whoever traces is
# told how much it is: of all ranks, in both forms.
. "$(dirname "$0")/tracer.bash"

said="threads that called no MPI computed "
for f in "${families[@]}"; do
	build $f beside -pthread
	for form in text compressed; do
		ORRERY_FORM=$form trace $f 2 "$tmp/t" --counter cputime -- "$tmp/beside.$f" \
			2>"$tmp/err" || bad "$f $form: $(cat "$tmp/err")"
		# two ranks, 60 ms each, and little of the library's own
		awk -v said="$said" 'i = index($0, said) { s = substr($0, i + length(said)) + 0 }
			END { exit !(s >= 0.12 && s < 0.2) }' "$tmp/err" ||
			bad "$f $form: $(cat "$tmp/err")"
	done
	trace $f 2 "$tmp/t" --counter cputime -- "$tmp/beside.$f" alone 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	! grep -q "$said" "$tmp/err" || bad "$f, one thread: $(cat "$tmp/err")"
	# elapsed time is that of all threads
	trace $f 2 "$tmp/t" --counter wall -- "$tmp/beside.$f" 2>"$tmp/err" ||
		bad "$f: $(cat "$tmp/err")"
	! grep -q "$said" "$tmp/err" || bad "$f, elapsed: $(cat "$tmp/err")"
done
exit $failed
