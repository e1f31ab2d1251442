#!/bin/bash
# The table of algorithms in docs/collectives.md is the one in the code. --update writes it.
cd "${SRC:-$(dirname "$0")/../..}" || exit 1
program=$(dirname "${ORRERY:-$PWD/build-dev/orrery}")/tests/peer_coll_messages
page=docs/collectives.md mark='<!-- generated'
wanted=$(sed "/^$mark/q" "$page"; "$program" table |
	python3 tests/tools/coll_evidence.py "$program") || exit 1
if [[ ${1-} == --update ]]; then
	printf '%s\n' "$wanted" >"$page"
elif ! diff <(printf '%s\n' "$wanted") "$page"; then
	echo "the table is out of date: run tests/tools/coll_docs.sh --update"
	exit 1
fi
