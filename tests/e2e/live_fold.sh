#!/bin/bash
# --fold-memory: of a message of folded and other memory the other one arrives, whoever holds the
# ranks; what was never written takes no memory, and arrives as zeros.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
failed=0
"$ORRERY" cc -O1 -o "$dir/f" "$SRC/tests/programs/live_fold.c" || exit 1
ways_to_hold
for hold in "${holds[@]}"; do
	"$ORRERY" run -q -np 2 -p graphene --computation none --fold-memory 1MiB --hold $hold -- \
		"$dir/f" >"$dir/out" || failed=1
	grep -qx 'came: 42' "$dir/out" || { echo "$hold"; cat "$dir/out"; failed=1; }
done
told() { # WANT OPTION...: what panel() and main() of the program have
	local want=$1 got hold
	shift
	for hold in "${holds[@]}"; do
		got=$("$ORRERY" run -q -p graphene --computation none --hold $hold "$@" -- \
			"$dir/f" tell | sed -n 1p)
		[[ $got = "$want" ]] || { echo "$hold $*: $got"; failed=1; }
	done
}
told 'panel: folded, main: apart' --fold-memory panel=1MiB
told 'panel: apart, main: folded' --fold-memory 1MiB --fold-memory panel=1GiB
told 'panel: apart, main: apart' --fold-memory nothing=1MiB
if (($(sed -n 's/HugePages_Free: *//p' /proc/meminfo) > 0)); then
	told 'panel: folded, main: folded' --fold-memory 1MiB --huge-pages
else
	for hold in "${holds[@]}"; do
		"$ORRERY" run -p graphene --fold-memory 1MiB --huge-pages --hold $hold -- "$dir/f" \
			tell 2>"$dir/err"
		[[ $? = 3 ]] && grep -q nr_hugepages "$dir/err" || { echo "huge pages";
			cat "$dir/err"; failed=1; }
	done
fi
for bad in panel=1 =1MiB 100 panel=many; do
	"$ORRERY" run -p graphene --fold-memory $bad -- "$dir/f" tell 2>"$dir/err"
	[[ $? = 2 ]] || { echo "$bad: $(cat "$dir/err")"; failed=1; }
done
"$ORRERY" cc -O1 -I"$SRC/include" -o "$dir/s" "$SRC/tests/programs/live_sparse.c" || exit 1
want='fresh: small
wrong: 0 0
strided: 0
partial: 0
grown: kept
again: the same, 0, gone'
for hold in "${holds[@]}"; do
	got=$("$ORRERY" run -q -np 2 -p graphene --computation none --fold-memory 64MiB \
		--hold $hold -- "$dir/s" >"$dir/out" 2>&1; head -6 "$dir/out")
	[[ $got = "$want" ]] || { echo "$hold: $got"; failed=1; }
done
# 512 MiB of addresses are 1 MiB of memory: so says the summary, whatever the kernel counts
mib=$("$ORRERY" run -q -np 2 -p graphene --computation none --fold-memory 1MiB -- "$dir/f" tell \
	much | sed -n 's/.*, \([0-9]*\)\.[0-9] MiB$/\1/p')
((mib > 0 && mib < 200)) || { echo "$mib MiB"; failed=1; }
# 64 ranks with 4 GiB each: blocks of 1 MiB would be 262,144 mappings, four times what there may be
far=$("$ORRERY" run -q -np 64 -p graphene --computation none --fold-memory 1MiB -- "$dir/f" tell \
	far | sort | uniq -c | sed -n 's/^ *//; /far/p')
[[ $far = "64 far: folded" ]] || { echo "$far"; failed=1; }
exit $failed
