#!/bin/bash
# As random_replays.sh, on platforms of random_wide.py: Vivaldi, bypasses, profiles, ….
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
. tests/need.bash
need_simgrid 3.32
exec python3 tests/peer/random_replays.py 1 15 wide
