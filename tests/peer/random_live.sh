#!/bin/bash
# Random programs of MPI (random_live.py): their data beside real runs, their traces' replays, and
# their dates beside SMPI's. More: tests/peer/random_live.py replay 1 1000.
# parts: 3
cd "${SRC:-$(dirname "$0")/../..}" || exit 2
. tests/need.bash
have python3 || skip "no python3"
failed=0 skipped=0
try() { # N ARGUMENT...: the N-th
	mine "$1" || return
	python3 tests/peer/random_live.py "${@:2}"
	case $? in 0) ;; 77) skipped=77 ;; *) failed=1 ;; esac
}
try 1 data 1 1 16 pfas0PcvrmnigteFWLDO
try 2 replay 1 4 8
try 2 replay 309 3 3 m # several collectives under way, by loops of tests, with overheads
! mine 3 || need_simgrid 3.32
try 3 smpi 1 6 6
((failed)) && exit 1
exit $skipped
