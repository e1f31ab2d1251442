#!/bin/bash
# Platforms x traffic in SimGrid and in Orrery: two kinds of traffic for each platform (make peer
# does all). Skipped (77) without SimGrid.
# parts: 3
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
. tests/need.bash
need_simgrid 3.32
exec python3 tests/peer/matrix.py --quick
