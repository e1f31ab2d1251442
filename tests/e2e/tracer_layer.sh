#!/bin/bash
# A program whose threads call MPI in turn while they write files. A program that has a profiling
# layer of its own, which calls PMPI: every call is traced, once, as the layer sees it. A layer in a
# library behind the tracer is passed by, which is told. Loops of
# MPI_Request_get_status are no computation: with the counter that counts looks, two are before the
# wait, one before the first look and one behind the last, however many there were.
. "$(dirname "$0")/tracer.bash"

for f in "${families[@]}"; do
	build $f layer
	trace $f 3 "$tmp/t" --counter fake -q -- "$tmp/layer.$f" >"$tmp/out" 2>&1
	same "$f: exit code and output" "0 " "$? $(cat "$tmp/out")"
	calls="1 init,1 comm_size 3,1 recv 0 7 1 1,1 send 2 7 1 1,1 irecv 2 8 1 1 req=0"
	calls+=",1 barrier,1 send 0 8 1 1,1 wait req=0,1 barrier,1 finalize"
	same "$f: rank 1" "$calls" \
		"$(grep -v '^#\|compute' "$tmp/t/rank-1.tit" | paste -sd,)"
	same "$f: before the wait" "1 compute 2000000" "$(grep -B1 'wait req' "$tmp/t/rank-1.tit" |
		head -1)"
	trace $f 3 "$tmp/p" --profile -- "$tmp/layer.$f" >"$tmp/out" 2>&1 ||
		bad "$f: profile: $(cat "$tmp/out")"
	# 2 of 3 ranks send along the chain, all send back
	same "$f: sends in the profile" "5" "$(awk '$1 == "MPI_Send" {print $2}' "$tmp/p/profile")"
	same "$f: bytes" "20" "$(awk '$1 == "MPI_Send" {print $3}' "$tmp/p/profile")"
	has "$f: profile" "$tmp/out" "profile of 3 ranks"
	if mpifort.$f -w -O1 -fallow-argument-mismatch -o "$tmp/layer_f.$f" \
		"$SRC/tests/programs/layer.f90" 2>"$tmp/err"; then
		trace $f 2 "$tmp/t" --counter fake -q -- "$tmp/layer_f.$f" >"$tmp/out" 2>&1
		same "$f, Fortran: output" "" "$(cat "$tmp/out")"
		same "$f, Fortran: rank 1" "1 init,1 barrier,1 bcast 1 0 1,1 finalize" \
			"$(grep -v '^#\|compute' "$tmp/t/rank-1.tit" | paste -sd,)"
	else
		have mpifort.$f && bad "$f: layer.f90: $(head -3 "$tmp/err")"
	fi
	mpicc.$f -shared -fPIC -o "$tmp/libbehind.$f.so" "$SRC/tests/programs/layer_behind.c" &&
		mpicc.$f -o "$tmp/behind.$f" "$SRC/tests/programs/ring.c" "$tmp/libbehind.$f.so" ||
		exit 1
	same "$f, behind: untraced" 2 "$(mpirun.$f -np 2 "$tmp/behind.$f" | grep -c '^layer')"
	trace $f 2 "$tmp/t" -- "$tmp/behind.$f" >"$tmp/out" 2>&1
	same "$f, behind: passed by" 0 "$(grep -c '^layer' "$tmp/out")"
	same "$f, behind: told" 1 \
		"$(grep -c "libbehind.$f.so has functions of MPI of its own" "$tmp/out")"
	trace $f 3 "$tmp/t" -- "$tmp/layer.$f" >"$tmp/out" 2>&1
	same "$f, in the program: not told" 0 "$(grep -c 'of its own' "$tmp/out")"
	build $f serialized -pthread
	for form in text compressed; do
		ORRERY_FORM=$form trace $f 1 "$tmp/s" -q -- "$tmp/serialized.$f" "$tmp/written" \
			>"$tmp/out" 2>&1
		same "$f serialized: output" "" "$(cat "$tmp/out")"
		"$ORRERY" info "$tmp/s" >"$tmp/out" 2>&1 ||
			bad "$f serialized, $form: $(cat "$tmp/out")"
		same "$f serialized, $form: barriers and writes" "3001 3000" \
			"$(awk '$1 == "barrier" {b = $2} $1 == "write" {w = $2} END {print b, w}' \
			"$tmp/out")"
	done
	ORRERY_FORM=compressed trace $f 3 "$tmp/t" -q -- "$tmp/layer.$f" >"$tmp/out" 2>&1
	"$ORRERY" replay -q "$tmp/t" -p graphene >"$tmp/out" 2>&1 ||
		bad "$f: replay: $(cat "$tmp/out")"
done
exit $failed
