#!/bin/bash
# docs/answer.md, JSON: each key that replay --json prints is there, and no other. (The keys of
# "explain" are the affair of docs/explain.md; those of "quantiles" are figures.)
. "$SRC/tests/need.bash"
need python3:python3
scratch
cat >two.trace <<'END'
# orrery-trace 1 ranks=2
0 init
1 init
0 region 1 a.c:1>a.c:2
0 compute 1e6 t=0.001 region=1
0 send 1 0 1000 6
1 recv 0 0 1000 6
0 finalize
1 finalize
END
"$ORRERY" replay -q two.trace -p graphene --json --profile --per-rank >one || bad "exit code $?"
"$ORRERY" replay -q two.trace -p graphene --json --runs 2 >runs || bad "exit code $?"
grep -v '0 send' two.trace >stuck.trace
"$ORRERY" replay -q stuck.trace -p graphene --json --profile --per-rank >stuck 2>err
[[ $? == 1 ]] || bad "a deadlock: $(cat err)"
python3 - "$SRC/docs/answer.md" one runs stuck <<'END' || failed=1
import json, re, sys


def keys(value):
    if isinstance(value, list):
        return set().union(*map(keys, value))
    if not isinstance(value, dict):
        return set()
    return set().union(*({k} | (keys(v) if k not in ("explain", "quantiles") else set())
                         for k, v in value.items()))


with open(sys.argv[1], encoding="utf-8") as f:
    part = f.read().split("\n## JSON\n")[1]
page = set(re.findall(r"`([a-z_0-9]+)`", part)) - {"null"}
printed = {"explain"}
for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as f:
        printed |= keys(json.load(f))
for key in sorted(printed ^ page):
    print(f"{key}: {'not in the page' if key in printed else 'not printed'}")
sys.exit(printed != page)
END
exit $failed
