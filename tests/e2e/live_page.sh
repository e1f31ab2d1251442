#!/bin/bash
# live_page.sh: the page of a recorded live run says of the critical path what the run itself says
# (--explain critical-path), in the file and in a browser: causes, messages and ranks. So does that
# of a replay that was asked for it; of another the page tells what its calls and messages show.
set -u
. "$SRC/tests/need.bash"
need python3:python3
mpicc=$(command -v mpicc.mpich || command -v mpicc.openmpi) ||
	skip "no mpicc of MPICH or Open MPI (Debian: libmpich-dev libopenmpi-dev)"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
"$mpicc" -O1 -w -o "$dir/spin" "$SRC/tests/programs/live_spin.c" || exit 1
chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
run() { # WAY, options
	local way=$1; shift
	"$ORRERY" run -q -n 4 -p graphene --computation none "$@" -- "$dir/spin" "$way" 7
}
# What the direct run prints, and what is in a page; one line: cause seconds, …
cat >"$dir/causes.py" <<'PY'
import json, re, sys
text = open(sys.argv[1]).read()
found = re.search(r'"critical_path":"((?:[^"\\]|\\.)*)"', text)
j = json.loads(json.loads('"%s"' % found[1])) if found else json.loads(text)["explain"]
assert abs(sum(c["seconds"] for c in j["causes"]) - j["seconds"]) < 1e-9 * j["seconds"], j
print(j["messages"], len(j["ranks"]), ", ".join("%s %.9f" % (c["cause"], c["seconds"])
                                                for c in j["causes"] if c["seconds"] > 0))
PY
says() { python3 "$dir/causes.py" "$1" || fail "$1 has no critical path"; }
browser() { # FILE: what the page shows of it
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$dir/profile" --dump-dom --window-size=1200,800 \
		--virtual-time-budget=20000 "file://$1#path=1" 2>"$dir/errors" |
		sed -n 's/.*data-causes="\([^"]*\)".*/\1/p' | head -1
}
for way in wait test; do
	run $way --json --explain critical-path >"$dir/$way.json" || fail "$way"
	want=$(says "$dir/$way.json")
	run $way -o "$dir/$way" >/dev/null || fail "$way: recording"
	"$ORRERY" export "$dir/$way" -o "$dir/$way.html" || fail "$way: export"
	got=$(says "$dir/$way.html")
	[[ $got == "$want" ]] || fail "$way: the page has '$got', the run '$want'"
done
[[ -z $chromium || $(browser "$dir/test.html") == "${want#* * }" ]] ||
	fail "the browser shows '$(browser "$dir/test.html")', the run said '$want'"

run wait --trace "$dir/trace" >/dev/null || fail "trace"
replay() { "$ORRERY" replay -q -p graphene "$dir/trace" "$@"; }
replay --json --explain critical-path -o "$dir/asked" >"$dir/asked.json" || fail "replay"
"$ORRERY" export "$dir/asked" -o "$dir/asked.html" || fail "export of a replay"
[[ $(says "$dir/asked.html") == "$(says "$dir/asked.json")" ]] || fail "the page of a replay"
replay -o "$dir/plain" >/dev/null || fail "replay"
"$ORRERY" export "$dir/plain" -o "$dir/plain.html" || fail "export of a plain replay"
grep -q '"critical_path":""' "$dir/plain.html" || fail "a replay that was not asked has the path"
[[ -z $chromium || -z $(browser "$dir/plain.html") ]] || fail "causes that nobody found"
[[ -n $chromium ]] || skip "the pages were not opened: no chromium (Debian: chromium)"
