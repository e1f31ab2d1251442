# need.bash: what a test needs beside the build. Sourced by tests: a test that cannot run says what
# is missing and which Debian package brings it, on a line "skipped: …" that `make test` repeats at
# its end (tools/test).
skip() { echo "skipped: $*"; exit 77; }
# have COMMAND…: are all of them there? (`command -v a b` succeeds if one is.)
have() {
	local command
	for command; do command -v "$command" >/dev/null || return 1; done
}
# need COMMAND:PACKAGE…: skips the test unless all are there.
need() {
	local pair missing=() packages=()
	for pair; do
		have "${pair%%:*}" || { missing+=("${pair%%:*}"); packages+=("${pair#*:}"); }
	done
	((${#missing[@]} == 0)) ||
		skip "no ${missing[*]} (Debian: $(printf '%s\n' "${packages[@]}" | sort -u |
		paste -sd' '))"
}
# need_simgrid VERSION: skips the test unless that one is here. SimGrid 4.0's times differ from
# 3.32's by up to a few per cent, in overheads, model IB and what it does in turns.
need_simgrid() {
	local found
	need smpirun:libsimgrid-dev
	found=$(smpirun --version 2>/dev/null | sed -n 's/^SimGrid version //p')
	[[ $found == "$1" || $found == "$1".* ]] ||
		skip "SimGrid ${found:-of unknown version}, and results are those of $1 (Debian 12)"
}
# has_live: whether the MPI library of simulated programs was built; need_live: skips if it was not.
has_live() {
	! "$ORRERY" run -q -np 1 -p graphene -- true 2>&1 | grep -q "was not built"
}
need_live() {
	has_live || skip "the MPI library of simulated programs was not built"
}
# has_coroutines: whether ranks can be coroutines on this processor (src/live/coro/processor.h).
has_coroutines() {
	[[ $(uname -m) =~ ^(x86_64|aarch64)$ ]]
}
# ways_to_hold: sets `holds` to the ways in which this build can hold a rank.
ways_to_hold() {
	holds=(processes)
	has_coroutines && ! nm -D "$ORRERY" 2>/dev/null | grep -q __asan &&
		holds+=(coroutines)
	return 0
}
# my_part: those of the lines read that are this part's. A long test says "# parts: N" in its head,
# tests/CMakeLists.txt makes N tests of it, with PART=1/N to N/N in the environment, each with every
# N-th case; without PART it is the whole test.
my_part() {
	awk -v part="${PART:-1/1}" 'BEGIN { split(part, p, "/") } (NR - p[1]) % p[2] == 0'
}
# mine N: whether the N-th of a test's things, from 1, is this part's.
mine() {
	local part=${PART:-1/1}
	((($1 - ${part%/*}) % ${part#*/} == 0))
}
# scratch: goes on in a folder of the test's own; $failed is what to exit with at the end.
scratch() {
	tmp=$(mktemp -d) || exit 2
	# not in a child that a signal ends before it has become another program
	trap '[[ $BASHPID != "$$" ]] || rm -rf "$tmp"' EXIT
	cd "$tmp" || exit 2
	failed=0
}
# bad TEXT…: says what is wrong; the test goes on.
bad() { echo "$*"; failed=1; }
# verb_inputs: puts into the current folder one file of each kind that verbs read: a trace (text,
# folder d, compressed c), a machine, a recording, measurements of a network, a kernel,
# computations with times.
verb_inputs() {
	local cases=$SRC/tests/golden/cases i
	cp "$cases/two.trace" "$cases/two.xml" . || exit 2
	"$ORRERY" convert -q two.trace -o d || exit 2
	"$ORRERY" convert -q two.trace -f compressed -o c || exit 2
	"$ORRERY" replay -q two.trace -p two.xml --record run.rec >out || exit 2
	cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
	echo 'm,n,k,duration' >kernel.csv
	for i in {1..12}; do
		echo "$((i * 100)),$((i * i)),$((i * 7 % 13)),0.00$i" >>kernel.csv
	done
	printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' '1 init' '0 compute 1e6 t=0.001' \
		'0 barrier t=1e-6' '1 barrier t=2e-3' '1 compute 1e6 t=1e-3' '0 finalize' \
		'1 finalize' >timed
}
# trace_state OLD TRACE MACHINE: what is under the name of a trace whose writing was ended: "old"
# (what OLD has), "whole", "partial" (it replays and says so), "nothing" (which it says); or what is
# wrong.
trace_state() {
	local said
	diff -rq "$1" "$2" >/dev/null 2>&1 && { echo old; return; }
	if ! said=$("$ORRERY" replay "$2" -p "$3" 2>&1 >/dev/null); then
		case $said in
		*'holds no'* | *'no trace'* | *'no event'* | *'no file'*) echo nothing ;;
		*missing*) echo nothing ;;
		*'not a trace'* | *'is empty'* | *nothing* | *partial*) echo nothing ;;
		*'ended badly'* | *'No such'*) echo nothing ;;
		*) echo "refused: $said" ;;
		esac
	elif grep -qE 'is partial|ends before the program did' <<<"$said"; then
		echo partial
	else
		echo whole
	fi
}
