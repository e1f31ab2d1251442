#!/bin/bash
# Random programs, platforms and settings in SimGrid and in Orrery (random_replays.py FIRST COUNT:
# more of them). Skipped (77) without SimGrid.
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
exec python3 tests/peer/random_replays.py 1 40
