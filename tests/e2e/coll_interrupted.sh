#!/bin/bash
# `orrery coll` told to end by each signal writes what it measured until then, as rows that a run to
# the end has too, says how much that is, and ends of the signal; a second signal ends it at once.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
scratch
set -m # without it bash starts commands with SIGINT and SIGQUIT ignored
table=(allreduce -p graphene -n 128 --bytes 4Mi..16Mi*2)
"$ORRERY" coll "${table[@]}" --csv whole.csv >/dev/null || exit 2

# interrupt SIGNAL WORD…: starts the verb, sends the signal after some measurements; $code
interrupt() {
	local signal=$1 pid
	shift
	rm -f out.csv out.svg out err
	"$ORRERY" coll "$@" --csv out.csv --svg out.svg --json >out 2>err &
	pid=$!
	sleep "$wait"
	kill -s "$signal" "$pid"
	wait "$pid"
	code=$?
}

# A large table, of which a second measures some: how long that is on this computer is tried out.
large=(allreduce -p graphene -n 4..128 --bytes 8..16Mi*2 -j 2)
for signal in INT TERM HUP QUIT; do
	for wait in 1 0.3 3 12; do
		interrupt "$signal" "${large[@]}"
		# until it was in time, and something was measured
		((code >= 128)) && (($(wc -l <out.csv) > 1)) && break
	done
	[[ $code == $((128 + $(kill -l "$signal"))) ]] || bad "$signal: exit code $code: $(cat err)"
	grep -qE 'coll: interrupted: [0-9]+ of [0-9]+ combinations of ranks and bytes' err ||
		bad "$signal: not told: $(cat err)"
	grep -q '</svg>' out.svg || bad "$signal: no figure"
	python3 - <<'PY' || bad "$signal: what was written"
import csv, json
page = json.load(open("out"))
assert page["complete"] is False
done = [c for c in page["cells"] if c.get("complete", True)]
rest = [c for c in page["cells"] if not c.get("complete", True)]
assert rest, "all is there"
assert all(c["fastest"] == "" and c["seconds"] is None for c in rest)
assert all(c["fastest"] and c["seconds"] > 0 for c in done)
rows = list(csv.DictReader(open("out.csv")))
assert rows
# a simulated time is the same in whichever run it was
whole = {(r["ranks"], r["bytes"], r["algorithm"]): r["seconds"]
         for r in csv.DictReader(open("whole.csv"))}
for r in rows:
    key = r["ranks"], r["bytes"], r["algorithm"]
    assert key not in whole or whole[key] == r["seconds"], (r, whole[key])
PY
done

# A part does not take the place of a table that may be whole.
echo mine >old.csv
"$ORRERY" coll "${large[@]}" --csv old.csv >/dev/null 2>err &
pid=$!
sleep 1
kill -INT "$pid"
wait "$pid"
[[ $(cat old.csv) == mine ]] || bad "an old table was replaced by a part"
grep -q 'old.csv was there before, and is as it was' err || bad "that was not told: $(cat err)"

# A second signal does not wait for anything.
"$ORRERY" coll "${large[@]}" >/dev/null 2>&1 &
pid=$!
sleep 0.2
kill -INT "$pid"
kill -INT "$pid" 2>/dev/null
kill -INT "$pid" 2>/dev/null
wait "$pid"
[[ $? == 130 ]] || bad "twice: exit code $?"
exit $failed
