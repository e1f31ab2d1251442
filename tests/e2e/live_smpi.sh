#!/bin/bash
# include/orrery/smpi.h, --kernel and --fold-memory, under both families; and that a real run is as
# if they were not there. The model of dgemm is 1e-10 mnk + 0.5 s: 1000^3 takes 0.6 s.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
libraries=$(dirname "$ORRERY")/lib/orrery
[[ -f $libraries/liborrery_guest.so ]] ||
	skip "no liborrery_guest.so: live simulation was not built (python3)"
failed=0 tried=0
echo 'void dgemm_(void) { }' >"$tmp/blas.c"
cc -shared -fPIC "$tmp/blas.c" -o "$tmp/libblas.so"
cat >"$tmp/m.json" <<'END'
{"model":1,"noise":0,"hosts":[
{"host":"a","mean":{"mnk":1.5e-10,"1":0.75}},
{"host":"b","mean":{"mnk":5e-11,"1":0.25}}]}
END
cat >"$tmp/expected" <<'END'
loop: 4
short loop: 3
loop to a precision: 5
delay: 1.50
shared: 7, malloc: 7, partial: 5 7 1
dgemm: 0.6000
END
for family in mpich openmpi; do
	command -v mpicc.$family >/dev/null || continue
	tried=1
	mpicc.$family -std=gnu17 -O1 -I"$SRC/include" "$SRC/tests/programs/live_smpi.c" -L"$tmp" \
		-lblas -Wl,-rpath,"$tmp" \
		-o "$tmp/$family" || { failed=1; continue; }
	ways_to_hold
	for hold in "${holds[@]}"; do
		timeout 60 "$ORRERY" run -q -np 1 -p graphene --computation none --hold $hold \
			--kernel dgemm_="$tmp/m.json" --fold-memory 16MiB -- "$tmp/$family" |
			sed '/^1 rank/,$d' >"$tmp/out"
		diff "$tmp/expected" "$tmp/out" >"$tmp/diff" || { echo "$family, $hold:";
			cat "$tmp/diff"; failed=1; }
	done
	out=$("$ORRERY" run -q -np 1 -p graphene --computation none -- "$tmp/$family" |
		sed -n 's/.*malloc: \([0-9]\).*/\1/p; /dgemm/p' | xargs)
	[[ $out == "1 dgemm: 0.0000" ]] || { echo "$family, without the options: $out"; failed=1; }
done
[[ $tried = 1 ]] || skip "no mpicc (Debian: libmpich-dev, libopenmpi-dev)"
"$ORRERY" run -np 1 -p graphene --kernel daxpy=x -- true 2>"$tmp/err" && failed=1
grep -q 'expected NAME=FILE' "$tmp/err" || { echo "a kernel that is not known:"; cat "$tmp/err";
	failed=1; }
if command -v mpiexec.mpich >/dev/null; then
	real=$(mpiexec.mpich -n 1 "$tmp/mpich" | sed -n 's/.*loop.*: //p; /body/p' | xargs)
	[[ $real == "50 3 1000 body" ]] || { echo "a real run: $real"; failed=1; }
fi
exit $failed
