#!/bin/bash
# Completion knows verbs, options, machines, selectors and settings; what is near is offered; a
# preset has the figures of the machine it was measured on.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
has() { grep -q -- "$2" "$3" || { echo "$1: no '$2' in:"; head -20 "$3"; failed=1; }; }
"$ORRERY" help completion >"$tmp/orrery.bash" && PATH=$(dirname "$ORRERY"):$PATH bash -c '
source "$1"
try() {
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	COMPREPLY=()
	_orrery 2>/dev/null
	echo "${COMPREPLY[*]}"
}
[[ $(try orrery rep) = replay ]] &&
	[[ " $(try orrery replay -p gra) " = *" graphene "* ]] &&
	[[ $(try orrery replay --what) = --what-if ]] &&
	[[ " $(try orrery replay --selector mpich-) " = *" mpich-4 "* ]] &&
	[[ " $(try orrery replay --cfg smpi/bar) " = *" smpi/barrier: "* ]]' - "$tmp/orrery.bash" ||
	{ echo "completion of bash"; failed=1; }
"$ORRERY" help fish >"$tmp/fish"
has "completion of fish" "__fish_seen_subcommand_from replay' -l what-if" "$tmp/fish"
"$ORRERY" help zsh >"$tmp/zsh"
has "completion of zsh" "^#compdef orrery" "$tmp/zsh"
for shell in bash fish zsh; do
	"$ORRERY" help completion $shell | cmp - <("$ORRERY" help $shell) || failed=1
done
"$ORRERY" help bash | cmp - "$tmp/orrery.bash" || failed=1
"$ORRERY" help completion csh >"$tmp/out" 2>&1 && failed=1
has "completion of another" "'csh' is one word too many" "$tmp/out"
"$ORRERY" platform show graphen >"$tmp/out" 2>&1
has "a machine" "did you mean graphene?" "$tmp/out"
"$ORRERY" coll bcast -p graphene --np 4 --cfg smpi/coll-selector:mvapich >"$tmp/out" 2>&1
has "a selector" "did you mean mvapich2; there are: default" "$tmp/out"
"$ORRERY" platform generate fat-tree 4x4 --preset omni-path -o "$tmp/op.xml" -q || failed=1
"$ORRERY" platform show "$tmp/op.xml" --json -q >"$tmp/op" 2>/dev/null
"$ORRERY" platform show dahu --json -q >"$tmp/dahu" 2>/dev/null
python3 - "$tmp" <<'END' || { echo "preset omni-path"; failed=1; }
import json, sys
op, dahu = (json.load(open(sys.argv[1] + "/" + f)) for f in ("op", "dahu"))
assert op["settings"] == dahu["settings"], (op, dahu)
assert "Cornebize" in op["source"]
END
# Every preset gives the one-way times of its source (in the file), in microseconds, by bytes.
python3 - "$ORRERY" "$tmp" <<'END' || { echo "presets"; failed=1; }
import json, subprocess, sys
orrery, tmp = sys.argv[1:]
published = {
    "10gbe": {8: 17.7, 8192: 57.4, 524288: 834},      # medians of platform-calibration, taurus
    "100gbe": {1: 20.27, 4096: 24.27, 8192: 29.55, 65536: 44.55, 1048576: 423.57, 4194304: 1552.07},
    "ib-hdr": {1: 1.2, 4194304: 4194304 / 24600},
    "ib-ndr": {1: 1.5, 4194304: 4194304 / 50e3},
    "slingshot-11": {8: 3.8, 4194304: 4194304 / 24e3},
}
platform = tmp + "/preset.xml"
def generate(name):
    subprocess.run([orrery, "platform", "generate", "flat", "2", "--preset", name, "-q",
                    "-o", platform], check=True)
    subprocess.run([orrery, "platform", "check", platform], check=True, stdout=subprocess.DEVNULL)
def one_way(machine, size):
    trace = tmp + "/preset.trace"
    with open(trace, "w") as f:
        f.write("# orrery-trace 1 ranks=2\n0 init\n1 init\n0 send 1 0 %d\n1 recv 0 0 %d\n"
                "0 finalize\n1 finalize\n" % (size, size))
    told = subprocess.run([orrery, "replay", "-q", trace, "-p", machine, "--json", "--map-by",
                           "node"], check=True, capture_output=True).stdout
    return json.loads(told)["simulated_time"]
for name, times in published.items():
    generate(name)
    for size, us in times.items():
        got = one_way(platform, size)
        assert abs(got * 1e6 / us - 1) < 0.08, (name, size, got, us)
# Those of machines of the catalogue take what two neighbours of these do.
for name, machine in {"1gbe": "graphene", "ib-fdr": "stampede", "omni-path": "dahu"}.items():
    generate(name)
    for size in 8, 1048576:
        got, there = one_way(platform, size), one_way(machine, size)
        assert abs(got / there - 1) < 1e-9, (name, size, got, there)
END
for file in "$SRC"/data/networks/*.xml; do
	name=$(basename "$file" .xml)
	"$ORRERY" platform generate flat 2 --preset "$name" -q >/dev/null ||
		{ echo "preset $name"; failed=1; }
done
"$ORRERY" platform generate flat 4 --preset omnipath >"$tmp/out" 2>&1
has "a preset" "did you mean omni-path" "$tmp/out"
"$ORRERY" platform sow dahu >"$tmp/out" 2>&1
has "a word of platform" "did you mean show?" "$tmp/out"
"$ORRERY" coll alreduce -p dahu >"$tmp/out" 2>&1
has "an operation" "did you mean allreduce; there are: barrier" "$tmp/out"
"$ORRERY" --hlep >"$tmp/out" 2>&1
has "an option" "did you mean --help" "$tmp/out"
"$ORRERY" -v >"$tmp/out" 2>&1
grep -q "did you mean" "$tmp/out" && { echo "-v is near no verb:"; cat "$tmp/out"; failed=1; }
printf '0 init\n0 finalize\n' >"$tmp/one.tit"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/one.tit" >"$tmp/out" 2>&1
has "a machine that is no machine" "neither XML" "$tmp/out"
# what is not even text is neither a machine, nor a trace that is empty, nor a recording
head -c 3000 "$ORRERY" | tr '\n' ' ' >"$tmp/binary"
: >"$tmp/empty"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/binary" >"$tmp/out" 2>&1
has "a machine that is no text" "neither XML" "$tmp/out"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/empty" >"$tmp/out" 2>&1
has "an empty machine" "the file is empty: neither XML" "$tmp/out"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp" >"$tmp/out" 2>&1
has "a folder of machines" "is a folder, and a machine is a file, or a name of" "$tmp/out"
gzip -c "$SRC/tests/golden/cases/two.xml" >"$tmp/two.xml.gz"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/two.xml.gz" >"$tmp/out" 2>&1
has "a machine that gzip packed" "unpack it first (gzip -dk)" "$tmp/out"
printf '\3757zXZ' >"$tmp/two.xml.xz"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/two.xml.xz" >"$tmp/out" 2>&1
has "a machine that xz packed" "unpack it first (xz -dk)" "$tmp/out"
sed 's/latency="[^"]*"/latency="1e308s"/' "$SRC/tests/golden/cases/two.xml" >"$tmp/far.xml"
"$ORRERY" replay "$tmp/one.tit" -p "$tmp/far.xml" >"$tmp/out" 2>&1
has "a latency without end" "far.xml:7:34: latency of <link>: .* is too large" "$tmp/out"
"$ORRERY" replay "$tmp/binary" -p graphene >"$tmp/out" 2>&1
has "a trace that is no text" "neither a trace nor a list of trace files" "$tmp/out"
"$ORRERY" replay "$tmp/one.tit" -p graphene --rates "$tmp/empty" >"$tmp/out" 2>&1
has "empty rates" "empty:1: not a file of rates" "$tmp/out"
"$ORRERY" export "$tmp/one.tit" >"$tmp/out" 2>&1
has "a recording that is none" "a file written by 'orrery replay -o' (or run) is wanted" "$tmp/out"
"$ORRERY" replay "$tmp/one.tit" -p graphene -q -o "$tmp/one.rec" >"$tmp/out" || failed=1
"$ORRERY" replay "$tmp/one.tit" -p graphene -o "$tmp/page.html" >"$tmp/out" 2>&1 || failed=1
has "a recording that is called a page" \
	"page.html is to be a recording, not html: 'orrery export .*page.html -f html -o FILE'" \
	"$tmp/out"
for name in run.v2.svg run.html run none/../run.csv; do
	mkdir -p "$tmp/none"
	"$ORRERY" export "$tmp/one.rec" -o "$tmp/$name" >>"$tmp/said.$(basename $name)" 2>&1 ||
		failed=1
done
"$ORRERY" export "$tmp/one.rec" -f paje -o "$tmp/run.trace" >"$tmp/said.run.trace" 2>&1 || failed=1
has "an ending of no format" "svg is an html page, as no format's files end in '.svg'" \
	"$tmp/said.run.v2.svg"
cat "$tmp"/said.run.{html,csv,trace} "$tmp/said.run" | cmp - /dev/null || failed=1
"$ORRERY" trace -o "$tmp/t" "$tmp/prog" 2>"$tmp/out"
has "trace without --" "'--' is missing before the command: orrery trace -o DIR -- /" "$tmp/out"
"$ORRERY" trace mpirun -np 2 ./prog 2>"$tmp/out"
has "the command's option before --" "the command and its options go behind '--'" "$tmp/out"
list=$tmp/two$'\n'lines
"$ORRERY" convert "$tmp/one.tit" -q -f simgrid -o "$list" >"$tmp/out" 2>&1
has "a list with an end of line in its name" "a file name a line" "$tmp/out"
[[ -e $list ]] && { echo "a list that cannot be read was written"; failed=1; }
exit $failed
