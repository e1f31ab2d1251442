#!/bin/bash
# info.sh: what `orrery info` says beside the actions: communicators, sizes, balance, files, who
# sends to whom; the same of text and of the compressed form, which is not unfolded; handlers in a
# shared object, compiled as a user would.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }
# Two ranks: 100 messages of 1,024 bytes and one of 3 from 0 to 1, an allreduce, a message to
# MPI_PROC_NULL, files.
awk 'BEGIN {
	print "# orrery-trace 1 ranks=2"
	print "0 init\n1 init"
	for (i = 0; i < 100; i++) {
		print "0 compute 1000 t=1e-6\n0 send 1 0 1024 6"
		print "1 recv 0 0 1024 6\n1 compute 3000 t=3e-6"
	}
	print "0 send 1 0 3 6\n1 recv 0 0 3 6\n0 send -2 0 77 6"
	print "0 allreduce 1 0 0\n1 allreduce 1 0 0"
	print "0 open data file=0\n0 write 500 file=0\n0 write 500 file=0"
	print "0 read 300 file=0\n0 close file=0"
	print "0 finalize\n1 finalize"
}' >"$work/text"
"$ORRERY" convert "$work/text" -o "$work/compressed" -f compressed || fail "convert"

# Regions bear the names of their call sites, whatever the form of the trace and what is asked.
printf '%s\n' '# orrery-trace 1 ranks=1' '0 init' '0 region 0 m+0x10>m+0x20' \
	'0 compute 1000 region=0 t=1e-6' '0 barrier' '0 finalize' >"$work/sited"
for form in text compressed; do
	rm -rf "$work/d"
	"$ORRERY" convert -q "$work/sited" -o "$work/d" || fail "a folder"
	if [[ $form == compressed ]]; then
		rm -f "$work/d"/rank-*
		"$ORRERY" convert -q "$work/sited" -f compressed -o "$work/d/events" ||
			fail "events"
	fi
	printf '%s\n' '# orrery-sites 1' 'm+0x10 a.c:5 main' >"$work/d/sites"
	"$ORRERY" info "$work/d" >"$work/out"
	grep -q '^a.c:5>m+0x20 ' "$work/out" || fail "regions of $form: $(cat "$work/out")"
	[[ $form == text ]] || "$ORRERY" info "$work/d" --structure >"$work/out"
	[[ $form == text ]] || grep -q 'region 0 a.c:5>m+0x20$' "$work/out" ||
		fail "structure: $(cat "$work/out")"
done
for t in text compressed; do
	"$ORRERY" info "$work/$t" >"$work/$t.out" || fail "info $t"
	[[ $("$ORRERY" info "$work/$t" --matrix) == $'from,to,messages,bytes\n0,1,101,102403' ]] ||
		fail "matrix of $t: $("$ORRERY" info "$work/$t" --matrix)"
	python3 - "$work/$t" <<'PY' || fail "json of $t"
import json, os, subprocess, sys
told = subprocess.run([os.environ["ORRERY"], "info", sys.argv[1], "--json"],
                      capture_output=True, check=True).stdout
j = json.loads(told)
world = j["by_communicator"]["MPI_COMM_WORLD"]
assert world == {"calls": 206 - 2 + 1, "bytes_sent": 102400 + 3 + 2 * 8}, world
sizes = j["message_sizes"]
assert sizes == [{"from": 2, "messages": 1}, {"from": 1024, "messages": 100}], sizes
system = j["files"]["system"]
assert system["calls"] == 5 and system["written"] == 1000 and system["read"] == 300
assert j["files"]["mpi"]["calls"] == 0
b = j["balance"]["computation_volume"]
assert (b["mean"], b["least"], b["most"], b["most_rank"]) == (200000, 100000, 300000, 1), b
PY
done
diff <(grep -v -e '^trace' -e '^format' "$work/text.out") <(grep -v -e '^trace' -e '^format' \
	"$work/compressed.out") || fail "text and compressed differ"

cmake --install "$(dirname "$ORRERY")" --prefix "$work/prefix" --component headers >"$work/log" \
	2>&1 || { cat "$work/log"; fail "installing headers"; }
cc -std=gnu11 -O1 -Wall -Wextra -Werror -shared -fPIC "-I$work/prefix/include" -o "$work/h.so" \
	"$SRC/examples/analysis/io_and_calls.c" || fail "building the example"
for t in text compressed; do
	"$ORRERY" info "$work/$t" --handlers "$work/h.so" >"$work/out" || fail "handlers of $t"
	grep -qE '^system I/O +5 +0.0$' "$work/out" &&
		grep -qE '^blocking +102 +101.0$' "$work/out" &&
		grep -qE '^collective +1 +1.0$' "$work/out" ||
		{ cat "$work/out"; fail "what the handlers count of $t"; }
done
"$ORRERY" info "$work/text" --handlers "$work/h.so:what" >/dev/null 2>"$work/err"
[[ $? == 2 ]] && grep -q "refuse 'what'" "$work/err" || fail "arguments refused"
(cd "$work" && "$ORRERY" info text --handlers h.so >/dev/null 2>err) &&
	fail "a relative path is taken"
grep -q 'absolute path' "$work/err" || fail "a relative path: $(cat "$work/err")"
"$ORRERY" info "$work/text" --handlers "$work/none.so" >/dev/null 2>"$work/err"
[[ $? == 2 ]] || fail "no file"
# An object that lost its end would end the process where it is loaded; one whose size is wrong.
head -c 5000 "$work/h.so" >"$work/cut.so"
"$ORRERY" info "$work/text" --handlers "$work/cut.so" >/dev/null 2>"$work/err"
[[ $? == 2 ]] && grep -q 'cut.so: it was cut short: it has 5000 bytes' "$work/err" ||
	fail "an object that was cut: $(cat "$work/err")"
sed 's/ANALYSIS_ABI, sizeof(struct orrery_analysis)/ANALYSIS_ABI, 8/' \
	"$SRC/examples/analysis/io_and_calls.c" >"$work/small.c"
cc -std=gnu11 -shared -fPIC "-I$work/prefix/include" -o "$work/small.so" "$work/small.c" ||
	fail "building another size"
"$ORRERY" info "$work/text" --handlers "$work/small.so" >/dev/null 2>"$work/err"
[[ $? == 2 ]] && grep -q 'has 8 bytes, not .*: its `size` is wrong' "$work/err" ||
	fail "another size: $(cat "$work/err")"
# What says NULL has nothing to say.
cat >"$work/mute.c" <<'C'
#include <orrery/analysis.h>
static void (*tell)(void *to, const char *text);
static void *begin(uint32_t ranks, const char *arguments,
                   void (*say)(void *to, const char *text), void *to)
{
	(void)ranks, (void)arguments;
	tell = say;
	say(to, NULL);
	say(to, "said\n");
	return to;
}
static int call(void *to, const struct orrery_analysis_call *c) { return !to || !c; }
static int end(void *to) { tell(to, NULL); return 0; }
const struct orrery_analysis orrery_analysis_entry = {
    ORRERY_ANALYSIS_ABI, sizeof(struct orrery_analysis), "mute", begin, call, NULL, end};
C
cc -std=gnu11 -shared -fPIC "-I$work/prefix/include" -o "$work/mute.so" "$work/mute.c" ||
	fail "building what says NULL"
[[ $("$ORRERY" info "$work/text" --handlers "$work/mute.so") == said ]] || fail "NULL is said"
exit 0
