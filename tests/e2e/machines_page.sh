#!/bin/bash
# The table of the catalogue in docs/machines.md: each machine of it, with as many hosts and cores
# as there are, and how far it is calibrated.
. "$SRC/tests/need.bash"
failed=0
bad() { echo "FAILED: $*"; failed=1; }

table() { # name, hosts, cores of a host, calibration
	local row='^| `\([a-z]*\)` | \([0-9]*\) [a-z ]*x \([0-9]*\) .* | \([a-z]*\) |$'
	sed -n "s/$row/\\1 \\2 \\3 \\4/p" "$SRC/docs/machines.md" | sort
}
shown() {
	local file name
	for file in "$SRC"/data/machines/*.xml; do
		name=$(basename "$file" .xml)
		"$ORRERY" platform show "$name" | awk -v name="$name" '
			/^hosts/ { hosts = $2; cores = $4 / $2 }
			/^calibration/ { how = $2; sub(/:/, "", how) }
			END { print name, hosts, cores, how }'
	done
}
diff <(shown) <(table) || bad "the catalogue (<) is not the page's table (>)"

# What a file does not say of itself is told; a calibration in words of its own is no measured one.
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$ORRERY" platform generate flat 2 --bandwidth 1GBps --latency 1us -o "$tmp/made.xml" -q || exit 1
sed '/^<!--/,/^-->/d' "$tmp/made.xml" >"$tmp/bare.xml"
"$ORRERY" platform show "$tmp/bare.xml" >"$tmp/out"
for what in source calibration; do
	grep -q "^$what  *the file does not say$" "$tmp/out" || bad "$what: $(cat "$tmp/out")"
done
printf '0 send 1 0 1000 6\n1 recv 0 0 1000 6\n' >"$tmp/two.trace"
for how in 'measured: all,published, measured' \
	'what was measured,assumed, its calibration does not'; do
	sed "s/^  calibration: .*/  calibration: ${how%%,*}/" "$tmp/made.xml" >"$tmp/how.xml"
	"$ORRERY" replay "$tmp/two.trace" -p "$tmp/how.xml" -q >"$tmp/out"
	grep -q "network: ${how#*,}" "$tmp/out" || bad "${how%%,*}: $(cat "$tmp/out")"
done
exit $failed
