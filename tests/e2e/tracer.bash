# tracer.bash: what the tests of the tracer share. Sourced. They trace real programs under every MPI
# library that is here, and are skipped where there is none. ORRERY, ORRERY_TRACER_DIR and SRC come
# from CTest.
set -u
. "$SRC/tests/need.bash"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# Also with mpirun options of the test's own; the second is Open MPI 5's.
export OMPI_MCA_rmaps_base_oversubscribe=1
export PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
unset ORRERY_COUNTER ORRERY_RATE ORRERY_BUFFER ORRERY_TRACE_DIR
# Most tests read text. A compressed trace is shown by converting it.
export ORRERY_FORM=text
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
failed=0

bad() {
	printf 'FAILED: %s\n' "$*"
	failed=1
}
# same WHAT EXPECTED FOUND
same() { [[ $2 == "$3" ]] || bad "$1: expected '$2', found '$3'"; }
# has WHAT FILE TEXT
has() { grep -qF -- "$3" "$2" || bad "$1: '$3' is not in: $(cat "$2")"; }

# apart FUNCTION [arguments]: at the same time as others, in a folder of its own: most of a small
# MPI run is waiting. together: waits for all of them. In a test with parts ("# parts: N"), each
# part does every N-th of its calls of `apart`.
parts=() calls=0
apart() {
	local folder
	mine $((++calls)) || return 0
	folder=$(mktemp -d "$tmp/apart-XXXXXX") || exit 1
	(
		trap - EXIT
		tmp=$folder failed=0
		"$@"
		exit $failed
	) >"$folder.out" 2>&1 &
	parts+=("$! $folder.out")
}
together() {
	local part
	for part in "${parts[@]}"; do
		wait "${part%% *}" || failed=1
		cat "${part#* }"
	done
	parts=()
}

families=()
for f in openmpi mpich; do
	if [[ -f $ORRERY_TRACER_DIR/liborrery-trace-$f.so ]] && have mpirun.$f mpicc.$f; then
		families+=("$f")
	else
		echo "$f: not here"
	fi
done
[[ ${#families[@]} -gt 0 ]] ||
	skip "no MPI with its tracer (Debian: openmpi-bin libopenmpi-dev, mpich libmpich-dev;" \
		"then build again)"

# build FAMILY PROGRAM [options]: tests/programs/PROGRAM.c to $tmp/PROGRAM.FAMILY. Compiled once for
# all tests and their parts, beside the build's own: a copy of what is newer than the sources and
# the compiler.
build() {
	local f=$1 p=$2; shift 2
	local kept=$ORRERY_TRACER_DIR/tests made
	made="$kept/$p.$f$(printf ' %s' "$@" | tr ' /' '__')"
	mkdir -p "$kept" || exit 1
	local headers=("$SRC"/tests/programs/*.h "$SRC"/include)
	if [[ ! $made -nt $SRC/tests/programs/$p.c || ! $made -nt $(command -v "mpicc.$f") ||
		$(find "${headers[@]}" -newer "$made" -print -quit) ]]; then
		mpicc."$f" -w -O1 "$@" -o "$made.$BASHPID" "$SRC/tests/programs/$p.c" &&
			mv "$made.$BASHPID" "$made" ||
			{ bad "$p does not compile with $f"; exit 1; }
	fi
	cp "$made" "$tmp/$p.$f" || exit 1
}
# run FAMILY RANKS command…: untraced
run() {
	local f=$1 n=$2; shift 2
	timeout 120 mpirun."$f" -np "$n" "$@"
}
# trace FAMILY RANKS DIR [options of orrery trace] -- command…
trace() {
	local f=$1 n=$2 dir=$3 options=(); shift 3
	while [[ $1 != -- ]]; do options+=("$1"); shift; done
	shift
	timeout 120 "$ORRERY" trace -f -o "$dir" "${options[@]}" -- mpirun."$f" -np "$n" "$@"
}
# events DIR: all ranks' events, without notes
events() { grep -hv '^#' "$1"/rank-*.tit; }
complete() { sed -n 's/^complete: //p' "$1/manifest"; }
