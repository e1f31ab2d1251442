#!/bin/bash
# format_reader.sh: docs/formats/compressed-trace.md is enough to write another reader: one in
# Python that was written from it (format_reader.py, which also takes the operations' names from the
# page) says of a file what `orrery convert` writes as text.
set -u
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../need.bash"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
need python3:python3 zstd:zstd
# A ring of eight with nested loops, sizes that vary, a wildcard, loops that run another number of
# times, lists; strangers among equal values.
awk 'BEGIN {
	print "# orrery-trace 1 ranks=8"
	for (r = 0; r < 8; r++) {
		print r, "init"
		for (i = 0; i < 60; i++) {
			print r, "compute", 1000 + (i * 7919 + r * 31) % 977, "t=" (1 + i % 5) "e-6"
			print r, "irecv", (r + 7) % 8, i % 3, 100 + i * i % 53, 6, "req=0"
			for (k = 0; k < i % 4; k++) {
				seconds = k % 2 ? " t=3e-7" : ""
				print r, "isend", (r + 1) % 8, k, 4, 0, "req=" k + 1 seconds
			}
			for (k = 0; k < i % 4; k++) print r, "wait req=" k + 1
			print r, "waitany 2 reqs=0,9 done=0"
			if (r % 2) print r, "send", r - 1, 5, 8, 0
			else print r, "recv", r + 1, 5, 8, 0, "any=source"
			if (i % 10 == 9) print r, "allgatherv", r, "0 1 2 3 4 5 6 7 6 6"
			print r, "compute", 0.5 + i / 3
		}
		for (i = 0; i < 1500; i++) { # strangers among equal counts and volumes
			count = i * 7919 % 1009 < 40 ? 500 + i * i % 97 : 8
			print r, "send", (r + 1) % 8, 9, count, 6
			print r, "compute", i * 271 % 1009 < 40 ? 5000 + i : 1000
		}
		print r, "barrier"
		print r, "finalize"
	}
}' >"$work/guess"
"$ORRERY" convert "$work/guess" -f text -o "$work/text" || fail "the program"
"$ORRERY" convert "$work/guess" -f folder -o "$work/folder" || fail "text by its older name"
"$ORRERY" convert "$work/guess" -o "$work/default" || fail "the default"
for other in folder default; do
	diff -r "$work/text" "$work/$other" || fail "$other is not text"
done
"$ORRERY" convert "$work/guess" -f compressed -o "$work/packed" || fail "compressing it"
python3 "$here/format_reader.py" "$work/packed" "$here/../../docs/formats/compressed-trace.md" \
	>"$work/found" 2>"$work/forms" || fail "the reader: $(cat "$work/forms")"
grep -q "forms .*8 9" "$work/forms" || fail "no strangers: $(cat "$work/forms")"
python3 - "$work/text" >"$work/expected" <<'PY' || fail "the text"
import sys
sizes = {0: 8, 6: 1}
for rank in range(8):
    for line in open(f"{sys.argv[1]}/rank-{rank}.tit"):
        if line[0] == "#":
            continue
        word = [w for w in line.split() if "=" not in w]
        key = dict(w.split("=") for w in line.split() if "=" in w)
        out = word[:2]
        if word[1] in ("send", "isend", "irecv", "recv"):
            out.append(f"peer={word[2]} tag={word[3]} count={word[4]} type={word[5]}"
                       f" size={sizes[int(word[5])]} req={key.get('req', -1)}")
        if word[1] == "waitany":
            out.append(f"reqs={key['reqs']}")
        if word[1] == "compute":
            out.append(f"volume={float(word[2])!r}")
        out.append(f"ns={round(float(key['t']) * 1e9)}" if "t" in key else "ns=?")
        print(*out)
PY
diff "$work/expected" "$work/found" >"$work/diff" ||
	fail "$(grep -c '^[<>]' "$work/diff") lines: $(head -6 "$work/diff")"
[[ $(wc -l <"$work/found") -gt 3000 ]] || fail "so few events"
exit 0
