#!/bin/bash
# orrery calibrate network without MPI: a launcher made up, which answers the first plans as two
# hosts would, and then fails, or is interrupted. What was measured is kept, the folder of the
# measuring program is not; files that cannot be written are refused before anything is measured.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }
# launcher PROGRAM PLAN OUT SECONDS: the second run of several lines fails
cat >launcher <<'FAKE'
#!/bin/bash
echo run >>runs
lines=$(wc -l <"$2")
if [ "$lines" -gt 1 ] && [ -e measured ]; then
	[ "$HOW" = fail ] && exit 3
	touch waiting
	exec sleep 100
fi
[ "$lines" -gt 1 ] && touch measured
bash "$SRC/tests/e2e/lib/two_hosts.sh" "$2" >"$3"
FAKE
chmod +x launcher
calibrate() { "$ORRERY" calibrate network -o m.xml --raw raw.csv --mpicc true --samples 200 "$@" \
	-- ./launcher; }
HOW=fail calibrate >out 2>&1
same "a run that fails" 2 $?
grep -q "launcher failed with exit code 3" out || { cat out; failed=1; }
same "its folder" "" "$(ls -d orrery-calibrate-* 2>/dev/null)"
[ "$(grep -c ^pingpong, raw.csv)" = 200 ] ||
	{ echo "raw.csv: what was measured is lost"; failed=1; }
[ ! -e m.xml ] || { echo "a platform of half a calibration"; failed=1; }
"$ORRERY" calibrate network --from raw.csv -o again.xml >/dev/null 2>&1
same "what was kept, fitted" 0 $?

# Ranks of one host: it has as many cores as ranks, or as processors if these are told and more; or
# what --cores says. Hosts have one.
cores() { "$ORRERY" calibrate network --from "$1" "${@:2}" 2>/dev/null | grep -o 'core="[0-9]*"'; }
sed 's/# hosts: a,b/# hosts: a,a/' raw.csv >one.csv
{ echo "# processors of a host: 6"; cat one.csv; } >six.csv
same "two hosts" 'core="1"' "$(cores raw.csv)"
same "one host" 'core="2"' "$(cores one.csv)"
same "one host of six processors" 'core="6"' "$(cores six.csv)"
same "one host, --cores" 'core="3"' "$(cores six.csv --cores 3)"

# Other programs had the processors meanwhile: a little is told; much makes the result one that is
# not to be used, and says so: exit code 1, the head of the platform, and every prediction on it. So
# does a latency that nobody can tell.
busy() { { echo "# processors in use by others: $1 of all, for 10 s"; cat raw.csv; } >busy.csv;
	"$ORRERY" calibrate network --from busy.csv -o busy.xml >out 2>&1; }
busy 0.05
same "others use 5 %" 0 $?
grep -q "other programs used 5 %" out || { cat out; failed=1; }
busy 0.4
same "others use 40 %" 1 $?
grep -q "written to .*, and not to be used" out || { cat out; failed=1; }
grep -q "calibration: none that is to be used: other programs used 40 %" busy.xml ||
	{ echo "busy.xml does not say it"; failed=1; }
"$ORRERY" replay "$SRC/tests/golden/cases/two.trace" -p busy.xml >out 2>&1
grep -q "not to be used" out || { echo "a prediction on busy.xml"; cat out; failed=1; }
awk -F, -v OFS=, 'BEGIN { srand(7) }
	$1 == "pingpong" { $7 = 1e-4 * exp(3 * (rand() - 0.5) * 4) }
	{ print }' raw.csv >wild.csv
"$ORRERY" calibrate network --from wild.csv -o wild.xml >out 2>&1
same "measurements without sense" 1 $?

rm -f raw.csv measured
HOW=wait "$ORRERY" calibrate network -o m.xml --raw raw.csv --mpicc true --samples 200 -- \
	./launcher >out 2>&1 &
pid=$!
until [ -e waiting ] || ! kill -0 $pid 2>/dev/null; do sleep 0.05; done
kill -TERM $pid
wait $pid
same "interrupted" 2 $?
grep -q "launcher was ended by signal 15" out || { cat out; failed=1; }
same "its folder" "" "$(ls -d orrery-calibrate-* 2>/dev/null)"
[ "$(grep -c ^pingpong, raw.csv)" = 200 ] ||
	{ echo "raw.csv: what was measured is lost by a signal"; failed=1; }

# a launcher that starts nothing, and one whose file cannot be looked at: two causes
printf '%s\n' '#!/bin/sh' 'exit 0' >nothing
printf '%s\n' '#!/bin/sh' 'ln -s "$3" "$3"' >circle
chmod +x nothing circle
for launcher in nothing circle; do
	"$ORRERY" calibrate network -o m.xml --mpicc true --samples 200 -- ./$launcher >out 2>&1
	same "launcher $launcher" 2 $?
	same "launcher $launcher: nothing measured" $([ $launcher = nothing ] && echo 1 || echo 0) \
		"$(grep -c 'but nothing was measured' out)"
done
grep -q "symbolic links" out || { cat out; failed=1; }

rm -f runs
for option in --raw --report -o; do
	"$ORRERY" calibrate network $option missing/x --mpicc true -- ./launcher >out 2>&1
	same "$option missing/x" 2 $?
	grep -q "cannot write missing/x" out || { cat out; failed=1; }
done
# a compiler of MPI without the header, as Debian's openmpi-bin has alone; another failure is
# another
printf '%s\n' '#!/bin/sh' 'echo "fatal error: ${header:-mpi.h}: No such file" >&2' 'exit 1' >cc.sh
chmod +x cc.sh
for header in mpi.h stdio.h; do
	header=$header "$ORRERY" calibrate network --mpicc ./cc.sh -- ./launcher >out 2>&1
	same "no $header" 2 $?
	package=$(grep -c 'finds no mpi.h (Debian: libopenmpi-dev' out)
	same "no $header: the package" $([ $header = mpi.h ] && echo 1 || echo 0) "$package"
done
[ ! -e runs ] || { echo "measured before files were looked at"; failed=1; }
exit $failed
