#!/bin/bash
# export_json.sh: the trace event file is JSON, has all calls and messages, and no call overlaps the
# next of its rank.
. "$SRC/tests/e2e/lib/recorded_run.sh"
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
recorded_run 6 10 "$dir/run" || exit 1
"$ORRERY" export "$dir/run" -o "$dir/run.json" || exit 1
python3 - "$dir/run.json" << 'PYTHON'
import json, sys
events = json.load(open(sys.argv[1]), parse_float=str)["traceEvents"]
ns = lambda s: int(s.replace(".", ""))  # microseconds with three decimals
calls = [e for e in events if e["ph"] == "X"]
assert len(calls) == 312, len(calls)
ends = {}
for e in sorted(calls, key=lambda e: (e["tid"], ns(e["ts"]), ns(e["ts"]) + ns(e["dur"]))):
    assert ns(e["ts"]) >= ends.get(e["tid"], 0), e
    ends[e["tid"]] = ns(e["ts"]) + ns(e["dur"])
starts = {e["id"]: e for e in events if e["ph"] == "s"}
finishes = {e["id"]: e for e in events if e["ph"] == "f"}
assert starts.keys() == finishes.keys() and len(starts) >= 60
assert all(ns(starts[i]["ts"]) <= ns(finishes[i]["ts"]) for i in starts)
print("ok")
PYTHON
