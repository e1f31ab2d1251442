#!/bin/bash
# orrery calibrate memory: figures that a computer can have (copies between 10 MB/s and 10 TB/s,
# reductions between 1e6 and 1e13 elements/s), for all sizes, operators and types; settings that a
# replay takes. A message of 1 MiB to oneself is then a copy at the rate of its size.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
bad() { printf 'FAILED: %s\n' "$*"; failed=1; }
"$ORRERY" calibrate memory --time 1 --largest 1MiB -o "$tmp/settings" --json >"$tmp/out" \
	2>"$tmp/err" || bad "$(cat "$tmp/err")"
python3 - "$tmp/out" <<'PY' || bad "figures: $(cat "$tmp/out")"
import json, sys
m = json.load(open(sys.argv[1]))
assert m["bytes"] == [64 * 4 ** i for i in range(8)], m["bytes"]
assert len(m["copy"]) == 8 and all(1e7 < r < 1e13 for r in m["copy"])
assert set(m["reduce"]) == {"sum", "prod", "max", "min"}
for op in m["reduce"].values():
    assert set(op) == {"int", "long", "float", "double"}
    for rates in op.values():
        assert len(rates) == 8 and all(1e6 < r < 1e13 for r in rates)
PY
printf '%s\n' '# orrery-trace 1 ranks=1' '0 irecv 0 0 1048576 6 req=0' \
	'0 isend 0 0 1048576 6 req=1' '0 waitall reqs=0,1' >"$tmp/trace"
rate=$(sed -n 's/^smpi.copy-rate:.*:\([^:]*\)$/\1/p' "$tmp/settings")
"$ORRERY" replay -q "$tmp/trace" -p graphene --cfg @"$tmp/settings" >"$tmp/out" 2>&1 ||
	bad "replay: $(cat "$tmp/out")"
python3 -c "
import sys
t = float([l for l in open('$tmp/out') if l.startswith('simulated')][0].split()[2])
assert abs(t - 1048576 / float('$rate')) < 2e-9 + 1e-9 * t, (t, '$rate')" ||
	bad "a copy: $(cat "$tmp/settings" "$tmp/out")"
"$ORRERY" calibrate memory --largest 10 >"$tmp/out" 2>&1 && bad "--largest 10"
grep -q "256 at least, not '10'" "$tmp/out" || bad "$(cat "$tmp/out")"
"$ORRERY" calibrate memory -q --largest 1e18 >"$tmp/out" 2>&1 && bad "arrays of 1e18 bytes"
grep -q "at most, not 1e+18" "$tmp/out" || bad "$(cat "$tmp/out")"
for rate in 0:x 0:-1 'x' '0:1e9;5'; do
	"$ORRERY" replay "$tmp/trace" -p graphene --cfg smpi/copy-rate:"$rate" >"$tmp/out" 2>&1 &&
		bad "rate $rate was taken"
	grep -q "setting smpi/copy-rate: \"$rate\" is no rate" "$tmp/out" ||
		bad "rate $rate: $(cat "$tmp/out")"
done
exit $failed
