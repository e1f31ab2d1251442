#!/bin/bash
# parts: 4
# The messages of the collective algorithms against a list written down independently
# (coll_expected.py).
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
exec python3 tests/tools/coll_expected.py \
	"$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages" "${PART:-1/1}"
