#!/bin/bash
# Compressed traces of versions 2 and 3, as the programs before wrote them, are read as they were;
# one of a version that is not known is refused by its number. What is written is of version 4.
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
bad() { echo "$*"; failed=1; }
version_of() { od -An -tu4 -j16 -N4 "$1" | xargs; }
for v in 2 3; do
	old=$SRC/tests/e2e/old/version$v
	[[ $(version_of "$old") == "$v" ]] || bad "the old file is not of version $v"
	"$ORRERY" convert -q -f merged "$old" -o "$dir/text" 2>"$dir/err" || {
		grep -q "zstd, which this program was built without" "$dir/err" &&
			skip "orrery was built without zstd (Debian: libzstd-dev; then build again)"
		bad "version $v is not read: $(cat "$dir/err")"
	}
	diff "$old.tit" "$dir/text" >/dev/null || bad "version $v is read as something else"
	"$ORRERY" convert -q -f compressed "$old" -o "$dir/new" || bad "not written again"
	[[ $(version_of "$dir/new") == 4 ]] || bad "version $(version_of "$dir/new") is written"
	"$ORRERY" convert -q -f merged "$dir/new" -o "$dir/again" || bad "version 4 is not read"
	diff "$old.tit" "$dir/again" >/dev/null || bad "version 4 is read as something else"
	rm -f "$dir/text" "$dir/new" "$dir/again"
done
for v in 1 5; do
	python3 - "$old" "$dir/other" $v <<-'END'
		import sys, zlib
		data = bytearray(open(sys.argv[1], "rb").read())
		data[16:20] = int(sys.argv[3]).to_bytes(4, "little")
		data[28:32] = zlib.crc32(data[:28]).to_bytes(4, "little")
		open(sys.argv[2], "wb").write(data)
	END
	"$ORRERY" info -q "$dir/other" >/dev/null 2>"$dir/err"
	[[ $? == 2 ]] || bad "version $v: exit code 2 wanted"
	grep -q "a compressed trace of version $v: this program reads versions 2 to 4" "$dir/err" ||
		bad "version $v: $(cat "$dir/err")"
done
exit $failed
