#!/bin/bash
# parts: 3
# Ranks that are coroutines: each has for itself what a process has; the simulated time is that of
# processes, to the last bit; however one dies, the message names rank, host and cause.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
has_coroutines || skip "coroutines are for x86-64 and AArch64"
mpicc=$(command -v mpicc.mpich) || skip "no mpicc of MPICH (Debian: libmpich-dev)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
make_program() { "$mpicc" -O1 -w -I"$SRC/include" -o "$dir/$1" "$SRC/$2/$1.c" -lm || exit 1; }
cd "$dir" || exit 1 # some programs write files beside them
run() { timeout 20 "$ORRERY" run -q -p graphene --computation none "$@"; }
same() { # name, program with arguments, options before --
	for hold in processes coroutines; do
		run -n 4 --hold $hold "${@:3}" -- $2 2>"$dir/err" | grep -v " actions, " |
			sort >"$dir/$hold"
		[[ ${PIPESTATUS[0]} == 0 ]] || bad "$1: $(cat "$dir/err")"
	done
	cmp -s "$dir/processes" "$dir/coroutines" ||
		bad "$1: $(diff "$dir/processes" "$dir/coroutines")"
}
make_program live_ring tests/programs
run -n 1 --hold coroutines -- "$dir/live_ring" 2>&1 | grep -q sanitizers &&
	skip "coroutines are not for a build with sanitizers"

the_same() { # the same time, the same output
	for program in tests/programs/{live_hold,live_ring,live_clock,live_remote,calls,comms} \
		examples/stencil2d; do
		make_program "${program##*/}" "${program%/*}"
		same "$program" "$dir/${program##*/} word"
	done
}

their_own() { # what a process has
	for program in live_hold live_clock; do make_program $program tests/programs; done
	same "alarms" "$dir/live_clock alarms"
	grep -q "^alarm 3 after 3.00" "$dir/coroutines" || bad "alarms: $(cat "$dir/coroutines")"
	make_program live_folder tests/programs
	same "folders" "$dir/live_folder"
	for i in 0 1 3; do
		grep -qx "rank $i: of-$i $((i == 1 ? 666 : 644)), 0" "$dir/coroutines" ||
			bad "folders: $(cat "$dir/coroutines" "$dir/err")"
	done
	run -n 2 --hold coroutines -- "$dir/live_folder" exec >"$dir/out" 2>"$dir/err"
	[[ $? == 1 ]] && grep -q "calls execvpe" "$dir/err" ||
		bad "execvpe is not refused: $(cat "$dir/out" "$dir/err")"
	grep -qx "rank 2: ${dir##*/} 644, 0" "$dir/coroutines" ||
		bad "the folder of all: $(cat "$dir/coroutines")"
	# what the C library keeps for a process; by hand: hours of the zones, bytes of a letter,
	# SIGUSR1 10
	make_program live_own tests/programs
	same "what is a rank's own" "$dir/live_own"
	grep -qx "rank 1: 72 6, Sat Jan  1 06:00:00 1972, Unknown error 4001, a, b, XYZ-5, ." \
		"$dir/coroutines" &&
		grep -q "^rank 1: 6 LC_CTYPE=C.UTF-8;LC_NUMERIC=C;" "$dir/coroutines" &&
		grep -qx "rank 2: 10 then 10, pending 0 0, blocked 0 1, taken 12" \
			"$dir/coroutines" || bad "what is a rank's own: $(cat "$dir/coroutines")"
	run -n 4 --hold coroutines --slots 2 -- "$dir/live_own" |
		grep -v " actions, " | sort >"$dir/out"
	diff "$dir/processes" "$dir/out" >"$dir/err" || bad "own, by turns: $(cat "$dir/err")"
	# its own file, by /proc, which it spawns; its name, where an assertion fails
	make_program live_exe tests/programs
	same "its own file" "$dir/live_exe"
	grep -qx "child 0: live_exe, 1 1 1 4, live_exe" "$dir/coroutines" ||
		bad "its own file: $(cat "$dir/coroutines" "$dir/err")"
	# two ranks and the one that was spawned: all words, and one name
	(($(grep -cx "cmdline: live_exe 0\|comm: live_exe 0" "$dir/coroutines") >= 4)) ||
		bad "its own words: $(cat "$dir/coroutines")"
	run -n 2 --hold coroutines -- "$dir/live_exe" fails >/dev/null 2>"$dir/err"
	grep -q "^live_exe: .*live_exe.c:[0-9]*: main: Assertion" "$dir/err" ||
		bad "the name of a program: $(cat "$dir/err")"
	# what a rank adds to printf; more ranks than the C library has modifiers (16); by hand:
	# 3 x 3. When it has ended by an error, the simulator writes numbers
	make_program live_print tests/programs
	same "letters of printf" "$dir/live_print"
	run -n 20 --ppn 1 --hold coroutines -- "$dir/live_print" >"$dir/out" 2>"$dir/err"
	grep -qx "rank 3: <9> <-9> 1.5" "$dir/coroutines" &&
		grep -qx "rank 19: <361> <-361> 1.5" "$dir/out" ||
		bad "letters of printf: $(cat "$dir/coroutines" "$dir/out" "$dir/err")"
	run -n 2 --hold coroutines -f -t "$dir/printed" -- "$dir/live_print" fails \
		>/dev/null 2>"$dir/err"
	[[ $? == 1 ]] && grep -q MPI_ERR_RANK "$dir/err" && ! grep -q signal "$dir/err" ||
		bad "letters of printf, at an error: $(cat "$dir/err")"
	same "folded memory" "$dir/live_ring" --fold-memory 64KiB
	# one that has to lie at its address; one that is a shared object
	"$mpicc" -O1 -w -no-pie -o "$dir/fixed" "$SRC/tests/programs/live_hold.c" &&
		same "no pie" "$dir/fixed word"
	"$mpicc" -O1 -w -shared -fPIC -o "$dir/shared.so" "$SRC/tests/programs/live_hold.c" ||
		exit 1
	run -n 4 --hold coroutines -- "$dir/shared.so" word |
		grep -v " actions, " | sort >"$dir/coroutines"
	cmp -s "$dir/processes" "$dir/coroutines" ||
		bad "a shared object: $(diff "$dir/processes" "$dir/coroutines")"
	"$ORRERY" can-run "$dir/live_ring" | grep -q "^held as: processes, coroutines" ||
		bad "can-run: live_ring"
	"$ORRERY" can-run "$dir/live_hold" | grep -q "^not as coroutines, as it calls: .*fork" ||
		bad "can-run: live_hold"
	# a program that is looked for in PATH is the same program
	(PATH=$dir:$PATH; same "by its name" "live_ring word"; exit $failed) || failed=1
	PATH=$dir:$PATH run -n 4 -- live_ring | grep -q "as the program's MPICH 4" ||
		bad "the library of a program in PATH is not seen"
	PATH=$dir:$PATH "$ORRERY" can-run live_ring | grep -q "^held as: processes, coroutines" ||
		bad "can-run in PATH"
	# plug-ins: each rank has its own
	for i in 1 2; do
		"$mpicc" -O1 -w -shared -fPIC -DPLUG_IN=$i -o "$dir/plug$i.so" \
			"$SRC/tests/programs/live_open.c" || exit 1
	done
	"$mpicc" -O1 -w -z execstack -o "$dir/live_open" "$SRC/tests/programs/live_open.c" -ldl ||
		exit 1
	run -n 3 --hold coroutines -- "$dir/live_open" "$dir/plug1.so" "$dir/plug2.so" \
		>"$dir/all" 2>&1
	# sum of ranks 3; calls: 100 or 200 and the rank, each time; begun 11; common_name is the
	# first's for both; 1000 of its rank
	for i in 0 1 2; do
		both="$((1110103 + 1002 * i)) $((1110203 + 1001 * i))"
		grep -qx "rank $i: $both, 2, again 1, gone 1 0" \
			"$dir/all" || bad "plug-ins of $i: $(cat "$dir/all")"
		grep -qx "rank $i: $((i + 1)), none: 1" "$dir/all" ||
			bad "a function within a function, $i: $(cat "$dir/all")"
	done
	same "plug-ins" "$dir/live_open $dir/plug1.so $dir/plug2.so"
	run -n 3 --hold coroutines --slots 2 -- "$dir/live_open" "$dir/plug1.so" \
		"$dir/plug2.so" 2>&1 |
		grep -q "dlopen.*take turns" || bad "dlopen where ranks take turns"
	# under a limit of addresses there are fewer for messages and for what ranks open
	for kib in 3000000 6000000; do
		(ulimit -v $kib; run -n 64 --hold coroutines -- "$dir/live_ring") >"$dir/all" 2>&1
		grep -qx "token 263 from 63" "$dir/all" ||
			bad "64 ranks in $kib KiB: $(cat "$dir/all")"
	done
	(ulimit -v 3000000; run -n 64 --hold coroutines -- "$dir/live_open" "$dir/plug1.so" \
		"$dir/plug2.so") >"$dir/all" 2>&1
	[[ $(grep -c "again 1, gone 1 0$" "$dir/all") == 64 ]] ||
		bad "plug-ins under a limit: $(cat "$dir/all")"
	# thread-local variables, by descriptors: AArch64 has no other way
	local dialect=
	[[ $(uname -m) == x86_64 ]] && dialect=-mtls-dialect=gnu2
	for i in 1 2; do
		"$mpicc" -O1 -w $dialect -shared -fPIC -DPART=$i -o "$dir/libtls$i.so" \
			"$SRC/tests/programs/live_tls.c" || exit 1
	done
	"$mpicc" -O1 -w -o "$dir/live_tls" "$SRC/tests/programs/live_tls.c" -L"$dir" -ltls1 \
		-Wl,-rpath,"$dir" -ldl || exit 1
	same "thread-local variables" "$dir/live_tls $dir/libtls2.so"
	for i in 0 1 2 3; do # by hand: letters from a; 2.5, 0, 40, 6 and 5, and the rank
		want="$(printf 'abcd' | cut -c$((i + 1)))ine $((2 + i)).5 0, $((0 - i))"
		want+=" $((40 + i)), 5 $((6 + i)) 7, $((5 + i))"
		grep -qx "rank $i: $want" "$dir/coroutines" ||
			bad "thread-local variables: $(cat "$dir/coroutines" "$dir/err")"
	done
	# a copy of a library's weak variable, and then a library that has it no longer
	local weak=$SRC/tests/programs/live_weak.c n want=4
	for n in 1 2; do
		"$mpicc" -O1 -w -shared -fPIC -DPART=$n -o "$dir/libweak.so" "$weak" || exit 1
		((n == 2)) || "$mpicc" -O1 -w -o "$dir/live_weak" "$weak" -L"$dir" -lweak \
			-Wl,-rpath,"$dir" || exit 1
		same "weak variables, $n" "$dir/live_weak"
		grep -qx "rank 3: $want, 5" "$dir/coroutines" ||
			bad "weak variables, $n: $(cat "$dir/coroutines" "$dir/err")"
		want=0
	done
}

their_ends() { # other libraries, languages, places; how they die
	make_program live_hold tests/programs
	# the other ABI, whose handles are addresses that programs copy; other languages
	for family in mpich openmpi; do
		if have mpicc.$family; then
			mpicc.$family -O1 -w -o "$dir/$family" "$SRC/tests/programs/comms.c" &&
				same "comms of $family" "$dir/$family"
		fi
		if have mpicxx.$family; then
			mpicxx.$family -O1 -w -o "$dir/cxx" "$SRC/tests/programs/live_held.cc" &&
				same "C++ of $family" "$dir/cxx"
		fi
		if have mpif90.$family; then
			mpif90.$family -O1 -w -o "$dir/f90" "$SRC/tests/programs/live_held.f90" &&
				same "Fortran of $family" "$dir/f90"
		fi
	done
	# everybody's own, also where many ranks take turns in few places
	for slots in 0 2; do
		run -n 5 --hold coroutines --slots $slots -- "$dir/live_hold" word >"$dir/all" 2>&1
		grep rank "$dir/all" >"$dir/out"
		grep "^of " "$dir/all" >"$dir/out2"
		for i in 0 1 2 3 4; do
			grep -qx "rank $i: $i $i $i $i $i, $i word, word, seed 1" "$dir/out" ||
				bad "slots $slots, rank $i: $(cat "$dir/out")"
			caught="caught $((i % 2 ? i : 0)), ignores $((1 - i % 2))"
			grep -qx "of $i: $caught, limit $i, wide $i" "$dir/out2" ||
				bad "slots $slots, signals of $i: $(cat "$dir/out2")"
			((i == 0)) || grep -qx "bye: rank $i, finalized 1" "$dir/out" ||
				bad "slots $slots, rank $i: no handler at its end"
		done
	done
	dies() { # how, expected text, options
		run -n 3 --hold coroutines "${@:3}" -- "$dir/live_hold" -d "$1" \
			>"$dir/out" 2>"$dir/err"
		code=$?
		[[ $code == 1 ]] || bad "$1: exit code $code, 1 wanted"
		grep -q "$2" "$dir/err" || bad "$1: '$2' wanted, got: $(cat "$dir/err")"
	}
	dies exit "rank 1 on graphene-1.*exited with code 3 without MPI_Finalize"
	dies abort "rank 1 on graphene-1.*signal 6.*without MPI_Finalize"
	dies crash "rank 1 on graphene-1.*signal 11.*without MPI_Finalize"
	dies heap "rank 1 on graphene-1.*signal 6.*without MPI_Finalize"
	dies stack "rank 1 on graphene-1.*overflowed its stack of 256 KiB" --stack-size 256KiB
	dies large "rank 1 on graphene-1.*overflowed its stack of 8192 KiB"
	dies fork "rank 1 on graphene-1.*fork.*--hold processes"
	dies mpi "rank 1 on graphene-1.*MPI_Abort"
	dies late "rank 1 on graphene-1.*exited with code 4 after MPI_Finalize"
	# what cannot be held so is refused by name
	printf '#!/bin/sh\ntrue\n' >"$dir/script"
	chmod +x "$dir/script"
	run -n 2 --hold coroutines -- "$dir/script" 2>"$dir/err" &&
		bad "a script is held as a coroutine"
	grep -q "script.*--hold processes" "$dir/err" || bad "a script: $(cat "$dir/err")"
}

mine 1 && the_same
mine 2 && their_own
mine 3 && their_ends
exit $failed
