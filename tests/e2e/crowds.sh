#!/bin/bash
# A large crowd of unlike messages (docs/models.md): 108 ranks send messages of 1 to 100,000 bytes,
# all different, to all others at a time. Who reads the result is told that rates were found nearly;
# the exact run says nothing, and ends within 0.5 % of it. Where messages are alike all is exact.
. "$SRC/tests/need.bash"
scratch
n=108
awk -v n=$n 'BEGIN {
	for (r = 0; r < n; r++) {
		out = in_ = ""
		for (k = 0; k < n; k++) {
			out = out " " 1 + (r * n + k) * 48271 % 99991
			in_ = in_ " " 1 + (k * n + r) * 48271 % 99991
		}
		print r " init"; print r " alltoallv 1" out " 1" in_ " 6 6"; print r " finalize"
	} }' >unlike
awk '/alltoallv/ { $0 = $1 " alltoall 50000 50000 6 6" } { print }' unlike >alike
printf '%s\n' '<?xml version="1.0"?>' \
	'<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
	'<platform version="4.1">' \
	"<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-$((n - 1))\"" \
	' speed="1Gf" bw="125MBps" lat="10us"/></platform>' >m.xml
replay() { # TRACE OPTIONS: what it says in $out, the simulated time in $date
	out=$("$ORRERY" replay -p m.xml "$@" 2>&1) || bad "$*: $out"
	date=$(sed -n 's/^simulated time: \([^ ]*\) s$/\1/p' <<<"$out")
}
replay unlike
[[ $out == *"crowds of thousands of unlike messages"*"within 0.5 %"*"network/sharing-error:0"* ]] ||
	bad "it is not told: $out"
near=$date
replay unlike --explain message:500 -o rec # which asks for rates; observing changes nothing
[[ $date == "$near" ]] || bad "observed it ends at $date s, not $near s"
replay unlike --cfg network/sharing-error:0
[[ $out != *"crowds of"* ]] || bad "exactly, and yet: $out"
awk -v a="$near" -v b="$date" 'BEGIN { d = a - b; exit !(d < 0.005 * b && -d < 0.005 * b) }' ||
	bad "it ends at $near s, exactly at $date s"
replay alike --cfg smpi/alltoall:basic_linear
[[ $out != *"crowds of"* ]] || bad "alike, and yet: $out"
for wrong in -0.1 0.2 nan x; do
	out=$("$ORRERY" replay alike -p m.xml --cfg network/sharing-error:$wrong 2>&1)
	[[ $? == 2 && $out == *network/sharing-error* ]] || bad "$wrong: $out"
done
exit "${failed:-0}"
