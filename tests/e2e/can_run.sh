#!/bin/bash
# orrery can-run: what a program's file says, for both families, for what needs no MPI and what
# cannot run.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
expect() { # TEXT CODE PROGRAM
	out=$("$ORRERY" can-run "$3")
	code=$?
	[[ $out == *"$1"* && $code == "$2" ]] ||
		{ echo "$3: expected '$1' and code $2, got code $code: $out"; failed=1; }
}
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
[[ -d $(dirname "$ORRERY")/lib/orrery ]] || skip "orrery's own MPI library was not built"
echo 'int main(void) { return 0; }' >"$tmp/none.c"
cc "$tmp/none.c" -o "$tmp/none" && expect 'needs no MPI' 0 "$tmp/none"
cc -static "$tmp/none.c" -o "$tmp/static" 2>/dev/null && expect 'linked statically' 1 "$tmp/static"
# with places of its own choice it is a shared object to the eye, and no less static
if cc -static-pie "$tmp/none.c" -o "$tmp/static_pie" 2>/dev/null; then
	expect 'linked statically' 1 "$tmp/static_pie"
	out=$(timeout 20 "$ORRERY" run -np 2 -p graphene --hold coroutines -- \
		"$tmp/static_pie" 2>&1)
	[[ $? == 2 ]] || # it hung
		{ echo "static_pie: $out"; failed=1; }
fi
expect 'no: the file is not executable' 1 "$tmp/none.c"
expect 'no: it is a folder' 1 "$tmp"
# 1,100 libraries, the last of which needs one that is gone: the last is looked into, too
mkdir "$tmp/libs"
echo 'void gone(void) {}' | cc -shared -fPIC -xc - -o "$tmp/libs/libgone.so"
echo 'void q(void) {}' >"$tmp/q.c"
cc -shared -fPIC "$tmp/q.c" -o "$tmp/q.so"
tee "$tmp"/libs/libq{0000..1098}.so <"$tmp/q.so" >/dev/null
cc -shared -fPIC "$tmp/q.c" -o "$tmp/libs/libq1099.so" \
	-Wl,--no-as-needed "$tmp/libs/libgone.so" -Wl,-rpath,"$tmp/libs"
rm "$tmp/libs/libgone.so"
cc "$tmp/none.c" -o "$tmp/needs_many" -Wl,--no-as-needed -L"$tmp/libs" -lq{0000..1099} \
	-Wl,--unresolved-symbols=ignore-all -Wl,-rpath,"$tmp/libs" 2>/dev/null
expect 'not looked into: ' 0 "$tmp/needs_many"
[[ $out == *gone.so* ]] || { echo "the last of many libraries was not read: $out"; failed=1; }
if [[ -x $tmp/static ]]; then # ran as it is, and the user is told
	"$ORRERY" run -np 2 -p graphene -- "$tmp/static" 2>&1 >/dev/null |
		grep -q "no rank called MPI_Init: nothing was simulated" ||
		{ echo "a program without MPI is not told"; failed=1; }
fi
# one that dies before it begins MPI: how it died, and nothing that hides it
printf '#include <stdlib.h>\nint main(void) { abort(); }\n' >"$tmp/dies.c"
for hold in processes coroutines; do
	cc -w "$tmp/dies.c" -o "$tmp/dies" || break
	out=$("$ORRERY" run -np 2 -p graphene --hold $hold -- "$tmp/dies" 2>&1 >/dev/null)
	[[ $out == "orrery: rank 0 "*"before MPI_Init" ]] || { echo "dies: $out"; failed=1; }
done
"$ORRERY" run -np 2 -p graphene "$tmp/none" 2>&1 | grep -q "'--' is missing" ||
	{ echo "-- is not missed"; failed=1; }
printf '#!/bin/sh\n' >"$tmp/script"
chmod +x "$tmp/script"
expect 'no program but a script' 0 "$tmp/script"
cat >"$tmp/p.c" <<'END'
#include <mpi.h>
#ifdef UNKNOWN
int MPI_Orrery_has_not_this(void);
#else
#define MPI_Orrery_has_not_this() 0
#endif
int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Finalize();
	return MPI_Orrery_has_not_this();
}
END
# OpenSHMEM of Open MPI names what no other library has: what there is instead
if command -v oshcc >/dev/null; then
	printf '#include <shmem.h>\nint main(void) { shmem_init(); shmem_finalize(); }\n' \
		>"$tmp/s.c"
	oshcc -w "$tmp/s.c" -o "$tmp/shmem" 2>/dev/null && expect 'OSHMPI' 1 "$tmp/shmem"
fi
for family in mpich openmpi; do
	command -v mpicc.$family >/dev/null || continue
	mpicc.$family "$tmp/p.c" -o "$tmp/p" && expect 'names of MPI: 2: MPI_Finalize MPI_Init' 0 \
		"$tmp/p"
	# many names: lines that fit a terminal, with all of them
	for f in Send Recv Bcast Reduce Gather Scatter Allgather Alltoall Isend Irecv Wait Probe; do
		echo "extern void MPI_$f(void); void f_$f(void) { MPI_$f(); }"
	done >"$tmp/many.c"
	echo 'extern void MPI_Init(void); int main(void) { MPI_Init(); return 0; }' >>"$tmp/many.c"
	mpicc.$family "$tmp/many.c" -o "$tmp/many" && "$ORRERY" can-run "$tmp/many" |
		sed -n '/^names of MPI: 13:/,$p' >"$tmp/names"
	(($(grep -o 'MPI_[A-Z][a-z]*' "$tmp/names" | sort -u | wc -l) == 13 &&
		$(wc -l <"$tmp/names") > 1)) && ! grep -qE '.{101}' "$tmp/names" ||
		{ echo "$family: many names: $(cat "$tmp/names")"; failed=1; }
	# what it was linked with had a function that the library of today has not
	echo 'int MPI_Orrery_has_not_this(void) { return 0; }' >"$tmp/old.c"
	cc -shared -fPIC "$tmp/old.c" -o "$tmp/libold.so" &&
		mpicc.$family -DUNKNOWN "$tmp/p.c" -o "$tmp/q" -L"$tmp" -lold \
		-Wl,-rpath,"$tmp" && cc -shared -fPIC "$tmp/none.c" -o "$tmp/libold.so" &&
		told='missing, the program will not start or end at the call:'
		expect "$told MPI_Orrery_has_not_this" 1 "$tmp/q"
	# a path in the file goes before LD_LIBRARY_PATH; ours is loaded all the same
	where=$(dirname "$(ldd "$tmp/p" | sed -n 's/.*libmpi.* => \([^ ]*\).*/\1/p' | head -1)")
	mpicc.$family "$tmp/p.c" -Wl,--disable-new-dtags,-rpath,"$where" -o "$tmp/r" &&
		expect 'first: our MPI is put before' 0 "$tmp/r"
	"$ORRERY" run -q -np 2 -p graphene -- "$tmp/r" | grep -q '^2 ranks' ||
		{ echo "$family: with a path: not ours"; failed=1; }
	# whose rights the system raises; only root can give a file away
	cp "$tmp/p" "$tmp/raised"
	if [[ $EUID == 0 ]] && chown 65534 "$tmp/raised" && chmod 4755 "$tmp/raised"; then
		expect 'not as processes: it gets other rights' 1 "$tmp/raised"
		"$ORRERY" run -np 2 -p graphene -- "$tmp/raised" >"$tmp/out" 2>&1
		[[ $? == 2 ]] && grep -q "gets other rights than its caller's" "$tmp/out" ||
			{ echo "$family: setuid is not refused: $(cat "$tmp/out")"; failed=1; }
		ways_to_hold
		((${#holds[@]} == 1)) || "$ORRERY" run -q -np 2 -p graphene --hold coroutines -- \
			"$tmp/raised" >"$tmp/out" 2>&1 ||
			{ echo "$family: setuid as coroutines: $(cat "$tmp/out")"; failed=1; }
	fi
done
exit $failed
