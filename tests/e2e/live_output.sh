#!/bin/bash
# --rank-output where ranks are coroutines: whatever way a program takes to its standard streams,
# the text is the rank's, as it is where ranks are processes.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
need mpicc.mpich:libmpich-dev
need_live
scratch
run() { timeout 20 "$ORRERY" run -q -p graphene --computation none --hold coroutines "$@"; }
mpicc.mpich -O1 -w -o out "$SRC/tests/programs/live_output.c" || exit 2
run -np 1 -- ./out 2>&1 | grep -q sanitizers &&
	skip "coroutines are not for a build with sanitizers"
own() { # of the program's
	grep -v ' ranks on \|^collectives\|^time\|actions\|^trust\|^simulated'
}
lines() { # RANK: what it writes to stdout
	printf '%s\n' "printf $1, its end" two lines "write $1" vector "no end"
}
errors() { printf '%s\n' "to stderr $1" "dprintf $1" "fdopen $1"; }
same() { diff "$1" "$2" >said || bad "$3: $(cat said)"; }
for slots in 0 2; do
	run -np 3 --rank-output prefix --slots $slots -- ./out >all 2>err
	for i in 0 1 2; do
		lines $i >want
		sed -n "s/^\[$i\] //p" all >got
		same want got "slots $slots, stdout of $i"
		errors $i >want
		sed -n "s/^\[$i\] //p" err >got
		same want got "slots $slots, stderr of $i"
	done
	run -np 3 --rank-output files --slots $slots -- ./out >all 2>err
	own <all >got
	[[ -s got || -s err ]] && bad "beside the files: $(cat got err)"
	for i in 0 1 2; do
		same <(lines $i | head -c -1) files/rank-$i.out "file of $i"
		same <(errors $i) files/rank-$i.err "errors of $i"
	done
done
# what is reopened goes there, by whatever name
run -np 1 --rank-output prefix -- ./out elsewhere >all 2>err
printf 'elsewhere\nthere, too\nno end' | cmp - elsewhere || bad "reopened: $(cat elsewhere)"
grep -q 'elsewhere\|there, too\|no end' all && bad "reopened, in the old place: $(cat all)"
# nobody reads on: it ends as any program does
run -np 1 -- ./out 2>err | true
[[ ${PIPESTATUS[0]} == 141 ]] || bad "a reader that leaves: not ended by SIGPIPE"
grep -q "killed" err && bad "a reader that leaves: $(cat err)"
# other languages
if have mpicxx.mpich && mpicxx.mpich -O1 -w -o cxx "$SRC/tests/programs/live_held.cc"; then
	run -np 2 --rank-output prefix -- ./cxx >all
	grep -qx '\[1\] rank 1 4 seven none1' all || bad "C++: $(cat all)"
	grep -qx '\[0\] gone 3' all || bad "C++, at the end: $(cat all)"
fi
if have mpif90.mpich && mpif90.mpich -O1 -w -o f90 "$SRC/tests/programs/live_held.f90"; then
	run -np 2 -- ./f90 | own | sort >want
	run -np 2 --rank-output prefix -- ./f90 | sed -n 's/^\[[01]\] //p' | sort >got
	[[ -s want ]] || bad "Fortran writes nothing"
	same want got "Fortran"
fi
exit $failed
