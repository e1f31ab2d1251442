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
def row(program, name, needs, below=True):
    return {"program": program, "class": name, "needs": needs, "low": 1,
            "real": 0.9 if below else 2}
# a side each, 0 for those of the other one; own values from twenty cases on: of 40 the
# ceil(41 x 0.95) = 39th, of the side with 20 cases 0.19, of the other with 20 cases 1.9; at 0.8
# (0.9 on each side) the ceil(41 x 0.9) = 37th
rows = [row(str(i), "short", i / 100) for i in range(1, 21)]
rows += [row(str(i), "short", i / 10, False) for i in range(1, 21)]
assert r.scales(rows)["short"] == {"below": 0.19, "above": 1.9}, r.scales(rows)
assert r.scales(rows, 0.8)["short"] == {"below": 0.17, "above": 1.7}, r.scales(rows, 0.8)
assert r.is_held(row("", "short", 0.19), r.scales(rows))
assert not r.is_held(row("", "short", 0.2), r.scales(rows))
assert r.is_held(row("", "short", 0.2, False), r.scales(rows))
# fewer: the larger of what all need (of 43 the 42nd: 0.19 and 1.9) and of the greatest but one
rows += [row("x", "polling", n) for n in (0.2, 0.3, 0.4)]
assert r.scales(rows)["polling"] == {"below": 0.3, "above": 1.9}, r.scales(rows)
assert r.scales(rows)["other"]["below"] == 0.3, r.scales(rows)
# 19 programs of three like cases each, all below: of the 54 others the ceil(55 x 0.95) = 53rd is
# the 18th program's, the greatest among them: only the greatest of all is not held when left out
rows = [row(str(i), "other", i / 100) for i in range(1, 20)] * 3
assert r.left_out(rows) == 54 and r.level_of(rows) == 0.9, r.level_of(rows)
# at 0.8 it is the ceil(55 x 0.9) = 50th, the 17th program's: two programs left out are not held
assert r.left_out(rows, 0.8) == 51, r.left_out(rows, 0.8)
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
