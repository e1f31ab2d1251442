#!/bin/bash
# Platforms x traffic in SimGrid and in Orrery: two kinds of traffic for each platform (make peer
# does all). Skipped (77) without SimGrid.
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
exec python3 tests/peer/matrix.py --quick
