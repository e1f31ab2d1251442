#!/bin/bash
# docs/json.md: each key that info, coll, diff, platform and calibrate print with --json is in its
# part of the page, and none is there that could not be printed. (Keys that are names of something,
# of actions, algorithms or settings, are not the page's affair.)
. "${SRC:-$(dirname "$0")/../..}/tests/need.bash"
need python3:python3
scratch
cat >two.trace <<'END'
# orrery-trace 1 ranks=2
0 init
1 init
0 region 1 a.c:1>a.c:2
0 compute 1e6 t=0.001 region=1
0 send 1 0 1000 6 t=0.001
1 recv 0 0 1000 6 t=0.5
0 finalize
1 finalize
END
{ echo m,n,k,node,day,duration &&
	seq 144 | awk '{print $1%7+3","$1%5+2","$1%9+1","$1%6","$1%4",0.01"$1}'; } >dgemm.csv
"$ORRERY" calibrate kernel --from dgemm.csv --model 2 -o - 2>&1 | grep -q "built without LAPACK" &&
	skip "orrery fits no models of kernels (Debian: liblapack-dev; then build again)"
o() { "$ORRERY" "$@" --json -q 2>err || bad "$*: $(cat err)"; }
"$ORRERY" replay -q two.trace -p graphene -o run >/dev/null || bad "replay"
"$ORRERY" convert -q two.trace -o folder || bad "convert"
o info folder >info
o coll bcast -p graphene --np 4 --bytes 8 -j 1 >coll
"$ORRERY" replay -q two.trace -p graphene --what-if latency=2x -o run2 >/dev/null || bad "replay"
{ o diff run two.trace && o diff run run2; } >diff
hosts=graphene-1.nancy.grid5000.fr,graphene-2.nancy.grid5000.fr
{ o platform list && o platform show graphene --hosts && o platform check graphene &&
	o platform show graphene --route $hosts; } >platform
cpu=$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')
{ o calibrate cpu two.trace && o calibrate memory --time 1 --largest 64KiB &&
	o calibrate noise --time 0.4 --quantum 200us --cpus "$cpu" &&
	"$ORRERY" calibrate kernel --from dgemm.csv --by node --session day -o - 2>err |
		tr -d '\n' && echo; } >calibrate
python3 - "$SRC/docs/json.md" <<'END' || failed=1
import json, re, sys

# Their keys are names; whose values are objects is looked into (NAMED), or is one of figures.
FREE = {"by_action", "by_communicator", "algorithms", "selectors", "settings", "reduce"}
# Printed of other runs than these: src/calibrate/cpu.c, osnoise_write.c, study/sweep_print.c,
# platform_print.c.
SELDOM = {"coll": {"instead_of", "algorithm", "seconds", "loss"},
          "calibrate": {"host", "working_set", "period", "period_95", "length", "length_95",
                        "probability", "rate", "median", "sigma"},
          "platform": {"speed_unit", "unit", "rate", "deviation"}}


def keys(value):
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    found = set()
    for k, v in value.items():
        found.add(k)
        if k not in FREE:
            found |= keys(v)
        elif k != "reduce" and isinstance(v, dict):
            found |= set().union(*map(keys, v.values()))
    return found


with open(sys.argv[1], encoding="utf-8") as f:
    parts = dict(re.findall(r"\n## (\w+)\n(.*?)(?=\n## |\Z)", f.read(), re.S))
wrong = 0
for verb, text in parts.items():
    page = set(re.findall(r"`([a-z_0-9]+(?:/[a-z-]+)?)`", text)) - {"null", verb, "list", "show",
                                                                    "check"}
    if verb == "diff":
        page.add("list")
    printed = set()
    with open(verb, encoding="utf-8") as f:
        for line in f:
            printed |= keys(json.loads(line))
    for key in sorted(printed - page):
        print(f"{verb}: {key}: not in the page")
        wrong = 1
    for key in sorted(page - printed - SELDOM.get(verb, set())):
        print(f"{verb}: {key}: not printed")
        wrong = 1
sys.exit(wrong or set(parts) != {"info", "coll", "diff", "platform", "calibrate"})
END
exit $failed
