#!/bin/bash
# A test that is skipped says why and what would let it run (tests/need.bash); none asks `command -v
# a b`, which succeeds if one is there.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
bad=0
if grep -nE '\bexit 77\b' tests/*/*.sh tests/*/*.bash |
	grep -vE 'skipped: |^tests/tools/skips.sh:|^[^:]*:[0-9]+:#'; then
	echo "skipped without a word: use skip or need of tests/need.bash"
	bad=1
fi
if grep -nE 'command -v +[^|&;<>()]*[^ |&;<>()0-9] +[^ |&;<>()0-9]' tests/*/*.sh tests/*/*.bash |
	grep -vE '^tests/tools/skips.sh:|^[^:]*:[0-9]+:#'; then
	echo "command -v of several names: use have of tests/need.bash"
	bad=1
fi
# The question itself: all of several, each by name.
. tests/need.bash
have sh ls || { echo "sh and ls are not there?"; bad=1; }
have sh no-such-command-here && { echo "have takes one for all"; bad=1; }
told=$(need no-such-command-here:its-package sh:dash); code=$?
[[ $code = 77 && $told = "skipped: no no-such-command-here (Debian: its-package)" ]] ||
	{ echo "need: $code: $told"; bad=1; }
exit $bad
