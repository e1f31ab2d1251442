#!/bin/bash
# A full device is said and is exit code 3, for what every verb writes: its standard output, and
# each of its files, of which none then has its final name half written.
. "$SRC/tests/need.bash"
scratch
verb_inputs

# Built without LAPACK, it fits no models of kernels.
no_lapack=
"$ORRERY" calibrate kernel --from kernel.csv 2>&1 | grep -q 'built without LAPACK' && no_lapack=1

# Built without MPI, it runs no programs.
no_live=
"$ORRERY" run -q -n 1 -p two.xml -- true 2>&1 | grep -q 'was not built' && no_live=1

# Their standard output; with "=" also a file that is a full device.
commands=0
while read -r words; do
	[[ $words ]] || continue
	commands=$((commands + 1))
	[[ $no_lapack && $words == *kernel* || $no_live && $words == run* ]] && continue
	if [[ $words == *=* ]]; then
		timeout 30 "$ORRERY" ${words//=//dev/full} >out 2>err </dev/null
	else
		timeout 30 "$ORRERY" $words >/dev/full 2>err </dev/null
	fi
	code=$?
	[[ $code == 3 ]] && grep -q 'No space left' err ||
		bad "exit code $code: orrery $words: $(head -c 200 err)"
done <<'END'
version
--version
help
help replay
help settings
help man
help completion
help zsh
help fish
replay --help
platform list
platform show two.xml
platform show two.xml --json
platform show two.xml --svg =
platform check two.xml
platform generate flat 8
platform generate flat 8 -o =
info two.trace
info d --json
info --matrix two.trace
info --structure c
diff run.rec timed
diff run.rec timed --json
replay two.trace -p two.xml
replay two.trace -p two.xml --json
replay two.trace -p two.xml --profile
replay two.trace -p two.xml --explain rank:0
replay two.trace -p two.xml --csv =
replay two.trace -p two.xml --record =
replay two.trace -p two.xml --runs 2
convert two.trace -f merged -o =
convert two.trace -f merged -o -
export run.rec -f csv -o -
export run.rec -f csv -o =
export run.rec -f html -o =
export run.rec -f paje -o =
export run.rec -f json -o -
export run.rec -f messages -o =
coll bcast -p two.xml -n 2 --bytes 8 -j 1
coll bcast -p two.xml -n 2 --bytes 8 -j 1 --json
coll bcast -p two.xml -n 2 --bytes 8 -j 1 --csv =
coll bcast -p two.xml -n 2 --bytes 8 -j 1 --svg =
tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1
tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1 -o =
calibrate kernel --from kernel.csv
calibrate kernel --from kernel.csv -o =
calibrate network --from network.csv
calibrate network --from network.csv -o =
calibrate network --from network.csv --report =
calibrate cpu timed
calibrate cpu timed -o =
calibrate cpu timed --json
gather d --pack
run -n 1 -p two.xml --computation none -- true
run -n 1 -p two.xml --computation none --json -- true
run -n 1 -p two.xml --computation none --csv = -- true
run -n 1 -p two.xml --computation none --record = -- true
END
[[ $commands == 57 ]] || bad "$commands commands"

# A file system that is full: as root, or where user namespaces may mount.
small() {
	mkdir -p mnt
	mount -t tmpfs -o size=64k,nr_inodes=30 none mnt || exit $cannot
	cd "$tmp" || exit 2
	for ((i = 0; i < 4000; i++));
		do printf '0 compute %d\n1 compute %d\n0 send 1 7 1%d 6\n1 recv 0 7 1%d 6\n' \
		$RANDOM $RANDOM $i $i; done >long
	{ printf '# orrery-trace 1 ranks=2\n0 init\n1 init\n'; cat long;
		printf '0 finalize\n1 finalize\n'; } >long.trace
	"$ORRERY" replay -q long.trace -p two.xml --record long.rec >out || exit 2
	for room in 24000 0; do # of 64 KiB: part of what is written fits, and nothing of it
		echo old >mnt/x
		head -c $((61440 - room)) /dev/zero >mnt/fill
		while read -r words; do
			[[ $words && ($room == 0 || $words == *long*) ]] || continue
			[[ $no_lapack && $words == *kernel* || $no_live && $words == run* ]] &&
				continue
			find mnt -mindepth 1 ! -name x ! -name fill -delete
			"$ORRERY" ${words//=/mnt/x} >out 2>err </dev/null
			code=$?
			[[ $code == 3 && $(cat mnt/x) == old ]] && grep -q 'No space left' err ||
				bad "exit code $code: orrery $words: $(head -c 200 err); $(ls -la \
				mnt | tail -n +4)"
			# what was measured is shown where it cannot be kept
			case $words in
			tune* | calibrate*\ -o\ *)
				grep -q 'is on the standard output' err && [[ -s out ]] ||
					bad "lost: orrery $words: $(cat err)" ;;
			coll*) [[ $(grep -c bcast out) -ge 1 ]] || bad "lost: orrery $words" ;;
			esac
			left=$(ls -A mnt | grep -vE '^(x|fill)$')
			[[ -z $left ]] || bad "left behind: orrery $words: $left"
			echo old >mnt/x
		done <<'END'
replay -q long.trace -p two.xml --record =
export long.rec -q -f csv -o =
export long.rec -q -f html -o =
export long.rec -q -f paje -o =
export long.rec -q -f json -o =
convert -q long.trace -f merged --force -o =
replay -q two.trace -p two.xml --csv =
platform generate flat 8 -q -o =
platform show two.xml --svg =
coll bcast -p two.xml -n 2 --bytes 8 -j 1 -q --csv =
coll bcast -p two.xml -n 2 --bytes 8 -j 1 -q --svg =
tune -p two.xml -n 2 --bytes 8 --operations bcast -j 1 -q -o =
calibrate kernel --from kernel.csv -q -o =
calibrate network --from network.csv -q -o =
calibrate network --from network.csv -q --report =
calibrate cpu timed -q -o =
run -n 1 -p two.xml --computation none -q --csv = -- true
run -n 1 -p two.xml --computation none -q --record = -- true
END
	done
	rm mnt/x
	"$ORRERY" convert -q long.trace --force -o mnt/folder >out 2>err
	code=$?
	[[ $code == 3 && ! -e mnt/folder ]] && grep -q 'No space left' err ||
		bad "exit code $code: convert to a folder: $(cat err)"
	gzip -c long.trace >long.gz # its text goes to a temporary file
	TMPDIR=$tmp/mnt "$ORRERY" replay -q long.gz -p two.xml >out 2>err
	code=$?
	[[ $code == 3 ]] && grep -q 'long.gz: cannot write .*(TMPDIR): No space left' err ||
		bad "exit code $code: a packed trace: $(cat err)"
	[[ $no_live ]] && exit $failed
	ways_to_hold
	for hold in "${holds[@]}"; do # nobody asks whether echo could, nor its exit code
		"$ORRERY" run -q -n 1 -p two.xml --computation none --hold $hold --rank-output \
			mnt/ranks -- sh -c 'echo a; true' >out 2>err
		code=$?
		[[ $code == 3 ]] && grep -q 'mnt/ranks: the ends of what ranks wrote .*No space' \
			err || bad "exit code $code: ranks' output, $hold: $(cat err)"
	done
	exit $failed
}
if unshare -m true 2>/dev/null; then
	export -f small bad ways_to_hold has_coroutines
	# nothing can be mounted here: the devices were tried all the same
	export failed tmp no_lapack no_live cannot=70
	unshare -m bash -c small
	code=$?
	[[ $code == 0 || $code == $cannot ]] || failed=1
fi
exit $failed
