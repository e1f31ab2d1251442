#!/bin/bash
# Programs built with AddressSanitizer run traced and simulated, although it wants no library before
# its own; what it finds ends the rank, and is told.
. "$(dirname "$0")/tracer.bash"
cd "$tmp" || exit 1
export ASAN_OPTIONS=detect_leaks=0 # of MPI libraries
tried=0
for f in "${families[@]}"; do
	mpicc.$f -g -fsanitize=address -o "over.$f" "$SRC/tests/programs/over.c" 2>err ||
		skip "no AddressSanitizer: $(head -1 err)"
	if mpirun.$f -np 2 "./over.$f" 2>&1 | grep -q "^1 is right"; then # not MPICH's of Debian
		"$ORRERY" trace -q -o "t.$f" -- mpirun.$f -np 2 "./over.$f" >out 2>&1
		grep -q "^1 is right" out || bad "$f: traced: $(cat out)"
		"$ORRERY" info "t.$f" | grep -qE '^barrier +2 ' || bad "$f: no barriers"
		tried=1
	fi
	"$ORRERY" run -q -np 2 -p graphene -- "./over.$f" >out 2>&1
	[[ $? == 3 ]] && grep -q "was not built" out && continue
	grep -q "^1 is right" out || bad "$f: simulated: $(cat out)"
	"$ORRERY" run -q -np 2 -p graphene -- "./over.$f" more >out 2>&1
	[[ $? == 1 ]] && grep -q "heap-buffer-overflow" out || bad "$f: no overflow: $(cat out)"
	"$ORRERY" run -q -np 2 -p graphene --hold coroutines -- "./over.$f" >out 2>&1
	grep -qE "with AddressSanitizer, which.*--hold processes|coroutines are for|sanitizers" \
		out || bad "$f: as coroutines: $(cat out)"
	tried=1
done
((tried)) || skip "AddressSanitizer runs with no MPI library here"
exit $failed
