#!/bin/bash
# How ranks are started: what launchers tell is in their environment; a program that looks for its
# MPI library by a path of its own, as R does, finds ours; a debugger before one of them; output
# apart.
set -u
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() {
	printf 'FAILED: %s\n' "$*"
	failed=1
}
go() { "$ORRERY" run -q -n 4 -p graphene --computation none "$@"; }

cat >"$dir/ask.sh" <<'END'
node="$OMPI_COMM_WORLD_LOCAL_RANK of $OMPI_COMM_WORLD_LOCAL_SIZE"
mpich="$PMI_RANK of $PMI_SIZE, $MPI_LOCALRANKID of $MPI_LOCALNRANKS"
echo "$OMPI_COMM_WORLD_RANK of $OMPI_COMM_WORLD_SIZE, $node, $mpich"
END
go --ppn 2 --map-by slot -- sh "$dir/ask.sh" 2>&1 | grep ' of 4,' | sort >"$dir/out"
diff - "$dir/out" <<-END || bad "the environment of ranks"
	0 of 4, 0 of 2, 0 of 4, 0 of 2
	1 of 4, 1 of 2, 1 of 4, 1 of 2
	2 of 4, 0 of 2, 2 of 4, 0 of 2
	3 of 4, 1 of 2, 3 of 4, 1 of 2
END

# The same without a shell, in ranks of either kind.
ways_to_hold
for cc in mpicc.openmpi mpicc.mpich; do
	command -v $cc >/dev/null || continue
	for array in "" -DARRAY; do
		$cc -w $array -o "$dir/launched" "$SRC/tests/programs/live_launched.c" || bad "$cc"
		for hold in "${holds[@]}"; do
			go --ppn 2 --map-by slot --hold $hold -- "$dir/launched" 2>"$dir/err" |
				grep ' of 4,' | sort >"$dir/out"
			diff - "$dir/out" <<-END || bad "$cc $array, $hold: $(cat "$dir/err")"
				0 of 4, 0 of 2, 0, 0 of 2
				1 of 4, 1 of 2, 1, 1 of 2
				2 of 4, 0 of 2, 2, 0 of 2
				3 of 4, 1 of 2, 3, 1 of 2
			END
		done
	done
done

# Where names are bound at once, as in a program or library that is linked with -z now, nothing of
# ours that is loaded into a shell names what the shell has not.
LD_BIND_NOW=1 go -- sh -c 'echo bound' >"$dir/out" 2>&1
[[ $(grep -c '^bound$' "$dir/out") == 4 ]] || bad "bound at once: $(cat "$dir/out")"

for cc in mpicc.openmpi mpicc.mpich; do
	command -v $cc >/dev/null || continue
	$cc -w -O1 -o "$dir/ring" "$SRC/examples/ring.c" || bad "$cc"
	found=$(ldd "$dir/ring" | sed -n 's/.*libmpi[a-z]*\.so[^ ]* => \([^ ]*\) .*/\1/p' | head -1)
	printf 'LD_LIBRARY_PATH=%s:$LD_LIBRARY_PATH exec %s/ring\n' "$(dirname "$found")" "$dir" \
		>"$dir/ring.sh"
	go -- sh "$dir/ring.sh" >"$dir/out" 2>&1
	grep -q '^ring: 4 processes.*right' "$dir/out" ||
		bad "$cc, a path of its own: $(head -3 "$dir/out")"
	$cc -w -O1 -Wl,-rpath,"$(dirname "$found")" -o "$dir/ring" "$SRC/examples/ring.c"
	go -- "$dir/ring" >"$dir/out" 2>&1
	grep -q '^ring: 4 processes.*right' "$dir/out" ||
		bad "$cc, a path in its file: $(head -3 "$dir/out")"

	go --rank-output prefix --wrap '2:env WRAPPED=yes' -- sh -c \
		"echo \$PMI_RANK \$WRAPPED; echo bad >&2; exec $dir/ring" >"$dir/out" 2>"$dir/err"
	grep -qx '\[2\] 2 yes' "$dir/out" || bad "$cc: wrapped, prefixed: $(cat "$dir/out")"
	grep -qx '\[1\] 1' "$dir/out" || bad "$cc: prefixed: $(cat "$dir/out")"
	[[ $(grep -c '^\[[0-3]\] bad$' "$dir/err") == 4 ]] ||
		bad "$cc: errors prefixed: $(cat "$dir/err")"
	go --rank-output "$dir/ranks" -- "$dir/ring" >"$dir/out" 2>&1
	grep -q '^ring: 4' "$dir/ranks/rank-0.out" || bad "$cc: split"
	[[ -e $dir/ranks/rank-3.err ]] || bad "$cc: split errors"
	# the memory that ranks share is smaller under a limit (which no sanitizer can have)
	(ulimit -v 3000000; exec "$ORRERY" version) >/dev/null 2>&1 &&
		{ (ulimit -v 3000000; go -- "$dir/ring") >"$dir/out" 2>&1
		grep -q '^ring: 4' "$dir/out" || bad "$cc: little memory: $(cat "$dir/out")"; }
done
go --wrap gdb -- true 2>"$dir/err" && bad "wrong use of --wrap"
grep -q -- '--wrap is RANKS:COMMAND' "$dir/err" || bad "$(cat "$dir/err")"
go --wrap 9:env -- true 2>"$dir/err" && bad "--wrap of no rank"
grep -q -- '--wrap 9:env: there are [0-9] ranks, from 0' "$dir/err" || bad "$(cat "$dir/err")"
# Exit code 127 is that of a shell that finds no program, and of the loader where a library lacks a
# name: the program itself is there, and the message says so.
echo 'int here(void) { return 0; }' | cc -shared -fPIC -x c - -o "$dir/libhere.so" &&
	echo 'int here(void); int main(void) { return here(); }' |
	cc -x c - -o "$dir/lacks" -L"$dir" -lhere "-Wl,-rpath,$dir" -Wl,-z,now &&
	echo 'int gone;' | cc -shared -fPIC -x c - -o "$dir/libhere.so" || exit 2
"$ORRERY" run -q -n 2 -p graphene --hold processes -- "$dir/lacks" >"$dir/out" 2>&1 &&
	bad "a name that a library lacks: exit code 0"
grep -q "lacks: exited with code 127 before MPI_Init: .*a name in one.*orrery can-run" "$dir/out" ||
	bad "a name that a library lacks: $(cat "$dir/out")"
"$ORRERY" run -q -n 2 -p graphene --hold processes -- sh -c "exec $dir/none" >"$dir/out" 2>&1 &&
	bad "a script that finds no program: exit code 0"
grep -q "sh: exited with code 127 before MPI_Init: .*a program that it starts" "$dir/out" ||
	bad "a script that finds no program: $(cat "$dir/out")"
exit $failed
