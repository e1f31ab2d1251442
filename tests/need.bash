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
# need_live: skips the test where the MPI library of simulated programs was not built.
need_live() {
	"$ORRERY" run -q -np 1 -p graphene -- true 2>&1 | grep -q "was not built" &&
		skip "the MPI library of simulated programs was not built"
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
