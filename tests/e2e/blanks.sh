#!/bin/bash
# Installed in a folder whose name has a blank, and used from such a folder, all that is loaded into
# a program is found: the tracer, our MPI library, its clocks, what stands in for functions. Blanks
# and colons separate names of LD_PRELOAD, colons and semicolons folders of LD_LIBRARY_PATH
# (ld.so(8)), so that a folder with a colon is refused, with what to do.
. "$SRC/tests/need.bash"
need_live
scratch
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
ways_to_hold
prefix="$tmp/my tools é"
for part in program data tracer libmpi; do
	cmake --install "${ORRERY%/*}" --prefix "$prefix" --component $part >log 2>&1 ||
		{ cat log; exit 1; }
done
unset ORRERY_DATA ORRERY_TRACER_DIR ORRERY_MPI_DIR
mkdir "a b" && cd "a b" || exit 2

# make install passes folders with blanks on as one word.
mkdir "$tmp/fake"
printf '#!/bin/sh\nprintf "%%s|" "$DESTDIR" "$@"; echo\n' >"$tmp/fake/cmake"
chmod +x "$tmp/fake/cmake"
PATH=$tmp/fake:$PATH make -s -f "$SRC/Makefile" install PREFIX="/a b" DESTDIR="/c d" >out 2>&1
grep -q '^/c d|--install|build|$' out || bad "make install DESTDIR: $(cat out)"
printf '#!/bin/sh\nprintf "%%s|" "$@" >>log; echo >>log\n' >"$tmp/fake/cmake"
PATH=$tmp/fake:$PATH make -s -f "$SRC/Makefile" install PREFIX="/a b" >out 2>&1
grep -q '|-DCMAKE_INSTALL_PREFIX=/a b|$' log || bad "make install PREFIX: $(cat log out)"

says() { # WHAT WANTED COMMAND…: what it writes has the line, and nothing of the loader
	local what=$1 wanted=$2
	shift 2
	"$@" >out 2>err </dev/null || bad "$what: exit code $?: $(cat out err)"
	grep -qE -- "$wanted" out || bad "$what: no '$wanted': $(cat out err)"
	grep ld.so out err && bad "$what: the loader complains"
}
for f in openmpi mpich; do
	have mpirun.$f mpicc.$f || continue
	mpicc.$f -w -O1 -o "clock $f" "$SRC/tests/programs/live_clock.c" || exit 2
	mpicc.$f -w -O1 -o "solo $f" "$SRC/tests/programs/ring.c" || exit 2
	# five simulated seconds: a real clock would tell none
	for hold in "${holds[@]}"; do
		says "$f clock, $hold" '^slept 5.00, clocks apart 0$' "$prefix/bin/orrery" run -q \
			-n 1 -p graphene --computation none --hold $hold -- "./clock $f" alarms
	done
	says "$f folded" '^simulated time' "$prefix/bin/orrery" run -q -n 1 -p graphene \
		--computation none --fold-memory 1MiB --trace "run of $f" -- "./clock $f" alarms
	says "$f, its trace" '^ranks  *1$' "$prefix/bin/orrery" info "run of $f"
	"$prefix/bin/orrery" trace -q -o "trace of $f" -- mpirun.$f -np 2 "./solo $f" >out 2>err \
		</dev/null || bad "$f traced: $(cat out err)"
	grep ld.so err && bad "$f traced: the loader complains"
	says "$f, traced" '^ranks  *2$' "$prefix/bin/orrery" info "trace of $f"
	says "$f, replayed" '^real time' "$prefix/bin/orrery" replay "trace of $f" --on mpirun.$f
	mv "$prefix" "$tmp/my:tools"
	for words in "trace -q -o none" "run -q -n 1 -p graphene"; do
		"$tmp/my:tools/bin/orrery" $words -- "./clock $f" alarms >out 2>err
		[[ $? == 2 ]] && grep -q 'with a colon.*ORRERY_[A-Z]*_DIR names' err ||
			bad "a colon: $words: $(cat out err)"
	done
	mv "$tmp/my:tools" "$prefix"
done
exit $failed
