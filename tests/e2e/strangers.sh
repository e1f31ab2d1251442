#!/bin/bash
# What others wrote lets nobody in (docs/security.md): no file loads an object, names send nothing
# to the terminal, no input is a FIFO or a device that is waited for, a trace is its owner's, and
# what was started ends with orrery.
. "$SRC/tests/need.bash"
need python3:python3
scratch
verb_inputs

# --- objects ---
cat >evil.c <<'END'
#include <stdio.h>
__attribute__((constructor)) static void here(void)
{
	fclose(fopen("LOADED", "w"));
}
END
cc -shared -fPIC -o evil.so evil.c || exit 2
cp evil.so hybrid.so
sub="<config><prop id='network/model' value='%s'/></config>"
echo 'network/weight-S:1 @settings' >settings
"$ORRERY" replay -q two.trace -p two.xml --cfg @settings >out 2>err
[[ $? == 2 ]] && grep -q "does not name another" err ||
	bad "a file of settings that names itself: $(cat err)"
for object in ./evil.so evil.so "$tmp/evil.so" "$tmp/../${tmp##*/}/evil.so" evil hybrid.so; do
	sed "s#<zone id=#$(printf "$sub" "$object")&#" two.xml >evil.xml
	echo "network/model:$object" >settings
	echo "network/model:LV08 smpi/os:0:0:0,network/model:$object" >later
	for words in "replay -q two.trace -p evil.xml" \
		"coll bcast -p evil.xml -n 2 --bytes 8 -j 1" \
		"tune -p evil.xml -n 2 --bytes 8 --operations bcast -j 1" \
		"platform show evil.xml --route a,b" "platform check evil.xml" \
			"replay -q two.trace -p two.xml --cfg @settings" \
		"replay -q two.trace -p two.xml --cfg @later"; do
		LD_LIBRARY_PATH=$tmp "$ORRERY" $words >out 2>err
		[[ $? == 2 || $words == platform* ]] ||
			bad "a file names $object: exit code: $words: $(cat err)"
		[[ -e LOADED ]] && bad "a file loaded $object: $words"
		rm -f LOADED
	done
done
echo 'network/model:LV08 smpi/coll-selector:file:./rules' >settings
echo '0' >rules
"$ORRERY" replay -q two.trace -p two.xml --cfg @settings >out 2>err ||
	bad "a path that is no object, in a file: $(cat err)"
for object in ./evil.so evil.so "../${tmp##*/}/evil.so"; do
	LD_LIBRARY_PATH=$tmp "$ORRERY" replay -q two.trace -p two.xml --model $object >out 2>err
	[[ $? == 2 && ! -e LOADED ]] || bad "the command line loads $object: $(cat err)"
	grep -q 'absolute path' err || bad "$object is refused: $(cat err)"
done
"$ORRERY" replay -q two.trace -p two.xml --model "$tmp/evil.so" >out 2>err
[[ -e LOADED ]] || bad "the command line does not load an object"

# --- control characters: in names of files, of a trace's program, of a machine, in settings ---
red=$'\x1b[31mX\x1b]0;t\x07'
c1=$'\xc2\x9b31m'
cp -r d strange
sed -i "s/^program: .*/program: p$red$c1/; s/^hosts: .*/hosts: h$red/
	s/^counter: .*/counter: c$red/; s/^mpi: .*/mpi: M$red/
	s/^arguments:.*/arguments: a$red/; s/^untraced:.*/untraced: u$red/" strange/manifest
sed 's/"a"/"a\&#x9b;31m"/; s/"z"/"z\&#x9b;2J"/; s/"l"/"l\&#x9b;2J"/' two.xml >strange.xml
echo "$red:1" >settings
echo "a$red" >hosts
shown() {
	timeout 20 "$ORRERY" "$@" >out 2>err </dev/null
	for file in out err; do
		LC_ALL=C grep -aP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' $file >controls &&
			bad "sent to $file: $*: $(head -2 controls | cat -v)"
	done
}
shown info strange
grep -q '\\x1b\[31mX' out || bad "a name is not shown: $(cat out)"
shown info strange --json
python3 -c 'import json
program = json.load(open("out"))["program"]
assert program == "p\x1b[31mX\x1b]0;t\x07\x9b31m", program' || bad "JSON of a strange name"
shown replay strange -p two.xml
shown replay strange -p strange.xml --profile --explain message:1
shown replay two.trace -p strange.xml --json
shown replay two.trace -p "$red"
shown replay "$red" -p two.xml
shown replay two.trace -p two.xml --cfg @settings
shown replay two.trace -p two.xml --hostfile hosts
shown platform show strange.xml --hosts
shown platform show strange.xml --json
shown platform show strange.xml --route "a${c1},b"
shown platform check strange.xml
shown coll bcast -p strange.xml -n 2 --bytes 8 -j 1
shown diff strange d
shown convert strange -o "$red" --force
python3 - "$ORRERY" <<'END' || bad "control characters sent to a terminal"
import os, pty, re, sys
for words in (["info", "strange"],
              ["platform", "generate", "flat", "2", "--name", "a\x1b[2J", "-q"],
              ["convert", "-q", "timed", "-f", "merged", "-o", "-"],
              ["replay", "strange", "-p", "strange.xml", "--profile"]):
    pid, fd = pty.fork()
    if pid == 0:
        os.execv(sys.argv[1], [sys.argv[1]] + words)
    text = b""
    while True:
        try:
            more = os.read(fd, 65536)
        except OSError:
            break
        if not more:
            break
        text += more
    os.waitpid(pid, 0)
    text = re.sub(rb"\x1b\[[0-9;]*[mK]|\r", b"", text)
    if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", text) or not text:
        print(words, text)
        sys.exit(1)
END

# --- settings from a pipe: all of them, also from one who is slow; none where nobody writes yet ---
echo 'smpi/os:0:0.5:0' >slow.cfg
"$ORRERY" replay -q two.trace -p two.xml --json --cfg @slow.cfg >from_file ||
	bad "settings of a file"
"$ORRERY" replay -q two.trace -p two.xml --json --cfg @<(sleep 0.5; cat slow.cfg) >from_pipe ||
	bad "settings of a pipe"
time_of() { grep -o '"simulated_time":[^,]*' "$1"; }
[[ $(time_of from_file) == "$(time_of from_pipe)" && $(time_of from_file) ]] ||
	bad "settings of a slow pipe: $(time_of from_pipe), not $(time_of from_file)"
mkfifo early
timeout 10 "$ORRERY" replay -q two.trace -p two.xml --cfg @early >out 2>err
[[ $? == 2 ]] && grep -q 'nobody writes to' err || bad "a pipe without a writer: $(cat out err)"

# --- FIFOs that nobody writes to, devices without end ---
mkfifo fifo
verbs=0
while read -r words; do
	[[ $words ]] || continue
	for input in fifo /dev/zero /dev/null /dev/full; do
		timeout 10 "$ORRERY" ${words//=/$input} >out 2>err </dev/null
		code=$?
		# an empty file
		[[ $code == 0 && $words == *"--cfg"* && $input == /dev/null ]] && continue
		[[ $code == [123] && -s err ]] ||
			bad "exit code $code of orrery ${words//=/$input}: $(head -c 200 err)"
	done
	verbs=$((verbs + 1))
done <<'END'
replay -q = -p two.xml
replay -q two.trace -p =
replay -q two.trace -p two.xml --hostfile =
replay -q two.trace -p two.xml --rates =
replay -q two.trace -p two.xml --cfg @=
replay -q two.trace -p two.xml --selector file:=
replay -q two.trace -p two.xml --model =
convert -q = -o new --force
info =
diff = timed
diff run.rec =
export = -f csv -o -
coll bcast -p = -n 2 --bytes 8 -j 1
coll bcast -p two.xml -n 2 --bytes 8 -j 1 --hostfile =
coll bcast -p two.xml -n 2 --bytes 8 -j 1 --selector file:=
tune -p = -n 2 --bytes 8 --operations bcast -j 1
tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1 --hostfile =
platform show =
platform check =
calibrate network --from =
calibrate kernel --from =
calibrate noise --from =
calibrate memory --from =
calibrate cpu =
calibrate cpu timed --volumes =
gather = -o new --force
run -q -p = -n 1 -- true
run -q -p two.xml -n 1 --hostfile = -- true
run -q -p two.xml -n 1 --kernel dgemm_== -- true
run -q -p two.xml -n 1 -- ./=
trace -f -o new -- ./=
END
[[ $verbs == 31 ]] || bad "$verbs commands"
for words in "replay -q two.trace -p two.xml --model $tmp/fifo" "info c --handlers $tmp/fifo"; do
	timeout 10 "$ORRERY" $words >out 2>err
	[[ $? == 2 ]] || bad "exit code of $words: $(cat err)"
done
for file in rank-0.tit rank-0.log events manifest; do # in a folder
	rm -rf piped
	cp -r d piped
	rm -f piped/$file
	mkfifo piped/$file
	for words in "info piped" "replay -q piped -p two.xml" "convert -q piped -o new --force" \
		"gather piped -o new --force"; do
		timeout 10 "$ORRERY" $words >out 2>err </dev/null
		code=$?
		[[ $code == [0123] ]] ||
			bad "exit code $code of $words with a FIFO as $file: $(head -c 200 err)"
	done
done
"$ORRERY" replay -q two.trace -p two.xml --hostfile <(printf 'a\nb\n') --cfg \
	@<(echo network/weight-S:1) >out 2>err || bad "pipes as inputs: $(cat err)"

# --- names that a shell would run: hosts of gather, machines that completion offers ---
printf '#!/bin/sh\nexit 7\n' >rsh && chmod +x rsh
for host in "a'\$(touch ENTERED)'b" 'a;touch ENTERED' '-oProxyCommand=touch ENTERED' ''; do
	"$ORRERY" gather -o new --force --shell ./rsh -- "$host:folder" d >out 2>err
	code=$?
	[[ $code == [23] && ! -e ENTERED ]] || bad "gather from '$host': $code: $(cat err)"
	[[ $host != -* && $host ]] || grep -q 'no name of a host' err || bad "'$host': $(cat err)"
	rm -f ENTERED
done
mkdir -p names/machines && cp two.xml names/machines/plain.xml
for name in 'a$(touch${IFS}ENTERED)' 'a`touch${IFS}ENTERED`' 'a;touch ENTERED' 'a|touch ENTERED'; do
	cp two.xml "names/machines/$name.xml"
done
"$ORRERY" help completion >completion
PATH=$(dirname "$ORRERY"):$PATH ORRERY_DATA=$tmp/names bash -c 'source ./completion
	COMP_WORDS=(orrery replay -p "") COMP_CWORD=3 COMPREPLY=()
	_orrery 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' >out
grep -qx plain out || bad "completion of a machine: $(cat out)"
[[ ! -e ENTERED ]] || bad "completion ran a machine's name"

# --- a trace is its owner's ---
umask 022
"$ORRERY" trace --help >out 2>&1
for mpi in openmpi mpich; do
	command -v mpicc.$mpi >/dev/null || continue
	mpicc.$mpi -w -O1 -o solo "$SRC/tests/programs/solo.c" >out 2>&1 ||
		{ bad "$mpi: $(cat out)"; continue; }
	for form in text compressed; do
		"$ORRERY" trace -f -q --form $form -o traced -- ./solo >out 2>err
		[[ $? == 7 ]] || bad "$mpi: $(cat err)"
		others=$(find traced ! -type l -perm /077 -printf '%m %p\n')
		[[ -z $others && -f traced/manifest ]] ||
			bad "$mpi, $form: others may read: $others"
		for to in folder merged compressed; do
			rm -rf copy
			"$ORRERY" convert -q traced -f $to -o copy || bad "$mpi: to $to"
			others=$(find copy -perm /077 -printf '%m %p\n')
			[[ -z $others ]] || bad "$mpi, $form to $to: others may read: $others"
		done
		chmod -R go+rX traced
		rm -rf copy
		"$ORRERY" convert -q traced -o copy
		[[ $(stat -c %a copy) == 755 ]] || bad "$mpi: what all may read, others may not"
		rm -rf traced
	done
done

# --- children end with their parent, whatever ended it ---
ended() {
	local pid
	rm -f started
	"$ORRERY" "$@" -- sh -c \
		'sleep 300 & echo $$ >started.new; mv started.new started; exec sleep 301' >out \
		2>&1 &
	pid=$!
	for ((i = 0; i < 200; i++)); do [[ -s started ]] && break; sleep 0.05; done
	grep -q 'was not built' out && return
	[[ -s started ]] || { kill $pid 2>/dev/null; bad "not started: $*: $(cat out)"; return; }
	kill -9 $pid
	wait $pid 2>/dev/null
	for ((i = 0; i < 100; i++)); do kill -0 "$(<started)" 2>/dev/null ||
		return; sleep 0.05; done
	kill "$(<started)"
	bad "goes on without its parent: $*"
}
ended run -q -p two.xml -n 1
exit $failed
