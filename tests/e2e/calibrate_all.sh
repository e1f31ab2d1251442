#!/bin/bash
# orrery calibrate without a word: network, processors, memory and noise in turn, one machine and
# one page of all; interrupted, the same command goes on; another command does not take what it
# left. The launcher is made up: it answers the measuring program's plans as two hosts would, and
# starts everything else as it is, twice, as mpirun -np 2 does.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
failed=0
same() { [ "$2" = "$3" ] || { echo "$1: expected '$2', got '$3'"; failed=1; }; }
has() { grep -q -- "$2" "$3" || { echo "$1: no '$2' in $3:"; cat "$3"; failed=1; }; }
cat >launcher <<'FAKE'
#!/bin/bash
echo "$*" | sed 's/.*calibrate \([a-z]*\).*/\1/; s/.*measure.*/measure/' >>runs
if [[ $1 != */measure ]]; then
	[[ -e stop && "$*" == *"calibrate memory"* ]] && exit 3
	"$@" & "$@" & wait -n || exit; wait -n; exit
fi
bash "$SRC/tests/e2e/lib/two_hosts.sh" "$2" >"$3"
FAKE
chmod +x launcher
calibrate() { "$ORRERY" calibrate -o m.xml --mpicc true --samples 200 --time 2 -- "$@" >out 2>&1; }
touch stop
calibrate ./launcher
same "interrupted at the memory" 3 $?
[ ! -e m.xml ] && [ -e m.xml.parts/network.csv ] && [ -e m.xml.parts/processor ] ||
	{ echo "what was measured is lost"; ls -R; failed=1; }
calibrate ./launcher -x
same "another command" 2 $?
has "another command" "unfinished calibration of another command" out
rm stop runs
calibrate ./launcher
same "again" 0 $?
has "again" "1 of 4: network (was measured before)" out
same "what was measured again" "memory noise" "$(sort -u runs | paste -sd' ')"
same "what is left" "launcher m.html m.xml out runs" "$(ls | paste -sd' ')"
"$ORRERY" platform check m.xml >out 2>&1
same "the machine is a platform" 0 $?
for word in '^  rate-flops: ' 'smpi/copy-rate' 'smpi/reduce-rate' 'network/latency-factor' \
	"core=\"$(nproc)\""; do has "the machine" "$word" m.xml; done
for word in 'half a round trip' 'Processors' 'Memory' 'Noise of the operating system' '</html>';
	do has "the page" "$word" m.html; done
same "ends of the page" 1 "$(grep -c '</html>' m.html)"
# Its rate of flops, with its source, is what a trace that counts flops is replayed at.
mkdir flops
printf '# orrery-manifest 1\nranks: 1\nunit: flops\ncomplete: yes\n' >flops/manifest
printf '# orrery-trace 1\n0 init\n0 compute 1e9\n0 finalize\n' >flops/rank-0.tit
"$ORRERY" replay flops -p m.xml --json >out 2>err || { cat err; failed=1; }
python3 - out m.xml <<'END' || failed=1
import json, re, sys
time = json.load(open(sys.argv[1]))["simulated_time"]
rate = float(re.search(r"rate-flops: (\S+) ", open(sys.argv[2]).read()).group(1))
assert abs(time * rate / 1e9 - 1) < 1e-6, (time, rate)
END
"$ORRERY" calibrate >out 2>&1
same "nothing said" 2 $?
has "nothing said" "orrery calibrate -o machine.xml -- mpirun" out
"$ORRERY" calibrate --model 2 -o x -- true >out 2>&1
same "an option of a kind" 2 $?
exit $failed
