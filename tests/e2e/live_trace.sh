#!/bin/bash
# The trace that `orrery run` writes: its replay takes the simulated time of the run, to the last
# digit, with nothing computed, with processor time, and with a speed told; and it is the trace that
# the tracer writes under the real MPI, but for volumes and times. Examples and the laboratory's
# patterns, both families.
# parts: 8
. "$(dirname "$0")/tracer.bash"

examples() { # FAMILY
	mpicc.$1 -w -O1 -o "$tmp/ring" "$SRC/examples/ring.c" || exit 1
	mpicc.$1 -w -O1 -o "$tmp/stencil2d" "$SRC/examples/stencil2d.c" -lm || exit 1
}
example_cg() { # FAMILY: in Fortran
	! have mpif90.$1 || mpif90.$1 -w -O1 -J "$tmp" -o "$tmp/cg" "$SRC/examples/cg.f90"
}

# equal NAME OPTIONS -- PROGRAM...
equal() {
	local what=$1 opts=() on off
	shift
	while [[ $1 != -- ]]; do opts+=("$1") && shift; done
	shift
	on=$("$ORRERY" run -q -n "${ranks:-4}" -p graphene "${where[@]}" "${opts[@]}" -t "$tmp/t" \
		-f -- "$@" 2>"$tmp/err" | tee "$tmp/printed" | grep 'simulated time')
	[[ $on ]] || bad "$what: $(cat "$tmp/err")"
	off=$("$ORRERY" replay -q -p graphene "${where[@]}" "$tmp/t" 2>&1 | grep 'simulated time')
	same "$what ${opts[*]}" "$on" "$off"
	library=$(grep -oE "as the program's (MPICH|Open MPI) [0-9.]+" "$tmp/printed" |
		head -1 | cut -d' ' -f4-)
	[[ $library != *.*.* ]] ||
		same "$what: library" "$library" "$(sed -n 's/^mpi: //p' "$tmp/t/manifest")"
}

# Ranks that are coroutines write the same traces, but for the run's number.
held() { # WHAT OPTIONS -- PROGRAM...
	local what=$1 opts=() on off
	shift
	while [[ $1 != -- ]]; do opts+=("$1") && shift; done
	shift
	"$ORRERY" run -q -n 4 -p graphene --computation none -t "$tmp/t" -f -- "$@" >/dev/null 2>&1
	on=$("$ORRERY" run -q -n 4 -p graphene --computation none --hold coroutines "${opts[@]}" \
		-t "$tmp/c" -f -- "$@" 2>"$tmp/err" | grep 'simulated time')
	[[ $on ]] || bad "$what held: $(cat "$tmp/err")"
	off=$("$ORRERY" replay -q -p graphene "$tmp/c" 2>&1 | grep 'simulated time')
	same "$what held ${opts[*]}" "$on" "$off"
	joined t
	joined c
	text c | grep -q finalize || bad "$what held: no trace"
	diff <(text t) <(text c) >"$tmp/diff" || bad "$what held ${opts[*]}: $(head -8 "$tmp/diff")"
}
text() { cat "$tmp/$1".text/rank-*.tit | grep -v '^# run '; }

plain() { sed -E 's/ t=[^ ]*//; s/ region=[0-9]*//' "$1" |
	grep -vE '^#|^[0-9]+ (compute|sleep|region) '; }

# What was traced is compressed: one file, and nothing of the ranks beside it.
joined() {
	[[ $(cd "$tmp/$1" && echo *) =~ ^events\ manifest(\ sites)?$ ]] ||
		bad "$1 has $(ls "$tmp/$1")"
	"$ORRERY" convert -q "$tmp/$1" -o "$tmp/$1.text" --force || bad "$1 cannot be read"
}

# A program that cannot be run: the trace's notice says less than the error, which comes last, and
# no folder is left.
unstarted() { # FAMILY
	"$ORRERY" run -q -n 2 -p graphene --mpi "$1" -t "$tmp/none" -- \
		"$tmp/missing" >"$tmp/printed" 2>"$tmp/err"
	same "$1 missing: exit code" 2 $?
	same "$1 missing: what is told last" "orrery: $tmp/missing: No such file or directory" \
		"$(tail -1 "$tmp/err")"
	[[ ! -e $tmp/none ]] || bad "$1 missing: an empty folder is left"
}

# The tracer's, of a real run.
like_real() { # FAMILY PROGRAM [EDIT of both, for sed]
	local f=$1 p=$2 edit=${3:-}
	"$ORRERY" run -q -n 3 -p graphene --computation none -t "$tmp/sim" -f -- "$p" >/dev/null \
		2>"$tmp/err" || bad "$(cat "$tmp/err")"
	trace "$f" 3 "$tmp/real" -f --counter fake -- "$p" >/dev/null 2>&1
	joined sim
	for r in 0 1 2; do
		diff <(plain "$tmp/sim.text/rank-$r.tit" | sed "$edit") \
			<(plain "$tmp/real/rank-$r.tit" | sed "$edit") >"$tmp/diff" ||
			bad "$f $p: $(head -8 "$tmp/diff")"
	done
}

named() { # FAMILY FOLDER
	plain "$tmp/$2/rank-2.tit" >"$tmp/found"
	has "$1 grid" "$tmp/found" "2 comm_split comm=2.0 parent=0.0 members=2,3 dims=2 periods=1"
	has "$1 ring" "$tmp/found" "2 comm_create comm=0.3 members=0-3 sources=1 dests=3"
}

# Communicators and windows of members that come at different dates, two hosts of two ranks. The
# even ranks, of a lower first one, are first if neither says high or the others do.
made() { # FAMILY
	local where=(--hostfile "$tmp/hosts")
	printf 'graphene-%d.nancy.grid5000.fr slots=2\n' 1 2 >"$tmp/hosts"
	build "$1" live_made
	equal "$1 made" --computation none -- "$tmp/live_made.$1"
	same "$1 made" "$(sort "$tmp/printed" | grep rank | grep -v ranks)" "$(sort <<-'END'
		rank 0 is 0 of a sum of 6
		rank 1 is 2 of a sum of 6
		rank 2 is 1 of a sum of 6
		rank 3 is 3 of a sum of 6
		rank 0 is 2 of a sum of 6
		rank 1 is 0 of a sum of 6
		rank 2 is 3 of a sum of 6
		rank 3 is 1 of a sum of 6
		rank 0 is 0 of a sum of 6
		rank 1 is 2 of a sum of 6
		rank 2 is 1 of a sum of 6
		rank 3 is 3 of a sum of 6
		rank 0 sees 128 of 1
		rank 1 sees 64 of 0
		rank 2 sees 128 of 1
		rank 3 sees 64 of 0
		rank 0 has 2
		rank 2 has 2
	END
	)"
}

# A rank that is killed at its end leaves a log: all become text, with the same names.
died() { # FAMILY
	cat >"$tmp/dies.c" <<-'EOF'
		#include <mpi.h>
		#include <signal.h>
		int main(int argc, char **argv)
		{
			MPI_Comm half, again;
			int rank;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			MPI_Comm_dup(MPI_COMM_WORLD, &again);
			MPI_Comm_split(again, rank / 2, 0, &half);
			MPI_Barrier(half);
			if (rank == 3)
				raise(SIGKILL);
			MPI_Barrier(half);
			MPI_Finalize();
			return 0;
		}
	EOF
	mpicc.$1 -o "$tmp/dies" "$tmp/dies.c" || exit 1
	"$ORRERY" run -n 4 -p graphene --computation none -t "$tmp/died" -f -- "$tmp/dies" \
		>"$tmp/err" 2>&1 && bad "$1: a rank was killed, and all is well"
	has "$1 incomplete" "$tmp/err" "the trace is incomplete: no end of rank"
	has "$1 names of a killed rank" "$tmp/died/rank-3.tit" \
		"3 comm_split comm=2.0 parent=0.0 members=2,3"
	has "$1 names of a killed rank" "$tmp/died/rank-3.tit" "3 barrier comm=2.0"
}

# A script names no library: its run has the algorithms and the placement that its trace will have.
scripted() { # FAMILY
	printf '#!/bin/sh\nexec "%s" cg 1e8\n' "$tmp/patterns" >"$tmp/script"
	chmod +x "$tmp/script"
	equal "$1 script" --computation none --mpi "$1" -- "$tmp/script"
	[[ $1 == openmpi ]] && equal "script of no name" --computation none -- "$tmp/script"
}

# Programs that look again and again. In the replay of threads' trace a call of the main thread is
# under way when another one's begins.
looks() { # FAMILY
	build "$1" calls
	equal "$1 calls" --computation none -- "$tmp/calls.$1"
	build "$1" requests
	ranks=2 equal "$1 requests" --computation none -- "$tmp/requests.$1"
	build "$1" live_turns
	ranks=2 equal "$1 turns" --computation none -- "$tmp/live_turns.$1"
	has "$1 turns" "$tmp/printed" "found 50"
	ranks=2 equal "$1 blocks" --computation none -- "$tmp/live_turns.$1" blocks
	has "$1 blocks" "$tmp/printed" "found 200"
	build "$1" order
	"$ORRERY" run -q -n 4 -p graphene --computation none -t "$tmp/t" -f -- "$tmp/order.$1" \
		>"$tmp/out" 2>&1
	has "$1 threads" "$tmp/out" "order: all right"
	"$ORRERY" replay -q -p graphene "$tmp/t" >"$tmp/out" 2>&1 ||
		bad "$1: the replay of threads in order.c: $(cat "$tmp/out")"
	joined t
	has "$1 threads" "$tmp/t.text/rank-0.tit" "issend 0 1 1 1 req=0"
}

# Persistent collectives of a communicator that is not the world, started in different orders: each
# goes by a communicator of its own, which ends with its request, and not by the program's.
starts() { # FAMILY
	cat >"$tmp/starts.c" <<-'EOF'
		#include <mpi.h>
		int main(int argc, char **argv)
		{
		#if MPI_VERSION >= 4
			int rank, x = 0, one = 1, sum;
			MPI_Request r[2];
			MPI_Comm again;
			MPI_Init(&argc, &argv);
			MPI_Comm_dup(MPI_COMM_WORLD, &again);
			MPI_Comm_rank(again, &rank);
			for (int i = 0; i < 3; i++) {
				MPI_Bcast_init(&x, 1, MPI_INT, 0, again, MPI_INFO_NULL, &r[0]);
				MPI_Allreduce_init(&one, &sum, 1, MPI_INT, MPI_SUM, again,
					MPI_INFO_NULL, &r[1]);
				MPI_Start(&r[rank % 2]);
				MPI_Start(&r[1 - rank % 2]);
				MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
				MPI_Request_free(&r[0]);
				MPI_Request_free(&r[1]);
				MPI_Barrier(again);
			}
			MPI_Comm_free(&again);
			MPI_Finalize();
		#endif
			return 0;
		}
	EOF
	mpicc.$1 -w -o "$tmp/starts" "$tmp/starts.c" || exit 1
	[[ $1 == openmpi ]] || equal "$1 starts" --computation none -- "$tmp/starts"
}

# MPI_Isendrecv posts its receive first, and is over when its send is, too: rank 0 gets a word at
# once, and its large message leaves when rank 1 looks for it, after 20 ms.
halves() { # FAMILY
	cat >"$tmp/halves.c" <<-'EOF'
		#include <mpi.h>
		#include <stdio.h>
		#include <unistd.h>
		static char big[1 << 20], other[1 << 20];
		int main(int argc, char **argv)
		{
		#if MPI_VERSION >= 4
			MPI_Request r;
			int rank, done;
			MPI_Init(&argc, &argv);
			MPI_Comm_rank(MPI_COMM_WORLD, &rank);
			for (int i = 0; i < 3; i++) {
				MPI_Barrier(MPI_COMM_WORLD);
				double since = MPI_Wtime();
				usleep(rank * 20000);
				MPI_Isendrecv(big, rank ? 4 : 1 << 20, MPI_CHAR, 1 - rank, i, other,
					rank ? 1 << 20 : 4, MPI_CHAR, 1 - rank, i, MPI_COMM_WORLD,
					&r);
				done = 0;
				while (i == 1 && !done)
					MPI_Test(&r, &done, MPI_STATUS_IGNORE);
				if (i == 2)
					MPI_Waitall(1, &r, MPI_STATUSES_IGNORE);
				else
					MPI_Wait(&r, MPI_STATUS_IGNORE);
				if (MPI_Wtime() - since < 0.02)
					printf("too early: %g s\n", MPI_Wtime() - since);
			}
			MPI_Finalize();
		#endif
			return 0;
		}
	EOF
	mpicc.$1 -w -o "$tmp/halves" "$tmp/halves.c" || exit 1
	[[ $1 == mpich ]] || return 0
	local where=(--cfg smpi/os:0:1e-6:1e-9)
	ranks=2 equal "$1 halves" --computation none -- "$tmp/halves"
	! grep "too early" "$tmp/printed" || bad "$1 halves: a send was not waited for"
}

# Collective accesses to a view with holes: what lies in one of its pieces is not exchanged, neither
# in a run nor in its replay; what lies in several is.
views() { # FAMILY
	build "$1" views
	equal "$1 a block" --computation none -- "$tmp/views.$1" 1 "$tmp/f"
	joined t
	! grep holes "$tmp/t.text/rank-0.tit" || bad "$1: a block has holes"
	equal "$1 two blocks" --computation none -- "$tmp/views.$1" 2 "$tmp/f"
	joined t
	has "$1 two blocks" "$tmp/t.text/rank-0.tit" "file_write_all 200000 6 file=0 holes=1"
}

# Accesses in the order of ranks, of members that come at different dates.
ordered() { # FAMILY
	build "$1" ordered
	ranks=5 equal "$1 ordered" --computation none -- "$tmp/ordered.$1" "$tmp/f"
	has "$1 ordered" "$tmp/printed" "fine"
}

# Collectives that do not block, which are tested until they are complete: messages of them that
# come meanwhile are nothing that a look could find, and what they cost their rank is paid between
# two looks, as in the wait that the trace has for them. What the one that MPI_Waitany gives back
# has cost is paid while it waits, and no cost of another one is lost. MPI_Testall that fails pays
# for the messages that it has found, as the wait that stands for it does.
tested() { # FAMILY
	build "$1" live_tested
	ranks=5 equal "$1 tested" --computation none -- "$tmp/live_tested.$1"
	for ranks in 4 5; do
		equal "$1 awaited" --computation none -- "$tmp/live_tested.$1" awaited
		equal "$1 peeked" --computation none -- "$tmp/live_tested.$1" peeked
	done
	unset ranks
}

# What is called in MPI_Finalize, by functions of MPI_COMM_SELF's attributes.
farewell() { # FAMILY
	build "$1" farewell
	equal "$1 farewell" --computation none -- "$tmp/farewell.$1"
	same "$1 farewell" "ring: 3, sum: 6" "$(grep -E '^(ring|sum)' "$tmp/printed" | paste -sd, |
		sed 's/,/, /')"
	like_real "$1" "$tmp/farewell.$1"
	has "$1 farewell" "$tmp/real/rank-0.tit" "sendRecv 1 1 1 2 1 1 comm=0.0"
	has "$1 farewell" "$tmp/real/rank-0.tit" "comm_free"
	same "$1 farewell: the last event" "0 finalize" "$(grep -v '^#' "$tmp/real/rank-0.tit" |
		tail -1 | cut -d' ' -f1,2)"
	same "$1 farewell: complete" yes "$(complete "$tmp/real")"
	held "$1 farewell" -- "$tmp/farewell.$1"
	have mpif90.$1 || return 0
	mpif90.$1 -w -O1 -J "$tmp" -o "$tmp/farewell" "$SRC/tests/programs/farewell.f90" || exit 1
	equal "$1 farewell, Fortran" --computation none -- "$tmp/farewell"
	trace "$1" 2 "$tmp/real" -f -q --counter wall -- "$tmp/farewell"
	has "$1 farewell, Fortran" "$tmp/real/rank-1.tit" "1 barrier"
	grep ' region ' "$tmp/real/rank-1.tit" | tail -1 | grep -qF '>farewell+0x' ||
		bad "$1 farewell, Fortran: its MPI_FINALIZE is not in the program"
}

replayed() { # FAMILY
	local f=$1 p
	examples "$f"
	example_cg "$f"
	for p in ring stencil2d cg; do
		[[ -x $tmp/$p ]] || continue
		equal "$f $p" --computation none -- "$tmp/$p"
		equal "$f $p" -- "$tmp/$p"
	done
	equal "$f speed" --host-speed 2e9 -- "$tmp/ring"
}

patterns() { # FAMILY
	local p
	mpicc.$1 -w -O1 -o "$tmp/patterns" "$SRC/lab/programs/patterns.c" -lm || exit 1
	for p in cg lu is collectives master; do
		equal "$1 $p" --computation none -- "$tmp/patterns" $p 1e8
	done
	scripted "$1"
	views "$1"
	ordered "$1"
	starts "$1"
	halves "$1"
	build "$1" live_again
	equal "$1 again" --computation none -- "$tmp/live_again.$1"
	grep -q "again: all right" "$tmp/printed" || bad "$1 again: $(cat "$tmp/printed")"
	build "$1" live_fence
	ranks=3 equal "$1 fence" --computation none -- "$tmp/live_fence.$1"
	grep -q "fence: all right" "$tmp/printed" || bad "$1 fence: $(cat "$tmp/printed")"
	build "$1" rma
	[[ $1 == openmpi ]] || ranks=3 equal "$1 windows" --computation none -- "$tmp/rma.$1"
	made "$1"
}

coroutines() { # FAMILY
	ways_to_hold
	((${#holds[@]} > 1)) || return 0
	examples "$1"
	example_cg "$1"
	equal "$1 held" --hold coroutines -- "$tmp/ring"
	held "$1 ring" -- "$tmp/ring"
	[[ ! -x $tmp/cg ]] || held "$1 cg" --slots 2 -- "$tmp/cg"
	died "$1"
}

# Functions of attributes call MPI where a communicator is duplicated or freed, a window is freed.
copied() { # FAMILY
	build "$1" copied
	ranks=3 equal "$1 copied" --computation none -- "$tmp/copied.$1"
	same "$1 copied" "sums 3 and 3" "$(grep ^sums "$tmp/printed")"
	# A tracer names the duplicate of MPI_Comm_idup before what is made within.
	like_real "$1" "$tmp/copied.$1" 's/ comm=[0-9.]*//'
	same "$1 copied: duplicates" 4 "$(grep -c ' comm_dup ' "$tmp/real/rank-2.tit")"
	same "$1 copied: freed" 5 "$(grep -c ' comm_free ' "$tmp/real/rank-2.tit")"
	[[ $1 == openmpi ]] || has "$1 copied" "$tmp/real/rank-2.tit" "2 barrier"
	held "$1 copied" -- "$tmp/copied.$1"
	have mpif90.$1 || return 0
	mpif90.$1 -w -O1 -J "$tmp" -o "$tmp/copied" "$SRC/tests/programs/copied.f90" || exit 1
	ranks=3 equal "$1 copied, Fortran" --computation none -- "$tmp/copied"
	same "$1 copied, Fortran" "sum 2" "$(grep ^sum "$tmp/printed")"
	like_real "$1" "$tmp/copied"
	same "$1 copied, Fortran: duplicates" 2 "$(grep -c ' comm_dup ' "$tmp/real/rank-2.tit")"
}

real() { # FAMILY
	examples "$1"
	like_real "$1" "$tmp/ring"
	like_real "$1" "$tmp/stencil2d"
	build "$1" comms
	"$ORRERY" run -q -n 4 -p graphene --computation none -t "$tmp/sim" -f -- "$tmp/comms.$1" \
		>/dev/null 2>&1
	joined sim
	named "$1" sim.text
	looks "$1"
	farewell "$1"
	copied "$1"
}

for f in "${families[@]}"; do
	apart replayed "$f"
	apart patterns "$f"
	apart coroutines "$f"
	apart tested "$f"
	apart real "$f"
	unstarted "$f"
done
together
exit $failed
