#!/bin/bash
# Random platforms in SimGrid and in Orrery (random_platforms.py FIRST COUNT: more of them). Skipped
# (77) without SimGrid.
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
. tests/need.bash
need_simgrid 3.32
exec python3 tests/peer/random_platforms.py 205 12
