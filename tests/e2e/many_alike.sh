#!/bin/bash
# Many transfers at a time cost what they are, not their square: gets of one pair in one epoch,
# synchronous sends of one pair, windows of one communicator, messages of all ranks behind one
# shared backbone. Dates by a formula; of the time, that four times as many take less than nine
# times as long (were each change to touch all, it would be sixteen). Twice, as other programs
# disturb the clock.
# One link is full from the first to the last: latencies + (bytes + 16 a message) / bandwidth.
. "$SRC/tests/need.bash"
scratch
grep -q '^ORRERY_SANITIZE:STRING=..*' "$(dirname "$ORRERY")/CMakeCache.txt" &&
	{ echo "a sanitizer takes time of its own: not measured"; exit 0; }
asked= # of a replay, more than its time
plain="--cfg network/model:CM02 --cfg network/crosstraffic:no --cfg network/TCP-gamma:0"
cluster() { # RANKS ATTRIBUTES: m.xml
	printf '%s\n' '<?xml version="1.0"?>' \
		'<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
		'<platform version="4.1">' \
		"<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-$(($1 - 1))\"" \
		" speed=\"1Gf\" bw=\"100MBps\" lat=\"10us\" $2/></platform>" >m.xml
}
gets() { # N: 32 KiB each, from rank 1 to rank 0
	awk -v n="$1" 'BEGIN {
		for (r = 0; r < 2; r++) {
			print r " init"
			print r " win_create 65536 win=0"
			print r " win_fence win=0"
			for (i = 0; r == 0 && i < n; i++) print "0 get 1 32768 6 win=0"
			print r " win_fence win=0"; print r " win_free win=0"; print r " finalize"
		} }' >t
}
sends() { # N: of 100,000 bytes, all outstanding
	awk -v n="$1" 'BEGIN {
		for (r = 0; r < 2; r++) {
			print r " init"
			for (i = 0; i < n; i++)
				print r (r ? " irecv 0 " : " issend 1 ") i " 100000 6 req=" i
			print r " waitall " n; print r " finalize"
		} }' >t
}
crowd() { # N: of 1 to 2 MB, to the next of 64 ranks, all outstanding
	awk -v n="$1" 'BEGIN {
		for (r = 0; r < 64; r++) {
			print r " init"
			for (i = 0; i < n / 64; i++) {
				print r " irecv " (r + 63) % 64 " " i " 2000000 6 req=" 2 * i
				bytes = 1000000 + (r * 7919 + i * 104729) % 1000003
				print r " isend " (r + 1) % 64 " " i " " bytes " 6 req=" 2 * i + 1
			}
			print r " waitall " 2 * i; print r " finalize"
		} }' >t
}
started() { # N: reductions by each of 2 ranks, all outstanding
	awk -v n="$1" 'BEGIN {
		for (r = 0; r < 2; r++) {
			print r " init"
			for (i = 0; i < n; i++) print r " iallreduce 10 0 6 req=" i
			print r " waitall"; print r " finalize"
		} }' >t
}
windows() { # N: of 2 ranks, all there, the last freed and made again N times
	awk -v n="$1" 'BEGIN {
		for (r = 0; r < 2; r++) {
			print r " init"
			for (i = 0; i < n; i++) print r " win_create 8 win=" i
			for (i = 0; i < n; i++) {
				print r " win_free win=" n - 1; print r " win_create 8 win=" n - 1
			}
			for (i = 0; i < n; i++) print r " win_free win=" i
			print r " finalize"
		} }' >t
}
unlike() { # N: messages of one rank to the others, of 1 to 2 MB, all outstanding
	cluster "$1" ""
	awk -v n="$1" 'BEGIN {
		print "0 init"
		for (i = 1; i < n; i++)
			print "0 isend " i " 0 " 1000000 + i * 104729 % 1000003 " 6 req=" i
		print "0 waitall"; print "0 finalize"
		for (i = 1; i < n; i++) print i " init\n" i " recv 0 0 2000000 6\n" i " finalize"
	}' >t
}
replay() { # NAME: seconds of processor time in $cost, the simulated time in $date
	local out
	# shellcheck disable=SC2086
	out=$({ TIMEFORMAT=%U; time "$ORRERY" replay -q t -p m.xml $plain $asked 2>&1; } 2>time) ||
		bad "$1: $out"
	cost=$(cat time)
	date=$(sed -n 's/^simulated time: \([^ ]*\) s$/\1/p' <<<"$out")
}
near() { # NAME WANTED TOLERANCE
	awk -v got="$date" -v want="$2" -v most="$3" -v name="$1" 'BEGIN {
		d = got - want; if (d < 0) d = -d
		if (got != "" && d <= most * want) exit 0
		printf "%s: ends at %s s, not %.9f\n", name, got, want; exit 1 }' || failed=1
}
grows() { # KIND N: that 4 N cost less than 9 times N
	local try few
	for try in 1 2; do
		"$1" "$2"
		replay "$1"
		few=$cost
		"$1" $((4 * $2))
		replay "$1"
		awk -v a="$few" -v b="$cost" 'BEGIN { exit !(b < 9 * a + 0.05) }' && return
	done
	bad "$1: $2 take $few s, $((4 * $2)) take $cost s"
}
cluster 2 ""
grows gets 25000
# All requests (16 bytes) arrive together, then the answers go; fences: some latencies.
near gets "$(awk 'BEGIN { printf "%.9f", 100000 * (16 + 32768 + 16) / 1e8 }')" 2e-5
grows sends 2000
near sends "$(awk 'BEGIN { printf "%.9f", 20e-6 + 8000 * 100016 / 1e8 }')" 1e-6
grows windows 3000
# To explain a rank or a message that has many beside it, too.
asked="--explain rank:0"
grows started 8000
asked="--explain message:1"
grows unlike 1000
asked=
cluster 64 'bb_bw="100MBps" bb_lat="10us"'
grows crowd 4096
near crowd "$(awk '/isend/ { n += $5 + 16 } END { printf "%.9f", 30e-6 + n / 1e8 }' t)" 1e-6
# What is exchanged for a communicator or a collective access to a file grows with n log n, though
# nobody says which library it is and SimGrid's default allgather sends from each to each. n a power
# of two: log2 n rounds, in each one message of each rank (dissemination, recursive doubling), and a
# broadcast of n - 1.
messages() { # NAME RANKS ALL_RANKS' LINE WANTED
	awk -v n="$2" -v line="$3" 'BEGIN {
		for (r = 0; r < n; r++) {
			print r " init"; print r " file_open f comm=world file=0"
			of = line; gsub("PAIR", r - r % 2 "," r - r % 2 + 1, of)
			gsub("FIRST", r - r % 2, of); print r " " of; print r " finalize"
		} }' >t
	"$ORRERY" replay -q t -p m.xml --oversubscribe >out 2>&1 || bad "$1: $(cat out)"
	grep -q "actions, $4 messages" out ||
		bad "$1 of $2 ranks: not $4 messages: $(grep 'actions,' out)"
}
n=1024 opened=$((1024 * 10))
messages split $n "comm_split comm=FIRST.1 parent=world members=PAIR" \
	$((opened + n * 10 + n * 10 + n - 1))
messages write_all $n "file_write_all 1000 6 file=0" $((opened + n * 10))
exit $failed
