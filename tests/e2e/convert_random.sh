#!/bin/bash
# convert_random.sh: random programs in SimGrid's plain form, whose waits name a request by its ends
# and tag or wait for all, go to Dimemas, GOAL and OTF2 and back: the messages between all ranks and
# the collectives are the same, and a ring out of OTF2 takes the same time.
. "$SRC/tests/need.bash"
need python3:python3
scratch
matrix() { "$ORRERY" info -q "$1" --matrix; }
collectives() { # their events and bytes
	"$ORRERY" info -q "$1" --json | python3 -c '
import json, sys
for name, a in sorted(json.load(sys.stdin)["by_action"].items()):
    if name in ("barrier", "bcast", "reduce", "allreduce", "gather", "allgather", "alltoall"):
        print(name, a["events"], a["bytes_sent"])'
}
time_of() { "$ORRERY" replay -q "$1" -p graphene | tail -1; }
forms="dimemas goal"
"$ORRERY" help convert | grep -q otf2 && forms+=" otf2"
for kind in ring p2p cg mix; do
	python3 "$SRC/tests/peer/traces.py" $kind 8 1 $kind || exit 2
	for form in $forms; do
		out=$kind.$form
		if ! "$ORRERY" convert -q $kind/list -f $form -o "$out" 2>err; then
			grep -q "without libotf2" err || bad "$kind to $form: $(<err)"
			continue
		fi
		[[ $form != goal* || $kind == ring || $kind == p2p ]] || continue # as messages
		diff <(matrix $kind/list) <(matrix "$out") >d || bad "$out: messages: $(head -3 d)"
		diff <(collectives $kind/list) <(collectives "$out") >d ||
			bad "$out: collectives: $(head -3 d)"
	done
done
if [[ -e ring.otf2 ]]; then # Dimemas has times, which another machine does not take
	[[ $(time_of ring/list) == "$(time_of ring.otf2)" ]] ||
		bad "ring of OTF2: $(time_of ring.otf2), not $(time_of ring/list)"
fi
# A wait for the latest request, of old; a test that does not say what it completed is told.
printf '0 init\n0 Irecv 1 10\n0 Irecv 1 20\n0 wait\n0 wait\n0 finalize\n' >old
printf '1 init\n1 Isend 0 10\n1 Isend 0 20\n1 wait\n1 wait\n1 finalize\n' >>old
"$ORRERY" convert -q old -f goal -o old.goal || bad "waits for the latest"
diff <(matrix old) <(matrix old.goal) || bad "waits for the latest: messages"
printf '0 init\n0 irecv 0 5 10\n0 isend 0 5 10\n0 test 0 0 5\n0 waitall\n0 finalize\n' >tests
"$ORRERY" convert tests -f dimemas -o tests.dim 2>err
grep -q "1 tests that do not say what they completed" err || bad "a test: $(<err)"
exit "$failed"
