#!/bin/bash
# convert_back.sh: what is written for Dimemas and LogGOPSim is read back as the same messages,
# collectives and computations, and replays; GOAL's text and binary forms say the same; of a
# collective, the messages are those of the algorithm, counted by hand; what a form cannot hold is
# refused by name.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
# Four ranks, two communicators; what one rank sends another receives.
awk 'BEGIN {
	print "# orrery-trace 1 ranks=4"
	for (r = 0; r < 4; r++) {
		print r, "init"
		members = "members=" (r % 2) "," (r % 2 + 2)
		print r, "comm_split", "comm=" (r % 2) ".0", "parent=world", members
		print r, "compute 1000 t=2e-6"
		print r, "irecv", (r + 3) % 4, 5, 100, 6, "req=0"
		print r, "isend", (r + 1) % 4, 5, 100, 6, "req=1"
		print r, "waitall 2 reqs=0-1"
		if (r % 2) {
			print r, "recv", r - 1, 1, 10, 0
			print r, "send", r - 1, 2, 20, 0
		} else {
			print r, "send", r + 1, 1, 10, 0
			print r, "recv", r + 1, 2, 20, 0
		}
		print r, "sendRecv 8", (r + 2) % 4, "8", (r + 2) % 4, "6 6 tags=3,3"
		print r, "barrier"
		print r, "bcast 1000 1 6"
		print r, "allreduce 4 0 0"
		print r, "reduce 3 0 2 0"
		print r, "allreduce 2 0 0 comm=" (r % 2) ".0"
		print r, "alltoall 7 7 6 6"
		print r, "compute 500 t=1e-6"
		print r, "finalize"
	}
}' >"$work/guess"
"$ORRERY" convert "$work/guess" -o "$work/text" -f merged || fail "the program"
info() { "$ORRERY" info "$1" --json >"$work/json" 2>"$work/err" ||
	fail "info $1: $(cat "$work/err")"; }
# counts FILE KEY…: events of these actions
counts() {
	info "$1"; shift
	python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))["by_action"]
print([a.get(k, {}).get("events", 0) for k in sys.argv[2:]])' "$work/json" "$@"
}
matrix() { "$ORRERY" info "$1" --matrix 2>/dev/null; }

for form in dimemas goal goal-binary; do
	"$ORRERY" convert "$work/text" -f "$form" -o "$work/$form" || fail "to $form"
	timeout 60 "$ORRERY" replay "$work/$form" -p "$SRC/tests/platforms/four.xml" -q \
		>"$work/out" 2>"$work/err" || fail "replay of $form: $(head -3 "$work/err")"
done
# Dimemas: the same messages between the same ranks, and collectives.
[[ $(matrix "$work/dimemas") == "$(matrix "$work/text")" ]] ||
	fail "messages of Dimemas: $(diff <(matrix "$work/text") <(matrix "$work/dimemas"))"
[[ $(counts "$work/dimemas" barrier bcast allreduce reduce alltoall) == '[4, 4, 8, 4, 4]' ]] ||
	fail "collectives: $(counts "$work/dimemas" barrier bcast allreduce reduce alltoall)"
python3 - "$work/json" <<'PY' || fail "sizes of Dimemas"
import json, sys
a = json.load(open(sys.argv[1]))["by_action"]
sent = {k: a[k]["bytes_sent"] for k in ("bcast", "allreduce", "alltoall")}
assert sent == {"bcast": 4 * 1000, "allreduce": 4 * 32 + 4 * 16, "alltoall": 4 * 7}, a
assert abs(a["compute"]["volume"] - 4 * 3000) < 1e-6, a["compute"]  # nanoseconds
PY
# GOAL: text and binary say the same; the messages of the program and of the collectives: a barrier
# of 4 is 2 rounds of 4 messages, a bcast, a reduce 3 each, an allreduce 6 of 4 ranks, 2 of 2, an
# alltoall 12: 8 + 3 + 6 + 3 + 2 * 2 + 12; the program's own: 4 + 4 + 4.
messages() { matrix "$1" | awk -F, 'NR > 1 { n += $3 } END { print n }'; }
[[ $(messages "$work/goal") == $((12 + 8 + 3 + 6 + 3 + 4 + 12)) ]] ||
	fail "messages of GOAL: $(messages "$work/goal")"
diff <("$ORRERY" convert "$work/goal" -f merged -o - 2>/dev/null) \
	<("$ORRERY" convert "$work/goal-binary" -f merged -o - 2>/dev/null) >"$work/diff" ||
	fail "GOAL's two forms: $(head -5 "$work/diff")"
# So says a reader of both that knows docs/foreign-traces.md only.
python3 "$(dirname "$0")/goal_binary.py" "$work/goal" "$work/goal-binary" 2>"$work/err" ||
	fail "GOAL's two forms, read apart: $(tail -1 "$work/err")"
[[ $(counts "$work/goal" isend) == "[$((12 + 8 + 3 + 6 + 3 + 4 + 12))]" &&
	$(counts "$work/goal" irecv) == "$(counts "$work/goal" isend)" ]] ||
	fail "as many receives as sends"

# Volumes that are times are said to be, where another simulator would take them for flop.
printf '# orrery-trace 1 ranks=1\n0 init\n0 compute 3e6\n0 finalize\n' >"$work/times"
for counter in wall perf; do
	"$ORRERY" convert -q "$work/times" -o "$work/timed" --force
	printf '# orrery-manifest 1\nranks: 1\ncomplete: yes\ncounter: %s\nnominal_rate: 1e9\n' \
		$counter >"$work/timed/manifest"
	"$ORRERY" convert "$work/timed" -f simgrid --force -o "$work/plain" 2>"$work/err" ||
		fail "times for SimGrid: $(cat "$work/err")"
	said=$(grep -c 'volumes are times: .* on hosts of speed 1e+09f' "$work/err")
	[[ $counter$said == wall1 || $counter$said == perf0 ]] ||
		fail "volumes of $counter: $(cat "$work/err")"
done
printf '# orrery-trace 1 ranks=1\n0 init\n0 open data file=0\n0 finalize\n' >"$work/files"
for form in dimemas goal; do
	"$ORRERY" convert "$work/files" -f "$form" -o "$work/none" >/dev/null 2>"$work/err"
	[[ $? == 2 ]] && grep -q 'open has no form' "$work/err" && [[ ! -e $work/none ]] ||
		fail "$form: files: $(cat "$work/err")"
done
exit 0
