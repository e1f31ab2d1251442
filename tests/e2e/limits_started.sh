#!/bin/bash
# What starts others (trace, run, replay --on, calibrate) under limits of this process: addresses,
# size and number of files, processes, a small /dev/shm, a cgroup's memory. It succeeds, or it says
# what was not enough, with exit code 3, or hands on how the command ended; it is never ended by the
# limit itself, and under the name of its output is what was there before, all of the new, or, of a
# traced program, a part that says so. Nothing of what it started goes on.
# parts: 20
. "$(dirname "$0")/tracer.bash"
nm -D "$ORRERY" 2>/dev/null | grep -q __asan && skip "a sanitizer takes terabytes of addresses"
cd "$tmp" || exit 2
cp "$SRC/tests/golden/cases/two.xml" .
printf '%s\n' '# orrery-trace 1 ranks=2' '0 init' '1 init' '0 compute 1e6 t=0.001' '0 barrier' \
	'1 barrier' '1 compute 1e6 t=1e-3' '0 finalize' '1 finalize' >timed
"$ORRERY" convert -q timed -o old || exit 2
for f in "${families[@]}"; do
	build $f ring
done
no_live=
"$ORRERY" run -q -np 1 -p two.xml -- true 2>&1 | grep -q "was not built" && no_live=1
asked=0 came=0

left() { grep -lazF "LIMITS_OF=$tmp" /proc/[0-9]*/environ 2>/dev/null |
	sed 's#/proc/\([0-9]*\)/.*#\1#'; }

# under HOW WORDS…: HOW: what is limited and to what: "v 100000", "shm 64k", "memory 20M".
under() {
	local how=$1 code state k patience words=${*:2}
	rm -rf t && cp -r old t && echo old >x && rm -rf -- .*.part* *.part*
	asked=$((asked + 1))
	# mpirun of Open MPI hangs now and then where its ranks may not write a segment
	[[ $words == *mpirun.* ]] && patience=6 || patience=60
	LIMITS_OF=$tmp within $how timeout -k 5 $patience "$ORRERY" "${@:2}" >out 2>err </dev/null
	code=$?
	state=$(trace_state old t two.xml)
	if [[ $how == memory* && $code == 137 ]]; then # the kernel ended it, which nobody can tell
		came=$((came + 1))
		[[ $state =~ ^(old|whole|partial|nothing)$ && $(cat x) == old ]] ||
			bad "$how: $words: $state"
		return
	fi
	[[ $state =~ ^(old|whole|partial|nothing)$ ]] || bad "$how: $words: code $code: $state"
	[[ $code == 0 || $(cat x) == old ]] || bad "$how: $words: code $code, and x is written"
	case $code in
	0) [[ $words != *' x '* || $(cat x) != old ]] || bad "$how: $words: nothing written" ;;
	3)
		came=$((came + 1))
		grep -qE 'memory|ulimit|cannot be loaded|No space left|unavailable|killed by' err ||
			bad "$how: $words: exit code 3 says: $(head -c 400 err)"
		;;
	*) # the command's own end is handed on, or told
		[[ $words == *' -- '* || $words == *--on* ]] && [[ -s err || -s out ]] ||
			bad "$how: $words: exit code $code: $(head -c 400 err)"
		;;
	esac
	# by a signal of its own: it says nothing then
	[[ -s err || -s out || $code == 0 ]] || bad "$how: $words: exit code $code in silence"
	for ((k = 0; k < 100; k++)); do
		[[ $(left) ]] || break
		sleep 0.1
	done
	[[ $(left) ]] && { bad "$how: $words: goes on"; left | xargs -r kill -9; }
	# who was killed (by `timeout`, as a launcher hung) cannot clean up; who writes there next
	# does
	[[ $code == 137 ]] && return
	[[ $how == memory* ]] && grep -q 'killed by signal 9' err && return
	k=$(find . -name '*.part*')
	[[ -z $k ]] || bad "$how: $words: left behind: $k"
}
within() { # LIMIT VALUE COMMAND…
	local what=$1 value=$2
	shift 2
	case $what in
	shm) unshare -m bash -c 'mount -t tmpfs -o size=$1 none /dev/shm && shift && exec "$@"' \
		- "$value" "$@" ;;
	memory) (
		echo $BASHPID >"$group/cgroup.procs"
		echo "$value" >"$group/$group_limit"
		exec "$@"
	) ;;
	u) (
		# root may start as many as it likes
		chmod -R a+rwX . && ulimit -u "$value"
		exec setpriv --reuid 65534 --clear-groups "$@"
	) ;;
	*) (
		ulimit "-$what" "$value"
		exec "$@"
	) ;;
	esac
}

# A cgroup of our own, where that may be made: version 2 or 1.
group=
for root in /sys/fs/cgroup /sys/fs/cgroup/memory; do
	mkdir "$root/orrery-limits-$$" 2>/dev/null || continue
	for group_limit in memory.max memory.limit_in_bytes; do
		[[ -w $root/orrery-limits-$$/$group_limit ]] && group=$root/orrery-limits-$$
	done
	[[ $group ]] || { rmdir "$root/orrery-limits-$$"; continue; }
	group_limit=$(basename "$(ls -d "$group"/memory.max "$group"/memory.limit_in_bytes \
		2>/dev/null | head -1)")
	trap 'rmdir "$group" 2>/dev/null; rm -rf "$tmp"' EXIT
	break
done
[[ $group ]] || echo "no cgroup can be made here"
limits=("v 24000" "v 40000" "v 150000" "f 4" "f 64" "n 5" "n 8" "n 20")
unshare -m true 2>/dev/null && limits+=("shm 4k" "shm 256k")
[[ $group ]] && limits+=("memory 3M" "memory 12M")
[[ $(id -u) == 0 ]] && have setpriv && limits+=("u 1" "u 4")

commands() {
	local f=${families[0]}
	for f in "${families[@]}"; do
		echo "trace -f -o t -- mpirun.$f -np 2 ./ring.$f"
		echo "replay timed --on mpirun.$f"
	done
	[[ $no_live ]] || {
		echo "run -q -n 2 -p two.xml --computation none -t t -f -- ./ring.${families[0]}"
		echo "run -q -n 2 -p two.xml --computation none --csv x -- ./ring.${families[0]}"
	}
	echo "calibrate memory --time 0.1 --largest 256 -q -o x "
	echo "calibrate processor --time 0.1 -q -o x "
	echo "calibrate noise --time 0.1 --quantum 50us -q -o x "
}
while read -r kind value words; do
	[[ $words == calibrate* && $kind =~ ^(n|u|shm)$ ]] && continue
	under "$kind $value" $words
done < <(commands | while read -r words; do
	for limit in "${limits[@]}"; do echo "$limit $words"; done
done | my_part)
# The limit on a file's size is an error, not a signal that ends orrery; a program gets it as ever.
(ulimit -f 1; exec "$ORRERY" help man >page) 2>err
code=$?
[[ $code == 3 ]] && grep -q 'ulimit -f' err || bad "a page over the limit: $code: $(cat err)"
echo "$asked runs, $came came to a limit"
((asked > 2)) || bad "$asked runs"
exit $failed
