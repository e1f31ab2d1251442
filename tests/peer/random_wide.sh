#!/bin/bash
# As random_replays.sh, on platforms of random_wide.py: Vivaldi, bypasses, profiles, ….
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
exec python3 tests/peer/random_replays.py 1 15 wide
