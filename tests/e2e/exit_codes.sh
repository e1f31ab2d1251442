#!/bin/bash
# Exit codes, verb by verb (docs/security.md): 0 it is done; 1 the program that is simulated or
# measured failed, or the answer is no; 2 bad usage or input; 3 a limit of this computer; and the
# code of a command that a verb runs for the user. With 1, 2 and 3 something is said.
. "$SRC/tests/need.bash"
scratch
verb_inputs
printf '0 recv 1 0 1e6 6\n1 recv 0 0 1e6 6\n' >deadlock
printf '0 send 1 0 1000 6\n1 recv 0 0 10 6\n' >truncated
echo junk >junk
printf '#!/bin/sh\necho "mpirun (Open MPI) 4.1.4"; [ "$1" = --version ] || exit 5\n' >mpirun
chmod +x mpirun
tried=0
while read -r code words; do
	[[ $words ]] || continue
	if [[ $code == 3 ]]; then
		timeout 20 "$ORRERY" $words >/dev/full 2>err </dev/null
	else
		timeout 20 "$ORRERY" $words >out 2>err </dev/null
	fi
	found=$?
	grep -qE 'was built without|when orrery was built|was not built' err && continue
	[[ $found == "$code" ]] || bad "exit code $found, not $code: $words: $(head -c 200 err)"
	[[ $code == 0 || -s err || -s out ]] || bad "exit code $code in silence: $words"
	tried=$((tried + 1))
done <<'END'
2 none
0 version
2 version x
3 version
0 help
2 help none
3 help man
0 info c
2 info none
2 info junk
3 info c
0 replay -q two.trace -p two.xml
1 replay -q deadlock -p two.xml
1 replay -q deadlock -p two.xml --json
1 replay -q truncated -p two.xml
2 replay -q two.trace -p none
2 replay -q two.trace -p two.xml --ppn 0
3 replay -q two.trace -p two.xml
0 convert -q two.trace -o new
2 convert -q two.trace -o new
2 convert -q none -o other
3 convert -q two.trace -f merged -o -
0 gather d --pack
2 gather none --pack
2 gather none -o gathered
2 gather d none -o gathered
3 gather d --pack
0 platform list
0 platform show two.xml
2 platform show none
2 platform check junk
2 platform generate flat 0
3 platform list
0 export -q run.rec -f csv -o -
2 export -q junk -f csv -o -
3 export -q run.rec -f csv -o -
0 coll bcast -q -p two.xml -n 2 --bytes 8 -j 1
2 coll bcast -q -p two.xml -n 3 --bytes 8 -j 1
3 coll bcast -q -p two.xml -n 2 --bytes 8 -j 1
0 tune -q -p two.xml -n 2 --bytes 8 --operations bcast -j 1
2 tune -q -p two.xml -n 2 --bytes 8 --operations none -j 1
3 tune -q -p two.xml -n 2 --bytes 8 --operations bcast -j 1
0 diff run.rec timed
2 diff run.rec junk
3 diff run.rec timed
0 calibrate cpu -q timed
2 calibrate cpu -q junk
3 calibrate cpu -q timed
0 calibrate network -q --from network.csv
1 calibrate network -q --from network.csv --bandwidth 4294967296
2 calibrate network -q --from junk
2 calibrate noise -q --from junk
2 calibrate kernel -q --from junk
2 calibrate
0 can-run /bin/sh
1 can-run junk
2 can-run none
0 cc -show x.c
1 cc none.c
2 run -q -n 1 -p two.xml
2 run -q -n 1 -p two.xml --computation none -- ./none
1 run -q -n 1 -p two.xml --computation none -- false
0 run -q -n 1 -p two.xml --computation none -- true
2 trace -f -o traced -- true
END
((tried > 50)) || bad "$tried commands were tried"
if [[ -f $ORRERY_TRACER_DIR/liborrery-trace-openmpi.so ]]; then
	"$ORRERY" trace -f -o traced -- ./mpirun -np 1 true >out 2>err </dev/null
	[[ $? == 5 && -s err ]] || bad "the code of a command that is traced: $(cat err)"
fi
# A simulation that is told to end. (INT is the terminal's, which tells all of its processes.)
if "$ORRERY" run -q -n 1 -p two.xml -- true >out 2>err; then
	for asked in TERM:143 HUP:129; do
		rm -f begun
		"$ORRERY" run -q -n 1 -p two.xml -- sh -c '>begun; exec sleep 60' >out 2>err &
		for ((i = 0; i < 200; i++)); do [[ -e begun ]] && break || sleep 0.05; done
		kill -s ${asked%:*} $!
		wait $! 2>err
		found=$?
		[[ $found == "${asked#*:}" ]] || bad "exit code $found of run, $asked: $(cat err)"
	done
fi
exit $failed
