#!/bin/bash
# garbage.sh: malformed, cut and mutated input for the verbs (garbage.py), made from small files
# that are right. GARBAGE: mutants of each kind.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
fail() { echo "FAILED: $*"; exit 1; }
"$ORRERY" platform generate flat 8 --name h -o p.xml || fail "generate"
for rank in 0 1 2 3; do
	printf "$rank %s\n" init 'compute 1e6' 'allreduce 100 0 6' \
		"send $(((rank + 1) % 4)) 1 1000 6" "recv $(((rank + 3) % 4)) 1 1000 6" \
		'alltoall 10 10 6 6' finalize
done >t
# (a send of 1000 bytes is detached: no deadlock)
"$ORRERY" replay t -p p.xml -n 4 -q -o run.rec >/dev/null || fail "replay"
"$ORRERY" convert t t.times >/dev/null 2>&1 || cp t t.times
printf 'h0\nh1:2\nh2 slots=1\n' >hosts
sed -n '/^/p' "$SRC/tests/platforms/mixed.psins" >m.psins
"$ORRERY" tune -p p.xml -n 2,4 --bytes 8,64 --operations allreduce,bcast -q -j 1 -f ompi -o \
	rules.ompi || fail "tune ompi"
"$ORRERY" tune -p p.xml -n 2,4 --bytes 8,64 --operations allreduce,bcast -q -j 1 -f mpich -o \
	rules.mpich 2>told ||
	{ grep -q libcjson told && cp "$SRC/tests/fuzz/corpus/coll_rules/mpich" rules.mpich; } ||
		fail "tune mpich: $(cat told)"
cp "$SRC/tests/fuzz/corpus/network/ours" network.csv
cp "$SRC/tests/fuzz/corpus/kernel/hosts" kernel.csv
cc -shared -fPIC -I"$SRC/include" -o nic.so "$SRC/examples/model/sender_nic.c" ||
	fail "building a model"
python3 "$SRC/tests/e2e/garbage.py" "$work" "${GARBAGE:-8}" "$@"
