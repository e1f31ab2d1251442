#!/bin/bash
# What regions of a running program take: a file of amounts, rates. Expected, by hand, for one rank,
# whose barriers take nothing: A to B once, B to B four times, B to C once; the clock within B to B
# is read before the fifth of these, which ends at the call.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
failed=0
src=$SRC/tests/programs/live_regions.c
"$ORRERY" cc -g -O1 -o "$dir/r" "$src" || exit 1
cat >"$dir/one.xml" <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="one" speed="2Gf"/></zone></platform>
END
line() { grep -n "/\* $1 \*/" "$src" | cut -d: -f1; }
name() { echo "live_regions.c:$(line "$1")>live_regions.c:$(line "$2")"; }
run() { "$ORRERY" run -np 1 -p "$dir/one.xml" "$@" -- "$dir/r" 2>"$dir/err"; }
expect() { # what, output wanted, options...
	local what=$1 wanted=$2
	shift 2
	run -q "$@" | grep -E '^1 0|^1 1|^simulated' >"$dir/out"
	diff <(printf '%b' "$wanted") "$dir/out" || { echo "$what"; cat "$dir/err"; failed=1; }
}
expect none '1 0.000000\nsimulated time: 0.000000000 s\n' --computation none

run -q --profile --computation none >"$dir/names"
if grep -q 'live_regions.c:' "$dir/names"; then
	# names for such a file, and no columns of zeros
	grep -Eq '^live_regions.c:[0-9]+>live_regions.c:[0-9]+ +4$' "$dir/names" ||
		{ echo "the names of regions that take nothing"; cat "$dir/names"; failed=1; }
	# 0.5 + 4 x 0.25 + 2; the last reading of the clock comes before the fifth
	printf '# orrery-computation 1\nregion %s 0.5\nregion %s 0.25\nregion %s 2\n' \
		"$(name A B)" "$(name B B)" "$(name B C)" >"$dir/all"
	ways_to_hold
	for hold in "${holds[@]}"; do
		expect "amounts, $hold" '1 1.250000\nsimulated time: 3.500000000 s\n' \
			--computation "$dir/all" --hold $hold
	done
	# what is not in the file: 0.125 s each: from MPI_Init to A, from A to B, from B to C
	printf '# orrery-computation 1\nregion %s 0.25\nrest 0.125\n' "$(name B B)" >"$dir/rest"
	expect rest '1 0.875000\nsimulated time: 1.375000000 s\n' --computation "$dir/rest"
	# 4e9 flop at 2e9 a second
	printf '# orrery-computation 1\nregion %s 4e9 volume\n' "$(name B C)" >"$dir/volume"
	expect volume '1 0.000000\nsimulated time: 2.000000000 s\n' --computation "$dir/volume"
	# measured, but B to C
	printf '# orrery-computation 1\nregion %s 1000\nrest measured\n' "$(name B C)" \
		>"$dir/measured"
	t=$(run -q --computation "$dir/measured" | sed -n 's/^simulated time: \(.*\) s/\1/p')
	awk -v t="$t" 'BEGIN { exit !(t > 1000.0000001 && t < 1001) }' ||
		{ echo "measured: $t"; failed=1; }
	# rates: what is measured in nanoseconds, at 1e3 a second: 10^6 times as long
	printf '# orrery-rates 1\ncounter cputime\nspeed 1e9\nregion %s * 0 1 1e3 0 1 1\n' \
		"$(name B B)" >"$dir/rates"
	t=$(run --rates "$dir/rates" | sed -n 's/^simulated time: \(.*\) s/\1/p')
	awk -v t="$t" 'BEGIN { exit !(t > 1) }' || { echo "rates: $t"; failed=1; }
	grep -q '3 computations .* without calibrated rates' "$dir/err" ||
		{ cat "$dir/err"; failed=1; }
	sed 's/cputime/perf/' "$dir/rates" >"$dir/perf"
	run -q --rates "$dir/perf" && failed=1
	grep -q "counted by 'perf', but a run measures processor time" "$dir/err" ||
		{ cat "$dir/err"; failed=1; }
fi
# a call through a library between the program and ours, that of Fortran or the tracer, is of the
# line of the program, however ranks are held
ways_to_hold
cat >"$dir/f.f90" <<'END'
program f
  use mpi
  integer :: e
  call MPI_Init(e)
  call MPI_Barrier(MPI_COMM_WORLD, e) ! A
  call MPI_Barrier(MPI_COMM_WORLD, e) ! B
  call MPI_Finalize(e)
end program
END
regions() { # what, FROM>TO, options and program...
	local what=$1 wanted=$2
	shift 2
	for hold in "${holds[@]}"; do
		"$ORRERY" run -q -np 2 -p graphene --profile --hold "$hold" "$@" >"$dir/out" \
			2>"$dir/err" &&
			grep -qF "$wanted" "$dir/out" && continue
		echo "$what, $hold"
		cat "$dir/out" "$dir/err"
		failed=1
	done
}
for mpi in openmpi mpich; do
	if have mpif90.$mpi && mpif90.$mpi -g -O1 -o "$dir/f" "$dir/f.f90"; then
		regions "Fortran, $mpi" 'f.f90:5>f.f90:6' -- "$dir/f"
	fi
	if have mpicc.$mpi && mpicc.$mpi -g -O1 -o "$dir/c" "$src"; then
		regions "tracer, $mpi" "$(name B B)" --force --trace "$dir/traced" -- "$dir/c"
	fi
done
printf 'region a>b 1\n' >"$dir/bad"
run -q --computation "$dir/bad" && failed=1
grep -q "bad:1: not a file of amounts" "$dir/err" || { cat "$dir/err"; failed=1; }
printf '# orrery-computation 1\nregion a>b 1\nregion a>b 2\n' >"$dir/bad"
run -q --computation "$dir/bad" && failed=1
grep -q "bad:3: a region has one line, found 'a>b'" "$dir/err" || { cat "$dir/err"; failed=1; }
printf '# orrery-computation 1\nrest always\n' >"$dir/bad"
run -q --computation "$dir/bad" && failed=1
grep -q "bad:2: expected an amount, not negative, found 'always'" "$dir/err" ||
	{ cat "$dir/err"; failed=1; }
# of a command that may load any family's library, as no trace is of the standard's ABI
"$ORRERY" run -q -np 1 -p "$dir/one.xml" --trace "$dir/t" --computation "$dir/all" -- true \
	2>"$dir/err" && failed=1
grep -q "trace writes what was measured" "$dir/err" || { cat "$dir/err"; failed=1; }
exit $failed
