#!/bin/bash
# convert_otf2.sh: an OTF2 archive that orrery writes is one that otf2-print reads without a
# warning, with as many records as the program has calls, its hosts and its run; read back, it is
# the same messages, collectives and computations, and replays in the same time.
set -u
. "$(dirname "$0")/../need.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
need otf2-print:otf2-tools
# Four ranks; six blocks of every collective that OTF2 has; requests of all kinds.
mkdir "$work/t"
for r in 0 1 2 3; do
	{
		echo "# orrery-trace 1"
		half="comm=$((r % 2)).0 parent=world members=$((r % 2)),$((r % 2 + 2))"
		printf "$r %s\n" init "comm_create_group $half agreed=1" \
			"compute $((1000000 + r * 4)) t=0.001" \
				"irecv $(((r + 3) % 4)) 5 100 6 req=0 t=1e-6" \
				"isend $(((r + 1) % 4)) 5 100 6 req=1" \
			"irecv -2 5 100 6 req=2" "waitall 3 reqs=0-2 t=5e-6" \
				"sendRecv 8 $(((r + 2) % 4)) 8 $(((r + 2) % 4)) 6 6 tags=3,3"
		if ((r % 2)); then
			printf "$r %s\n" "recv $((r - 1)) 1 10 0 any=source" \
				"ssend $((r - 1)) 2 20 0"
		else
			printf "$r %s\n" "send $((r + 1)) 1 10 0" "recv $((r + 1)) 2 20 0"
		fi
		printf "$r %s\n" "compute 5000000 t=0.004" barrier "bcast 1000 1 6" \
			"allreduce 2 9e5 0" "reduce 3 0 2 0" "allreduce 2 0 0 comm=$((r % 2)).0" \
			"gather 100 100 1 6 6" "scatter 5 5 3 1 1" "allgather 7 7 6 6" \
				"alltoall 7 7 6 6" "allgatherv $((r + 1)) 1 2 3 4 6 6" \
			"scan 8 0 0" "ibcast 9 2 6 req=3" "compute 700 t=1e-5" \
				"iallreduce 1 30000 0 req=4" "wait req=3" "wait req=4" \
				"compute 12346 t=1e-5"
		echo "$r finalize"
	} >"$work/t/rank-$r.tit"
done
manifest() { # COUNTER RATE
	printf '%s\n' "# orrery-manifest 1" "program: ./prog" "arguments: -x 3" \
		"hosts: left,left,right,right" "mpi: Open MPI 4.1" "counter: $1" \
		"date: 2026-11-22T10:00:00Z" "tracer: orrery" "untraced: 12 MPI_Put" \
			"run: 0123456789abcdef" "processor: P" "unit: " "ranks: 4" \
			"nominal_rate: $2" \
		"complete: yes"
}
simulated() { timeout 60 "$ORRERY" replay "$1" -p "$SRC/tests/platforms/four.xml" -q 2>"$work/err" |
	grep 'simulated time'; }
actions() { # of a trace, without what has no record
	"$ORRERY" info "$1" --json >"$work/json" 2>"$work/err" || fail "info: $(cat "$work/err")"
	python3 -c 'import json, sys
a = json.load(open(sys.argv[1]))["by_action"]
shown = sorted(k for k in a if k not in ("irecv", "compute"))
print({k: (a[k]["events"], a[k]["bytes_sent"]) for k in shown})' "$work/json"
}

for counter in "papi 0" "cputime 2000000000"; do
	manifest $counter >"$work/t/manifest"
	"$ORRERY" convert "$work/t" -o "$work/a" -f otf2 --force 2>"$work/err" ||
		{ grep -q 'without libotf2' "$work/err" &&
		skip "no libotf2 (Debian: libotf2-trace-dev)";
		fail "convert: $(cat "$work/err")"; }
	archive=$work/a/traces.otf2
	otf2-print "$archive" >"$work/events" 2>"$work/err" || fail "otf2-print: $(cat "$work/err")"
	otf2-print -G "$archive" >"$work/definitions" 2>>"$work/err"
	otf2-print -I "$archive" >"$work/about" 2>>"$work/err"
	[[ ! -s $work/err ]] || fail "otf2-print has something to say: $(head -3 "$work/err")"
	# An Enter and a Leave each.
	calls=$(cat "$work"/t/rank-*.tit | grep -cvE '^#|compute')
	[[ $(grep -c '^ENTER' "$work/events") == "$calls" &&
		$(grep -c '^LEAVE' "$work/events") == "$calls" ]] ||
		fail "calls: $calls, $(grep -c '^ENTER' "$work/events")"
	for record in "MPI_SEND 8" "MPI_RECV 8" "MPI_ISEND 4" "MPI_ISEND_COMPLETE 4" \
		"MPI_IRECV_REQUEST 4" "MPI_IRECV 4" "MPI_COLLECTIVE_END 44" \
		"NON_BLOCKING_COLLECTIVE_REQUEST 8" "NON_BLOCKING_COLLECTIVE_COMPLETE 8"; do
		set -- $record
		[[ $(grep -c "^$1 " "$work/events") == "$2" ]] ||
			fail "$1: $(grep -c "^$1 " "$work/events"), not $2"
	done
	# Sums as Score-P has them: a root of four sends 4 x 1000; an inclusive scan of 64 bytes on
	# rank 3.
	grep -q '^MPI_COLLECTIVE_END .* Operation: BCAST.* Root: 1.* Sent: 4000, Received: 0' \
		"$work/events" || fail "bcast: $(grep BCAST "$work/events" | head -4)"
	grep -q '^MPI_COLLECTIVE_END  *3 .* Operation: SCAN.* Sent: 64, Received: 256' \
		"$work/events" || fail "scan: $(grep SCAN "$work/events")"
	for host in left right; do grep -q "^SYSTEM_TREE_NODE .*Name: \"$host\".*Class: \"node\"" \
		"$work/definitions" || fail "no host $host"; done
	grep -q '^LOCATION .*# Events: ' "$work/definitions" || fail "no counts of events"
	[[ $(grep -c '^METRIC_CLASS' "$work/definitions") == $([[ $counter == papi* ]] && echo 1 ||
		echo 0) ]] || fail "metric: $counter"
	grep -q 0123456789abcdef "$work/about" || fail "the run: $(cat "$work/about")"

	[[ $(actions "$work/t") == "$(actions "$archive")" ]] ||
		fail "$counter: $(actions "$work/t") became $(actions "$archive")"
	[[ $("$ORRERY" info "$work/t" --matrix) == "$("$ORRERY" info "$archive" --matrix)" ]] ||
		fail "$counter: messages"
	time=$(simulated "$work/t")
	[[ $time && $time == "$(simulated "$archive")" ]] ||
		fail "$counter: $time became $(simulated "$archive"): $(cat "$work/err")"
	"$ORRERY" convert "$archive" -o "$work/back" --force || fail "back"
	grep -v nominal_rate "$work/t/manifest" |
		diff - <(grep -v nominal_rate "$work/back/manifest") >"$work/diff" ||
		fail "the manifest: $(cat "$work/diff")"
done

# Communicators come back as they were, whatever the order of their members: one of these, a
# duplicate of the world, one of it. What is lost is what making them takes.
awk 'BEGIN {
	print "# orrery-trace 1 ranks=4"
	for (r = 0; r < 4; r++) {
		print r, "init"
		if (r != 1) print r, "comm_create_group comm=3.0 members=3,0,2 agreed=1"
		print r, "comm_create_group comm=0.1 members=0-3 agreed=1"
		if (r % 2 == 0)
			print r, "comm_create_group comm=0.2 parent=3.0 members=2,0 agreed=1"
		print r, "compute", 1000000 * (r + 1), "t=2e-3"
		if (r != 1) print r, "bcast 200000 1 6 comm=3.0"
		if (r != 1) print r, "gather 20000 20000 2 6 6 comm=3.0"
		if (r % 2 == 0) print r, "reduce 30000 0 1 0 comm=0.2"
		print r, "allreduce 2000 0 0 comm=0.1"
		print r, "bcast 70000 3 6"
		print r, "finalize"
	}
}' >"$work/comms"
"$ORRERY" convert "$work/comms" -o "$work/c" -f otf2 || fail "communicators"
[[ $(simulated "$work/comms") && $(simulated "$work/comms") == "$(simulated "$work/c")" ]] ||
	fail "communicators: $(simulated "$work/comms") became $(simulated "$work/c")"
sed 's/comm_create_group comm=0.1.*/comm_dup comm=0.1 members=0-3/' "$work/comms" >"$work/made"
"$ORRERY" convert "$work/made" -o "$work/c" -f otf2 --force 2>"$work/err" &&
	grep -q '4 calls that make communicators were left out' "$work/err" ||
	fail "no word of what making them takes: $(cat "$work/err")"
[[ $(simulated "$work/comms") == "$(simulated "$work/c")" ]] ||
	fail "communicators that were made: $(simulated "$work/c")"

# No manifest: none comes back.
rm "$work/t/manifest"
"$ORRERY" convert "$work/t" -o "$work/a" -f otf2 >/dev/null 2>"$work/err" &&
	fail "an archive is overwritten without --force"
"$ORRERY" convert "$work/t" -o "$work/a" -f otf2 --force || fail "overwriting"
[[ $(simulated "$work/t") == "$(simulated "$work/a/traces.otf2")" ]] || fail "without manifest"
[[ $(simulated "$work/a") == "$(simulated "$work/a/traces.otf2")" ]] ||
	fail "the folder of an archive: $(cat "$work/err")"
touch "$work/a/mine"
"$ORRERY" convert "$work/t" -o "$work/a" -f otf2 --force 2>"$work/err" &&
	fail "a folder that is no archive is overwritten"
# More than libotf2 holds of a rank at a time (1 MiB), all at one date, since nothing takes time:
# with 0 for that date it reads such an archive again and again.
awk 'BEGIN {
	for (r = 0; r < 2; r++) {
		print r, "init"
		for (i = 0; i < 50000; i++) print r, r ? "recv 0" : "send 1", i, "100 6"
		print r, "finalize"
	} }' >"$work/timeless"
"$ORRERY" convert "$work/timeless" -o "$work/long" -f otf2 || fail "an archive of one date"
[[ $(stat -c %s "$work/long/traces/0.evt") -gt $((1 << 20)) ]] || fail "the archive is not long"
(ulimit -t 10 && "$ORRERY" info --json "$work/long") >"$work/info" 2>"$work/err" ||
	fail "an archive of one date is not read: $(cat "$work/err")"
grep -q '100004' "$work/info" || fail "an archive of one date: $(cat "$work/info")"
printf '# orrery-trace 1 ranks=1\n0 init\n0 open data file=0\n0 finalize\n' >"$work/files"
"$ORRERY" convert "$work/files" -f otf2 -o "$work/none" >/dev/null 2>"$work/err"
[[ $? == 2 ]] && grep -q 'open has no form' "$work/err" && [[ ! -e $work/none ]] ||
	fail "files: $(cat "$work/err")"
exit 0
