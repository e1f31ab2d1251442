#!/bin/bash
# A program that fails: exit code 1, the message, and what is known all the same as JSON and CSV,
# with the failure named. Two ranks of 1 Gf/s: rank 0 computes 1 s, then waits for a message that
# nobody sends; rank 1 computes 0.25 s and ends.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
scratch
printf '%s\n' '0 init' '0 compute 1e9' '0 recv 1 7 100 6' '0 finalize' '1 init' \
	'1 compute 25e7' '1 finalize' >stuck.trace
cat >m.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
	<zone id="z" routing="Full">
		<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
		<link id="l" bandwidth="1GBps" latency="0s"/>
		<route src="a" dst="b"><link_ctn id="l"/></route>
	</zone>
</platform>
END
"$ORRERY" replay stuck.trace -p m.xml --json --per-rank --csv out.csv >out 2>err
[[ $? == 1 ]] || bad "exit code"
grep -q 'rank 0' err || bad "no message: $(cat err)"
python3 - <<'PY' || bad "what was written: $(cat out out.csv)"
import csv, json
page = json.load(open("out"))
assert page["simulated_time"] is None and page["trust"] is None
assert "deadlock" in page["failure"].lower(), page["failure"]
assert abs(page["failed_at"] - 1) < 1e-9, page["failed_at"]
computed = {r["rank"]: r["compute"] for r in page["profile"]["per_rank"]}
assert abs(computed[0] - 1) < 1e-9 and abs(computed[1] - 0.25) < 1e-9, computed
rows = list(csv.DictReader(open("out.csv")))
last = rows[-1]
assert last["rank"] == "-1" and last["class"] == "failure"
assert last["function"] == "(failed: " + page["failure"].replace("\n", "; ") + ")"
assert abs(float(last["seconds"]) - 1) < 1e-9
computation = [r for r in rows if r["function"] == "computation"]
assert [float(r["seconds"]) for r in computation] == [1, 0.25], computation
PY
echo old >out.csv
"$ORRERY" replay -q stuck.trace -p m.xml --csv out.csv >out 2>err
[[ $? == 1 && $(cat out.csv) == old ]] && grep -q 'out.csv was there before' err ||
	bad "an old table: $(cat out.csv err)"
# One that does not fail says so; one that cannot be read at all has nothing to tell.
sed '/recv/d' stuck.trace >fine.trace
"$ORRERY" replay -q fine.trace -p m.xml --json --csv fine.csv >out || bad "fine: exit code"
grep -q '"failure":null' out && ! grep -q failed out fine.csv || bad "fine: $(cat out)"
echo '0 nonsense' >>stuck.trace
rm out.csv
"$ORRERY" replay -q stuck.trace -p m.xml --json --csv out.csv >out 2>err
[[ $? == 2 && ! -s out && ! -e out.csv ]] || bad "no trace: $(cat out err)"
exit $failed
