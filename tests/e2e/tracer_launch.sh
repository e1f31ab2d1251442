#!/bin/bash
# orrery trace: finding the program and its MPI, the ways to launch, the folder.
. "$(dirname "$0")/tracer.bash"
refused() { # NAME TEXT command…
	local name=$1 text=$2
	shift 2
	"$@" >"$tmp/out" 2>&1
	same "$name: exit code" 2 $?
	has "$name" "$tmp/out" "$text"
}
ranks() { sed -n 's/^ranks: //p' "$1/manifest"; }

starts() { # FAMILY
	local f=$1 other=${families[*]/$1/} i o
	build $f ring
	ring=$tmp/ring.$f
	# alone
	rm -rf "$tmp/t"
	same "$f alone" "token 1" "$("$ORRERY" trace -q -o "$tmp/t" -- "$ring")"
	same "$f alone: ranks" 1 "$(ranks "$tmp/t")"
	has "$f alone: program" "$tmp/t/manifest" "program: $ring"
	refused "$f twice" "--force overwrites it" "$ORRERY" trace -o "$tmp/t" -- "$ring"
	mkdir -p "$tmp/mine" && echo >"$tmp/mine/letter"
	refused "$f foreign folder" "it holds letter" "$ORRERY" trace -f -o "$tmp/mine" -- "$ring"
	# more ranks than cores, which Open MPI's launcher refuses
	if [ $f = openmpi ]; then
		env -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy \
			"$ORRERY" trace -o "$tmp/none" -- mpirun.$f -np 4000 "$ring" \
			>"$tmp/out" 2>&1
		has "$f, no slots" "$tmp/out" "unless it has the option --oversubscribe"
		"$ORRERY" trace -o "$tmp/none" -- mpirun.$f --oversubscribe -np 1 sh -c 'exit 3' \
			"$ring" >"$tmp/out" 2>&1
		has "$f ends badly" "$tmp/out" "ended with exit code 3 before MPI_Init; or"
	fi
	# found in PATH; through a shell; several programs; a launcher that nobody knows; the user's
	# own preload
	same "$f PATH" "token 2" "$(PATH=$tmp:$PATH trace $f 2 "$tmp/t" -q -- ring.$f)"
	same "$f shell" "token 2" "$(trace $f 2 "$tmp/t" -q -- sh -c "$ring")"
	if [ "${other// /}" ]; then # a script hides which MPI the program is linked with
		echo "exec $ring" >"$tmp/script"
		refused "$f other launcher" "was started by a launcher of" trace ${other// /} 2 \
			"$tmp/o" -q -- sh "$tmp/script"
	fi
	same "$f shell: complete" yes "$(complete "$tmp/t")"
	if mpirun.$f -np 1 true : -np 2 true >/dev/null 2>&1; then
		same "$f two programs" "token 3" "$("$ORRERY" trace -q -f -o "$tmp/t" -- \
			mpirun.$f -np 1 "$ring" : -np 2 "$ring")"
		same "$f two programs: ranks" "3 yes" "$(ranks "$tmp/t") $(complete "$tmp/t")"
	else # that of Debian 13's Open MPI 5.0.7 crashes
		echo "$f: not tried: mpirun itself cannot start two programs here"
	fi
	same "$f nice" "token 1" "$("$ORRERY" trace -q -f -o "$tmp/t" -- nice -n 1 "$ring")"
	same "$f nice: ranks" 1 "$(ranks "$tmp/t")"
	same "$f preload" "token 1" "$(ASAN_OPTIONS=verify_asan_link_order=0 LD_PRELOAD=libm.so.6 \
		"$ORRERY" trace -q -f -o "$tmp/t" -- "$ring")"
	same "$f preload: ranks" 1 "$(ranks "$tmp/t")"
	same "$f bound at once" "token 2" "$(LD_BIND_NOW=1 trace $f 2 "$tmp/t" -q -- sh -c "$ring")"
	# not MPI at all (for a while: MPICH's mpiexec dies of a broken pipe where a rank is gone
	# before it has looked); a command that fails; none
	same "$f date: exit code" 0 "$("$ORRERY" trace -q -f -o "$tmp/t" -- \
		mpirun.$f -np 1 sleep 0.3 >/dev/null 2>"$tmp/err"; echo $?)"
	has "$f date" "$tmp/err" "no rank wrote a trace"
	same "$f false" 1 "$("$ORRERY" trace -f -o "$tmp/t" -- mpirun.$f -np 1 false >/dev/null \
		2>&1; echo $?)"
	# a second program in the same folder: not mixed into the first one's trace
	rm -rf "$tmp/t" && mkdir "$tmp/t"
	for i in 1 2; do
		same "$f run $i" "token 1" \
			"$(LD_PRELOAD=$ORRERY_TRACER_DIR/liborrery-trace-$f.so \
			ORRERY_TRACE_DIR=$tmp/t ORRERY_SITES=0 "$ring" 2>"$tmp/err")"
	done
	has "$f run 2" "$tmp/err" "rank-0.tit: File exists"
	same "$f run 1: events" 5 "$(events "$tmp/t" | grep -c .)"
	rm -rf "$tmp/t" && mkdir "$tmp/t"
	for i in 1 2; do
		same "$f merged run $i" "token 1" \
			"$(LD_PRELOAD=$ORRERY_TRACER_DIR/liborrery-trace-$f.so \
			ORRERY_TRACE_DIR=$tmp/t ORRERY_SITES=0 ORRERY_FORM=compressed \
			"$ring" 2>"$tmp/err")"
	done
	has "$f merged run 2" "$tmp/err" "events: File exists"
	has "$f merged run 1" <("$ORRERY" info "$tmp/t") "actions    5"
	same "$f merged run 1: files" events "$(ls "$tmp/t")"
	for o in $other; do
		refused "$f under $o" "every process would run alone" "$ORRERY" trace -f -o \
			"$tmp/t" -- mpirun.$o -np 2 "$ring"
	done
}
for f in "${families[@]}"; do apart starts $f; done
build ${families[0]} ring
ring=$tmp/ring.${families[0]}
refused "no command" "give -o DIR" "$ORRERY" trace -o "$tmp/t"
refused "no program" "linked with MPI" "$ORRERY" trace -f -o "$tmp/t" -- true
refused "counter rate" "positive number" "$ORRERY" trace -f -o "$tmp/t" --rate -1 -- "$ring"
has "an unknown counter" <("$ORRERY" trace -f -o "$tmp/t" --counter sundial -- "$ring" 2>&1) \
	'there is no counter "sundial"'
# A program that may be run and not read: why its MPI is not known.
if ((EUID == 0)) && have setpriv; then
	cp "$ring" "$tmp/sealed" && chmod 711 "$tmp/sealed" && chmod 755 "$tmp"
	mkdir -m 777 "$tmp/open"
	as=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	"${as[@]}" "$ORRERY" help >"$tmp/err" 2>&1 &&
		refused "sealed" "sealed is linked with: Permission denied" "${as[@]}" "$ORRERY" \
			trace -o "$tmp/open/t" -- "$tmp/sealed"
fi
together
exit $failed
