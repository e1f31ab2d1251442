#!/bin/bash
# parts: 6
# Acquisition in other ways than a rank a processor (Markomanolis 2014, 3.3.1): folded (all ranks
# on one processor), composite (two hosts, reached by a remote shell, one of them slower), both in
# turns. Whatever the way and the library, the trace has the same events, and replays to the same
# time to the last bit. Volumes are those of the counter `fake`: there are no hardware counters on
# most machines of tests.
. "$(dirname "$0")/tracer.bash"
need taskset:util-linux
kept=$tmp
# A remote shell: h0 and h1 are this machine, but for their folder of temporary files; h1 is slow.
cat >"$tmp/shell" <<SH
#!/bin/sh
while :; do case \$1 in -*) shift ;; *) break ;; esac; done
host=\$1; shift
echo \$host >>"$kept/asked"
TMPDIR=\$(mktemp -d "$kept/\$host-XXXXXX"); export TMPDIR
[ \$host = h0 ] && exec sh -c "\$*"
exec nice -n 5 taskset -c \$(taskset -pc \$\$ | sed 's/.*[-:, ]//') sh -c "\$*"
SH
chmod +x "$tmp/shell"

# hosts FAMILY UNIT HOSTS: words of mpirun for ranks on these hosts, by UNIT (slot: fill one, then
# the next; node: in turn)
hosts() {
	case $1 in
	openmpi) # by the loopback: there may be no other interface with an address
		echo "--mca btl self,tcp --mca btl_tcp_if_include lo" \
			"--mca plm_rsh_agent $kept/shell --host $3 --map-by $2" ;;
	mpich)
		echo "-launcher ssh -launcher-exec $kept/shell -hosts $3"
		[[ $2 == slot ]] || echo "-ppn 1"
		;;
	esac
}

# one FAMILY PROGRAM WAY MPIRUN…: the lines and the predicted time of its trace
one() {
	local f=$1 p=$2 way=$3; shift 3
	timeout 60 "$ORRERY" trace -f -q -o "$tmp/$way" --counter fake --form compressed -- \
		"$@" -np 4 "$kept/$p.$f" "${arguments[@]}" >"$tmp/out" 2>&1 ||
		bad "$f $p $way: $(tail -5 "$tmp/out")"
	same "$f $p $way: complete" yes "$(complete "$tmp/$way")"
	"$ORRERY" convert "$tmp/$way" -f merged -o - | grep -v '^#' >"$tmp/$way.lines"
	"$ORRERY" replay "$tmp/$way" -p graphene -q --selector default --json |
		grep -o '"simulated_time":[^,]*' >"$tmp/$way.time"
	[[ -s $tmp/$way.time && $(wc -l <"$tmp/$way.lines") -gt 100 ]] ||
		bad "$f $p $way: no prediction, or no events"
}

ways() { # FAMILY PROGRAM ARGUMENTS…
	local f=$1 p=$2 way core
	shift 2
	local arguments=("$@")
	core=$(taskset -pc $$ | sed 's/.*[-:, ]//')
	one "$f" "$p" plain mpirun."$f"
	one "$f" "$p" folded taskset -c "$core" mpirun."$f"
	one "$f" "$p" composite mpirun."$f" $(hosts "$f" slot h0:2,h1:2)
	one "$f" "$p" turns taskset -c "$core" mpirun."$f" $(hosts "$f" node h0:3,h1:1)
	for way in folded composite turns; do
		cmp -s "$tmp/plain.lines" "$tmp/$way.lines" || bad "$f $p $way: other events: $(
			diff "$tmp/plain.lines" "$tmp/$way.lines" | head -4)"
		same "$f $p $way: predicted time" "$(cat "$tmp/plain.time")" "$(
			cat "$tmp/$way.time")"
	done
	cat "$tmp/plain.time" "$tmp/plain.lines" >"$kept/$p.$f.seen"
}

compile() { # FAMILY
	mpicc.$1 -w -O1 -o "$tmp/ring.$1" "$SRC/examples/ring.c" &&
		mpicc.$1 -w -O1 -o "$tmp/stencil2d.$1" "$SRC/examples/stencil2d.c" -lm ||
		bad "$1: the examples do not compile"
	have mpifort.$1 gfortran || return
	mpifort.$1 -w -O1 -J"$tmp" -o "$tmp/cg.$1" "$SRC/examples/cg.f90" ||
		bad "$1: cg does not compile"
}

# A part for each program and library; the second library's has the first one's events to compare.
programs=("ring 1000 1000 20" "stencil2d 64 20" "cg 64 5")
for ((i = 0; i < 3; i++)); do
	read -ra words <<<"${programs[i]}"
	p=${words[0]}
	for ((j = 0; j < ${#families[@]}; j++)); do
		mine $((2 * i + j + 1)) || continue
		f=${families[j]} first=${families[0]}
		compile "$f"
		[[ -x $tmp/$p.$f ]] || continue
		ways "$f" "${words[@]}"
		same "$f: hosts asked for" "h0 h1" "$(sort -u "$tmp/asked" | paste -sd' ')"
		rm -f "$tmp/asked"
		((j > 0)) || continue
		compile "$first"
		arguments=("${words[@]:1}")
		one "$first" "$p" plain mpirun."$first"
		cat "$tmp/plain.time" "$tmp/plain.lines" >"$kept/$p.$first.seen"
		cmp -s "$kept/$p.$first.seen" "$kept/$p.$f.seen" ||
			bad "$p: the libraries' traces differ: $(
				diff "$kept/$p.$first.seen" "$kept/$p.$f.seen" | head -4)"
	done
done
exit $failed
