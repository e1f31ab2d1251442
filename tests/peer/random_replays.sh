#!/bin/bash
# Random programs, platforms and settings in SimGrid and in Orrery (random_replays.py FIRST COUNT:
# more of them). Skipped (77) without SimGrid.
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
. tests/need.bash
need_simgrid 3.32
# what decides: the last bits of penalties and of latencies; what model IB changes first; the turns
# of eager messages; the turns of waits for what is complete
for seed in 920000002 5001240 5002842 7002459 5000304 7000601 7002542 20011 41478 92177; do
	python3 tests/peer/random_replays.py $seed 1 || exit
done
exec python3 tests/peer/random_replays.py 1 40
