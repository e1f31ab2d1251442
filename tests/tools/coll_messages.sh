#!/bin/bash
# The messages of the collective algorithms against a list written down independently
# (coll_expected.py). PART: "1/2" (default) or "2/2" of the algorithms (coll_messages_2.sh), so that
# each half is over in seconds.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
exec python3 tests/tools/coll_expected.py \
	"$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages" "${PART:-1/2}"
