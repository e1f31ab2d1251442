#!/bin/bash
# The messages of the collective algorithms against a list written down independently (coll_expected.py). Skipped (77) without Python.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }
exec python3 tests/tools/coll_expected.py "$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages"
