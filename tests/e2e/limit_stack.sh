#!/bin/bash
# Under a limit of the stack that is too low (ulimit -s) orrery says so with exit code 3, and is not
# ended by a signal; under one that it takes, it works.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer takes more of the stack"
scratch
cp "$SRC/tests/golden/cases/two.trace" "$SRC/tests/golden/cases/two.xml" . || exit 2
limited() { # KiB WORDS…
	(ulimit -s "$1" && exec env -i "$ORRERY" "${@:2}") >out 2>err
	code=$?
}
# With 16 KiB the loader itself mostly has enough, but the kernel puts the begin of the stack up to
# 8 KiB lower, at random.
for kib in 32 64 255; do
	for words in version "replay -q two.trace -p two.xml"; do
		# shellcheck disable=SC2086 # words
		limited $kib $words
		[[ $code == 3 ]] && grep -q "^orrery: the stack .* $kib KiB .*ulimit -s" err ||
			bad "$kib KiB, $words: exit code $code: $(cat err)"
	done
done
limited 256 replay -q two.trace -p two.xml
[[ $code == 0 ]] || bad "256 KiB: exit code $code: $(cat err)"
exit $failed
