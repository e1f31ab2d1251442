#!/bin/bash
# The scales of the model's own residual (src/sim/trust.c) follow from the table of programs seen
# (tests/residuals.csv) by the rule of tools/residuals; the rule, on a table worked by hand.
set -u
. "$SRC/tests/need.bash"
need python3:python3
scratch
"$SRC/tools/residuals" --check || failed=1
"$SRC/tools/residuals" >out || bad "tools/residuals: exit code $?"
inside=$(sed -n 's/^all: .* inside (\([0-9]*\)\..* %)$/\1/p' out)
((inside >= 90)) || bad "of programs left out fewer than 90 % are inside: $(cat out)"
python3 - "$SRC/tools/residuals" <<'END' || failed=1
import importlib.machinery, importlib.util, math, sys
loader = importlib.machinery.SourceFileLoader("residuals", sys.argv[1])
sys.dont_write_bytecode = True
r = importlib.util.module_from_spec(importlib.util.spec_from_loader("residuals", loader))
loader.exec_module(r)
# of 19 cases the ceil(20 x 0.9) = 18th; of 9 the 9th; 8 cannot hold the next nine times of ten
assert r.rank_of([i / 100 for i in range(19, 0, -1)]) == 0.18
assert r.rank_of([i / 100 for i in range(1, 10)]) == 0.09
assert r.rank_of([0.01] * 8) is None
# own values from ten cases on; else the larger of all and the greatest but one: of 15 cases the
# 15th (ceil(16 x 0.9)), 0.4; of the 12 the 12th (ceil(13 x 0.9)), 0.12
rows = [{"program": str(i), "class": "short", "needs": i / 100} for i in range(1, 13)]
rows += [{"program": "x", "class": "polling", "needs": n} for n in (0.2, 0.3, 0.4)]
assert r.scales(rows) == {"short": 0.12, "polling": 0.4, "other": 0.4}, r.scales(rows)
rows += [{"program": "y", "class": "short", "needs": 0.01}] * 30  # of 45 cases the 42nd: 0.12
assert r.scales(rows)["polling"] == 0.3, r.scales(rows)
# 19 programs of three like cases each: of the 54 others the 50th (0.9), 51st (0.91, 0.92) is the
# 17th program's, so that two programs left out of 19 are not held (51 of 57 are); the 52nd (0.93)
# holds all but the greatest
rows = [{"program": str(i), "class": "other", "needs": i / 100} for i in range(1, 20)] * 3
assert r.left_out(rows) == 51 and r.level_of(rows) == 0.93, r.level_of(rows)
assert r.left_out(rows, 0.93) == 54
# src/base/spread.c: of seed 1 a half; the distribution function of t is 1/2 + x / (2 sqrt(2 + x^2))
assert r.unit(1) == 0.5
for u in (0.01, 0.3, 0.975):
    x = r.t_two(u)
    assert abs(0.5 + x / (2 * math.sqrt(2 + x * x)) - u) < 1e-12
# runs all alike: the interval reaches a real time that is 10 % more when the 97.5 % point of the 40
# factors is 1.1; with one scale it is inside, with a hundredth less it is not
need = r.least_scale([1.0] * 40, 1.1)
assert r.interval([1.0] * 40, need)[1] >= 1.1 > r.interval([1.0] * 40, 0.99 * need)[1]
# about as if the point of the factors were that of their logarithms (between two, they differ)
logarithms = [r.t_two(r.unit(i)) for i in range(1, 41)]
assert abs(need / (math.log(1.1) / r.quantile(logarithms, 0.975)) - 1) < 0.1
END
exit $failed
