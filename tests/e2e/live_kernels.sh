#!/bin/bash
# --kernel on functions of a program, their sizes by place: by value, by address, beyond the
# registers; a model or a time. Only while the program is in MPI. Expected: 1e-6 * m * n + 0.25 s of
# the model, by hand.
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need_live
[[ $(uname -m) == x86_64 ]] || skip "functions of a program are found on x86-64 only"
failed=0
echo '{"model":1,"noise":0,"hosts":[{"host":"a","mean":{"mn":1e-6,"1":0.25}}]}' >"$dir/m.json"
"$ORRERY" cc -O1 -o "$dir/k" "$SRC/tests/programs/live_kernels.c" || exit 1
"$ORRERY" run -q -np 1 -p graphene --computation none --kernel "work(1)=$dir/m.json" --kernel \
	"by_address_(*1,*3)=$dir/m.json" \
	--kernel "many(7,8)=$dir/m.json" -- "$dir/k" | head -5 >"$dir/out"
diff - "$dir/out" <<-END || failed=1
	before 45 in 0 0 0
	0.251000
	0.250015
	0.250056
	after 3
END
"$ORRERY" run -q -np 1 -p graphene --computation none --kernel "work()=0.5" -- "$dir/k" |
	head -5 >"$dir/out"
diff - "$dir/out" <<-END || failed=1
	before 45 in 0 30 77
	0.500000
	0.000000
	0.000000
	after 3
END
# each host has its own model, M-2 by hand (m, n, k of many: 2, 3, 4): 24 * 0.001 + 6 * 0.01 +
# 8 * 0.1 + 12 * 1 + 100; that of the other host is not taken. It deviates in a run with a seed, and
# alike with the same seed.
printf 'graphene-7.nancy.grid5000.fr\n' >"$dir/hosts"
cat >"$dir/hosts.json" <<-END
	{"model":2,"noise":1,"hosts":[{"host":"graphene-70","mean":{"1":7}},
	{"host":"graphene-7","mean":{"mnk":0.001,"mn":0.01,"mk":0.1,"nk":1,"1":100},
	"deviation":{"1":2}}]}
END
many() { # OPTIONS: seconds of the call
	"$ORRERY" run -q -np 1 -p graphene --hostfile "$dir/hosts" --computation none --kernel \
		"many(2,3,4)=$dir/hosts.json" "$@" -- "$dir/k" | sed -n 4p
}
[[ $(many) == 112.884000 ]] || bad "M-2: $(many)"
seeded=$(many --cfg noise/seed:5)
awk -v x="$seeded" 'BEGIN {exit !(x != 112.884 && x > 110.2 && x < 122)}' || bad "a seed: $seeded"
[[ $seeded == "$(many --cfg noise/seed:5)" && $seeded != "$(many --cfg noise/seed:6)" ]] ||
	bad "seeds"
"$ORRERY" run -q -np 1 -p graphene --kernel "work(x)=0.5" -- "$dir/k" 2>"$dir/err" && failed=1
grep -q 'the places of' "$dir/err" || { cat "$dir/err"; failed=1; }
exit $failed
