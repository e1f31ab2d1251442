#!/bin/bash
# orrery trace -- srun …: programs, scripts and a shell's -c under a stand-in for Slurm's srun,
# which treats the environment as srun(1) says; and scripts that run mpirun themselves.
. "$(dirname "$0")/tracer.bash"
ranks() { sed -n 's/^ranks: //p' "$1/manifest"; }

# srun(1), --export: ALL hands on the caller's environment, which goes before what is given besides;
# else only what is listed. In no quotes here. The ranks are started by an mpirun.
cat >"$tmp/srun" <<'E2'
#!/bin/bash
[ -z "${LD_PRELOAD-}" ] || { echo "srun: loaded with ${LD_PRELOAD}" >&2; exit 9; }
n=1 export=ALL
while :; do
	case $1 in
	-n) n=$2; shift 2 ;;
	--mpi=*) shift ;;
	--export=*) export=${1#*=}; shift ;;
	*) break ;;
	esac
done
given=() IFS=,
for v in $export; do
	name=${v%%=*}
	case $v in
	ALL) ;;
	*=*) [[ $export = ALL* && -n ${!name-} ]] || given+=("$v") ;;
	*) [ -z "${!name+is}" ] || given+=("$name=${!name}") ;;
	esac
done
unset IFS
[[ $export = ALL* ]] || others=$(env | sed -n 's/^\(MINE\|ORRERY_[A-Z_]*\)=.*/-u \1/p')
exec mpirun.$FAMILY -n $n env ${others-} "${given[@]}" "$@"
E2
chmod +x "$tmp/srun"
export PATH=$tmp:$PATH

traced() { # NAME RANKS OUTPUT [option…] -- command…
	local name=$1 n=$2 output=$3
	shift 3
	rm -rf "$tmp/t"
	same "$name" "$output" "$("$ORRERY" trace -o "$tmp/t" "$@" 2>"$tmp/err" | sort | xargs)"
	same "$name: ranks" "$n yes" "$(ranks "$tmp/t") $(complete "$tmp/t")"
}

of_family() { # FAMILY
	local f=$1
	export FAMILY=$f
	build $f ring
	ring=$tmp/ring.$f
	printf '#!/bin/bash\necho "mine ${MINE-}"\nexec %s\n' "$ring" >"$tmp/script.$f"
	chmod +x "$tmp/script.$f"
	export MINE=here
	traced "$f srun" 2 "token 2" -- srun --mpi=pmi2 -n 2 "$ring"
	traced "$f script" 2 "mine here mine here token 2" -- srun -n 2 "$tmp/script.$f"
	traced "$f shell" 2 "token 2" -- srun -n 2 bash -c "$ring; true"
	traced "$f told" 2 "token 2" --mpi $f -- srun -n 2 bash -c \
		"exec $tmp/r''ing.$f"
	traced "$f NONE" 2 "mine mine token 2" -- srun -n 2 --export=NONE "$tmp/script.$f"
	traced "$f listed" 2 "mine here mine here token 2" -- srun --export=HOME,MINE -n 2 \
		"$tmp/script.$f"
	SLURM_EXPORT_ENV=NONE traced "$f inherited" 2 "mine mine token 2" -- srun -n 2 \
		"$tmp/script.$f"
	LD_PRELOAD=libm.so.6 ASAN_OPTIONS=verify_asan_link_order=0 \
		traced "$f preload" 2 "token 2" -- srun -n 2 "$ring"

	# a script that runs mpirun; two programs in it: the trace is the first's
	echo "mpirun.$f -n 2 $ring" >"$tmp/run.$f"
	traced "$f mpirun in a script" 2 "token 2" -- bash "$tmp/run.$f"
	traced "$f mpirun in a command" 2 "token 2" -- bash -c "mpirun.$f -n 2 $ring"
	echo "mpirun.$f -n 3 $ring" >>"$tmp/run.$f"
	traced "$f two of them" 2 "token 2 token 3" -- bash "$tmp/run.$f"
	has "$f two of them: the second" "$tmp/err" "trace this one by itself"
	has "$f two of them: the trace" "$tmp/err" "that of the first program which the command ran"
	same "$f two profiles" 2 "$("$ORRERY" trace --profile -o "$tmp/p" -- bash "$tmp/run.$f" \
		2>&1 | sed -n 's/.*profile of \([0-9]*\) ranks.*/\1/p')"
}

for f in "${families[@]}"; do apart of_family $f; done
"$ORRERY" trace -o "$tmp/o" --mpi lam -- srun true >"$tmp/out" 2>&1
same "unknown: exit code" 2 $?
has "unknown" "$tmp/out" "--mpi is openmpi or mpich, not 'lam'"
PATH=/usr/bin:/bin
if ! command -v srun >/dev/null; then
	"$ORRERY" trace -o "$tmp/o" -- srun -n 2 true >"$tmp/out" 2>&1
	same "no srun: exit code" 2 $?
	has "no srun" "$tmp/out" "srun: there is no such command in PATH"
fi
together
exit $failed
