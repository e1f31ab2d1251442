#!/bin/bash
# Completion knows verbs, options, machines, selectors and settings; what is near is offered; a preset has the figures of the machine it was measured on.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
has() { grep -q -- "$2" "$3" || { echo "$1: no '$2' in:"; head -20 "$3"; failed=1; }; }
"$ORRERY" help completion >"$tmp/orrery.bash" && PATH=$(dirname "$ORRERY"):$PATH bash -c '
source "$1"
try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _orrery 2>/dev/null; echo "${COMPREPLY[*]}"; }
[[ $(try orrery rep) = replay ]] && [[ " $(try orrery replay -p gra) " = *" graphene "* ]] && [[ $(try orrery replay --what) = --what-if ]] &&
	[[ " $(try orrery replay --selector mpich-) " = *" mpich-4 "* ]] && [[ " $(try orrery replay --cfg smpi/bar) " = *" smpi/barrier: "* ]]' - "$tmp/orrery.bash" ||
	{ echo "completion of bash"; failed=1; }
"$ORRERY" help fish >"$tmp/fish"
has "completion of fish" "__fish_seen_subcommand_from replay' -l what-if" "$tmp/fish"
"$ORRERY" help zsh >"$tmp/zsh"
has "completion of zsh" "^#compdef orrery" "$tmp/zsh"
"$ORRERY" platform show graphen >"$tmp/out" 2>&1
has "a machine" "did you mean graphene?" "$tmp/out"
"$ORRERY" platform generate fat-tree 4x4 --preset omni-path -o "$tmp/op.xml" -q || failed=1
"$ORRERY" platform show "$tmp/op.xml" --json -q >"$tmp/op" 2>/dev/null
"$ORRERY" platform show dahu --json -q >"$tmp/dahu" 2>/dev/null
python3 - "$tmp" <<'END' || { echo "preset omni-path"; failed=1; }
import json, sys
op, dahu = (json.load(open(sys.argv[1] + "/" + f)) for f in ("op", "dahu"))
assert op["settings"] == dahu["settings"], (op, dahu)
assert "Cornebize" in op["source"]
END
"$ORRERY" platform generate flat 4 --preset omnipath >"$tmp/out" 2>&1
has "a preset" "did you mean omni-path" "$tmp/out"
exit $failed
