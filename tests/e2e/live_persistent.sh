#!/bin/bash
# Persistent collectives in the simulation: tests/programs/persistent.c, on hosts of their own and
# shared, with 4 ranks and with 7.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
have cc || skip "no C compiler"
need_live
scratch
export XDG_CACHE_HOME=$tmp/cache
"$ORRERY" cc -w -O1 -o persistent "$SRC/tests/programs/persistent.c" || bad "persistent.c"
for ranks in 4 7; do
	"$ORRERY" run -q -n $ranks -p graphene --map-by node --computation none -- \
		./persistent >out 2>err
	grep -q '^persistent: all right' out || bad "$ranks ranks: $(head -5 out err)"
done
exit $failed
