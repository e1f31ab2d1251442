#!/bin/bash
# gather.sh: the files of a run, on hosts of their own, become the trace that they were: over trees
# of any width, through a remote shell (here a script that runs the command in another place); what
# is missing is told, and what goes wrong leaves nothing behind.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
# A shell that reaches hosts h0 to h6 only, and notes whom it was asked for.
cat >"$work/fake ssh" <<XML
#!/bin/sh
host=\$1; shift
case \$host in h[0-6]) ;; *) echo "no host \$host" >&2; exit 255 ;; esac
echo "\$host" >>"$work/asked"
exec sh -c "\$*"
XML
chmod +x "$work/fake ssh"
awk 'BEGIN {
	print "# orrery-trace 1 ranks=7"
	for (r = 0; r < 7; r++) {
		print r, "init"
		for (i = 0; i < 500; i++) {
			print r, "compute", 1000 + i * 7 % 911
			print r, "irecv", (r + 6) % 7, 0, 100, 6, "req=0"
			print r, "send", (r + 1) % 7, 0, 100, 6
			print r, "wait req=0"
		}
		print r, "finalize"
	}
}' >"$work/text"
"$ORRERY" convert "$work/text" -o "$work/whole" || fail "the trace"
sources=()
for r in 0 1 2 3 4 5 6; do
	# As the tracer leaves it: with its notes, without a manifest.
	mkdir -p "$work/host $r" && sed -e '2a # ranks 7' -e '2a # host h' \
		"$work/whole/rank-$r.tit" >"$work/host $r/rank-$r.tit" || fail "a host"
	sources+=("h$r:$work/host $r")
done
# The events; what the manifests say of hosts and times differs.
text() { "$ORRERY" convert "$1" -f merged -o - 2>/dev/null | grep -v '^# manifest '; }
export ORRERY_RSH="'$work/fake ssh'"
for fanout in 1 2 4 7; do
	rm -f "$work/asked"
	"$ORRERY" gather "${sources[@]}" -o "$work/t$fanout" --fanout $fanout --orrery "'$ORRERY'" \
		2>"$work/err" || fail "fan-out $fanout: $(cat "$work/err")"
	cmp -s <(text "$work/whole") <(text "$work/t$fanout") ||
		fail "fan-out $fanout: another trace: $(diff <(text "$work/whole") \
		<(text "$work/t$fanout") | head -5)"
	[[ $(sort "$work/asked") == $'h0\nh1\nh2\nh3\nh4\nh5\nh6' ]] ||
		fail "fan-out $fanout: hosts: $(cat "$work/asked")"
done
# Folders of this host, without a shell; again over what is there only with --force.
"$ORRERY" gather "$work"/host\ ? -o "$work/t2" --shell false --orrery "'$ORRERY'" 2>"$work/err"
[[ $? == 2 ]] || fail "overwrites: $(cat "$work/err")"
"$ORRERY" gather "$work"/host\ ? -o "$work/t2" --force --shell false 2>"$work/err" ||
	fail "folders here: $(cat "$work/err")"
cmp -s <(text "$work/whole") <(text "$work/t2") || fail "folders here: another trace"
# A rank that is missing is told.
"$ORRERY" gather "${sources[@]:0:6}" -o "$work/six" --orrery "'$ORRERY'" >"$work/err" 2>&1
[[ $? == 2 ]] || fail "a rank is missing: exit code 0"
grep -q 'no end of rank 6' "$work/err" || fail "a rank is missing, not told: $(cat "$work/err")"
grep -q 'no file of rank 6 is in the folders' "$work/err" || fail "its file: $(cat "$work/err")"
"$ORRERY" info "$work/six" >/dev/null || fail "what there is of the ranks was not written"
"$ORRERY" gather -q "${sources[@]:0:6}" -o "$work/t2" --force --orrery "'$ORRERY'" 2>"$work/err"
[[ $? == 2 ]] && grep -q 'as it was' "$work/err" || fail "--force: $(cat "$work/err")"
cmp -s <(text "$work/whole") <(text "$work/t2") || fail "a whole trace was replaced by a part"
# Hosts that share a folder send the same files: they are taken once.
"$ORRERY" gather "${sources[@]}" "${sources[0]}" -o "$work/t8" --orrery "'$ORRERY'" \
	2>"$work/err" || fail "one folder twice: $(cat "$work/err")"
cmp -s <(text "$work/whole") <(text "$work/t8") || fail "one folder twice: another trace"
[[ ! -e $work/t8/.again ]] || fail "one folder twice: something is left"
cp "$work/t8/manifest" "$work/host 0/"
cp "$work/t8/manifest" "$work/host 1/"
"$ORRERY" gather "${sources[@]}" -o "$work/t9" --orrery "'$ORRERY'" 2>"$work/err" ||
	fail "folders with one manifest: $(cat "$work/err")"
rm "$work/host 0/manifest" "$work/host 1/manifest"
# What goes wrong.
"$ORRERY" gather h9:/nowhere -o "$work/none" --orrery "'$ORRERY'" 2>"$work/err" &&
	fail "a host that is not there"
"$ORRERY" gather "h0:$work/nothing" -o "$work/none" --orrery "'$ORRERY'" 2>"$work/err" &&
	fail "a folder that is not there"
cp -r "$work/host 0" "$work/other"
sed -i '$d' "$work/other/rank-0.tit"
"$ORRERY" gather "${sources[0]}" "$work/other" -o "$work/none" --orrery "'$ORRERY'" \
	2>"$work/err" && fail "the same rank twice"
rm -r "$work/other"
grep -q 'two of the folders have a file rank-0.tit, and these differ' "$work/err" ||
	fail "the same rank twice: $(cat "$work/err")"
"$ORRERY" gather h0:x -o "$work/none" --orrery 'head -c 4096 /dev/zero; true' 2>"$work/err" &&
	fail "another program"
grep -q 'not what' "$work/err" || fail "another program: $(cat "$work/err")"
"$ORRERY" gather "$work/text" -o "$work/none" 2>"$work/err"; [[ $? == 2 ]] || fail "a file: $?"
grep -q "text: Not a directory" "$work/err" && ! grep -q 'a host was lost' "$work/err" ||
	fail "a file in place of a folder: $(cat "$work/err")"
PATH=/nonexistent "$ORRERY" gather h0:x -o "$work/none" --shell 'ssh -q' 2>"$work/err"
[[ $? == 2 ]] && grep -q 'ssh: there is no such command in PATH (Debian: openssh-client)' \
	"$work/err" || fail "no remote shell: $(cat "$work/err")"
"$ORRERY" gather -o "$work/none" 2>/dev/null; [[ $? == 2 ]] || fail "no source"
[[ ! -e $work/none ]] || fail "something is left of what went wrong: $(ls "$work/none")"
# A fault of a file is told at the folder that it came from, which is still there, also through
# hosts below others.
for sub in 1 2 3; do
	cp -r "$work/host $sub" "$work/odd"
	line=$(($(wc -l <"$work/odd/rank-$sub.tit") + 1))
	printf '%d com\0pute 5\n' $sub >>"$work/odd/rank-$sub.tit"
	odd=("${sources[@]:0:sub}" "h$sub:$work/odd" "${sources[@]:sub+1}")
	"$ORRERY" gather "${odd[@]}" -o "$work/none" --fanout $sub --orrery "'$ORRERY'" \
		2>"$work/err"
	[[ $? == 2 && $(<"$work/err") == \
		"orrery: h$sub:$work/odd/rank-$sub.tit:$line:3: "* ]] ||
		fail "a fault in a file, fan-out $sub: $(cat "$work/err")"
	[[ ! -e $work/none ]] || fail "something is left of a faulty file"
	rm -r "$work/odd"
done
mkdir "$work/odd"
echo 'no log' >"$work/odd/rank-0.log"
"$ORRERY" gather "$work/odd" -o "$work/none" 2>"$work/err"
[[ $? == 2 && $(<"$work/err") == "orrery: $work/odd/rank-0.log: not a log of the tracer" ]] ||
	fail "no log: $(cat "$work/err")"
mkdir "$work/mine" "$work/other"
printf '# %s\n' 'orrery-trace 1' 'run 12ab' 'ranks 2' 'host a' >"$work/mine/rank-0.tit"
printf '# %s\n' 'orrery-trace 1' 'run 34cd' 'ranks 2' 'host b' >"$work/other/rank-1.tit"
"$ORRERY" gather "$work/mine" "$work/other/" -o "$work/none" 2>"$work/err"
[[ $? == 2 ]] && grep -q "^orrery: $work/other/rank-1.tit: it is of run 34cd" "$work/err" ||
	fail "another run: $(cat "$work/err")"
# a rank that was killed before it wrote anything is no other program, be it the first or the last
for killed in 0 1; do
	rm -rf "$work/early" "$work/gathered"
	mkdir "$work/early"
	for rank in 0 1; do
		{
			printf '# %s\n' 'orrery-trace 1' 'run 12ab' 'ranks 2' 'host a'
			printf "$rank %s\n" init 'compute 5'
		} >"$work/early/rank-$rank.tit"
	done
	: >"$work/early/rank-$killed.tit"
	"$ORRERY" gather "$work/early" -o "$work/gathered" >"$work/err" 2>&1
	grep -q '2 ranks, 2 events' "$work/err" && grep -q 'no end of rank 0, 1' "$work/err" ||
		fail "rank $killed killed early: $(cat "$work/err")"
done
exit 0
