#!/bin/bash
# python.sh: the Python module: times by hand (two hosts, 1 us, 1 GB/s, CM02 without factors),
# arrays, errors; the same as the command line.
build=$(dirname "$ORRERY")
python=/usr/bin/python3
[ -e "$build/python/orrery/_orrery.abi3.so" ] ||
	{ echo "skipped: no Python module was built (Debian: python3-dev)"; exit 77; }
$python -c 'import numpy' 2>/dev/null ||
	{ echo "skipped: no NumPy for $python (Debian: python3-numpy)"; exit 77; }
grep -q '^ORRERY_SANITIZE:STRING=address' "$build/CMakeCache.txt" &&
	{ echo "skipped: Python is not built with the address sanitizer"; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
cat >p.xml <<'XML'
<platform version="4.1"><zone id="z" routing="Full">
<host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>
<link id="wire" bandwidth="1GBps" latency="1us"/>
<route src="a" dst="b"><link_ctn id="wire"/></route></zone></platform>
XML
printf '0 compute 2e9\n0 send 1 7 1000 6\n1 recv 0 7 1000 6\n1 compute 1e9\n' >t.tit
export ORRERY
PYTHONPATH=$build/python $python - <<'PY'
import errno
import os
import pathlib
import signal
import subprocess
import threading

import numpy
import orrery

plain = {"network/model": "CM02", "network/crosstraffic": "no", "network/TCP-gamma": 0,
         "smpi/os": 0, "smpi/or": 0}
sent = 2 + 1e-6 + 1016 / 1e9


def close(a, b):
    assert numpy.allclose(a, b, rtol=1e-12, atol=1e-12), (a, b)


run = orrery.replay("t.tit", pathlib.Path("p.xml"), plain, computation="volume", messages=True,
                    record="r.orec")
close(run.time, sent + 1)
close(run.ends[1], sent + 1)
assert run.ends.shape == (2,) and run.classes.shape == (2, 7)
assert run.ranks == 2 and run.hosts == ["a", "b"]
close(run.classes.sum(axis=1), [run.time, run.time])
close(run.classes[:, run.names.index("computation")], [2, 1])
close(run.classes[1, run.names.index("waiting")], 2)
assert run.messages.shape == (1,) and run.messages["tag"][0] == 7
close(run.messages["received"], [sent])
close(run.matrix(), [[0, 1000], [0, 0]])
assert os.path.getsize("r.orec") > 100 and "2 ranks" in repr(run)

assert run.explanation is None
path = orrery.replay("t.tit", "p.xml", plain, computation="volume",
                     explain="critical-path").explanation
close(sum(c["seconds"] for c in path["causes"]), run.time)
assert path["messages"] == 1 and [r["rank"] for r in path["ranks"]] == [0, 1]

same = orrery.replay([["compute 2e9", "send 1 7 1000 6"], ("recv 0 7 1000 6", "compute 1e9")],
                     "p.xml", plain, computation="volume")
assert same.time == run.time and (same.classes == run.classes).all() and same.messages.shape == (0,)

# What if: a slow host computes 4 s, twice the latency; both ranks on one host; how far it may be
# off.
close(orrery.replay("t.tit", "p.xml", plain, computation="volume",
                    what_if="host:a.speed=0.5x,latency=2x").time, sent + 2 + 1e-6 + 1)
assert orrery.replay("t.tit", "p.xml", plain, computation="volume", what_if="").time == run.time
assert orrery.replay([["sleep 1"]] * 4, "graphene", map_by="node", oversubscribe=True).hosts == \
    [f"graphene-{i}.nancy.grid5000.fr" for i in range(4)]
both = orrery.replay([["sleep 1"]] * 4, "dahu", ppn=2).hosts
assert both[0] == both[1] != both[2] == both[3], both
assert run.trust["items"][0]["state"] == "assumed" and run.trust["above_95"] > 0, run.trust

told = subprocess.run([os.environ["ORRERY"], "replay", "-q", "t.tit", "-p", "graphene",
                       "--computation", "volume"], capture_output=True, text=True,
                      check=True).stdout
time = orrery.replay("t.tit", "graphene", computation="volume").time
assert told.endswith(f"simulated time: {time:.9f} s\n"), told

# Receives from any source in an order that has no end: what the first attempt saw does not count.
cases = pathlib.Path(os.environ["SRC"]) / "tests/golden/cases"
again = orrery.replay(cases / "wildcards.trace", cases / "wildcards.xml", messages=True)
assert "keep the order of the traced run" in again.notices
assert again.message_count == len(again.messages) == 5

# Names and texts that are not UTF-8: files are found by their bytes, errors show them.
latin = b"caf\xe9.tit"
open(latin, "wb").write(open("t.tit", "rb").read())
for path in latin, os.fsdecode(latin):
    assert orrery.replay(path, os.fsencode("p.xml"), plain, computation="volume").time == run.time
open("bad.tit", "wb").write(b"# orrery-trace 1 ranks=1\n0 caf\xe9 1\n")

for wrong, kind, words in (
    (lambda: orrery.replay("bad.tit", "p.xml"), ValueError, "bad.tit:2:3: expected an action"),
    (lambda: orrery.replay("bad.tit", "p.xml"), ValueError, "caf\\xe9"),
    (lambda: orrery.replay([], "p.xml"), ValueError, "a list for each rank"),
    (lambda: orrery.replay("a\0b", "p.xml"), ValueError, "null"),
    (lambda: orrery.replay("t.tit", "nowhere"), ValueError, "nowhere"),
    (lambda: orrery.replay("t.tit", "p.xml", {"smpi/os": "fast"}), ValueError, "smpi/os"),
    (lambda: orrery.replay([["recv 1 1 1 6"], ["recv 0 1 1 6"]], "p.xml"), RuntimeError,
     "deadlock"),
    (lambda: orrery.replay([["compute x"]], "p.xml"), ValueError, "rank 0:1:9"),
    (lambda: orrery.replay([[3]], "p.xml"), TypeError, "a list of lists of str"),
    (lambda: orrery.replay(["compute 1", "compute 2"], "p.xml"), TypeError,
     "a list of lists of str"),
    (lambda: orrery.replay(None, "p.xml"), TypeError, "program: the path of a trace, or a list"),
    (lambda: orrery.replay({0: ["compute 1"]}, "p.xml"), TypeError, "program: the path of"),
    (lambda: orrery.replay([5], "p.xml"), TypeError, "one for each rank, not 5"),
    (lambda: orrery.replay("t.tit", "p.xml", "network/model:CM02"), TypeError,
     "settings: a dict of names and values"),
    (lambda: orrery.replay("t.tit", "p.xml", {1: 2}), TypeError, "settings: names"),
    (lambda: orrery.replay("t.tit", "p.xml", {"smpi/os": "0\0fast"}), ValueError, "null"),
    (lambda: orrery.replay("t.tit", "p.xml", computation="fast"), ValueError, "fast"),
    (lambda: orrery.replay("t.tit", "p.xml", what_if="colour=2x"), ValueError, "--what-if colour"),
    (lambda: orrery.replay("t.tit", "p.xml", map_by="colour"), ValueError, "not 'colour'"),
    (lambda: orrery.replay("t.tit", "p.xml", map_by="node", hostfile="h"), ValueError, "hostfile"),
    (lambda: orrery.replay("t.tit", "p.xml", ppn=0), ValueError, "ppn"),
    (lambda: orrery.replay("t.tit", "p.xml", ppn="2"), TypeError, "(int), or None"),
    (lambda: orrery.replay("t.tit", "p.xml", ppn=True), TypeError, "not True"),
    (lambda: orrery.replay("t.tit", "p.xml", ppn=10**30), ValueError, "ppn: 1 to 1048576"),
    (lambda: orrery.replay("t.tit", None), TypeError, "machine: the path of a file"),
    (lambda: orrery.replay("t.tit", 5), TypeError, "or a name of the catalogue, not 5"),
    (lambda: orrery.replay("t.tit", "p\0.xml"), ValueError, "machine: 'p\\x00.xml' has a null"),
    (lambda: orrery.replay("t.tit", "\ud800"), ValueError, "machine: '\\ud800' is no text"),
    (lambda: orrery.replay("t.tit", "p.xml", hostfile=5), TypeError, "hostfile: the path of"),
    (lambda: orrery.replay("t.tit", "p.xml", hostfile=""), ValueError, "name of the hostfile"),
    (lambda: orrery.replay("t.tit", "p.xml", record=["r"]), TypeError, "record: the path of"),
    (lambda: orrery.replay("t.tit", "p.xml", computation=5), TypeError, "computation: a str"),
    (lambda: orrery.replay("t.tit", "p.xml", explain=b"links"), TypeError, "explain: a str"),
    (lambda: orrery.replay("t.tit", "p.xml", explain="\ud800"), ValueError, "explain: '\\ud800'"),
    (lambda: orrery.replay("t.tit", "p.xml", what_if={"latency": 2}), TypeError,
     'what_if: a str, "latency=2x,bandwidth=0.5x", or None, not {'),
    (lambda: orrery.replay("t.tit", "p.xml", map_by=1), TypeError, 'map_by: a str, "slot"'),
    (lambda: orrery.replay("t.tit", "p.xml", messages="no"), TypeError, "messages: True or False"),
    (lambda: orrery.replay("t.tit", "p.xml", oversubscribe=2), TypeError,
     "oversubscribe: True or False, not 2"),
    (lambda: orrery.replay("t.tit", "p.xml").matrix(), ValueError, "messages=True"),
):
    try:
        wrong()
    except kind as e:
        assert words in str(e), e
    else:
        raise AssertionError(f"no {kind.__name__}")

try:
    orrery.replay("t.tit", "p.xml", record="/dev/full")
except OSError as e:
    assert e.errno == errno.ENOSPC and "/dev/full" in str(e), e
else:
    raise AssertionError("a disk that is full")

# Ctrl-C ends a simulation: this one takes seconds on a fast computer.
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    orrery.replay([["compute 1e6", "barrier"] * 1500000] * 2, "p.xml", plain)
except KeyboardInterrupt:
    pass
else:
    raise AssertionError("nothing interrupted the simulation")

times = [None] * 8
def run_again(i):
    times[i] = orrery.replay("t.tit", "p.xml", plain, computation="volume").time


threads = [threading.Thread(target=run_again, args=(i,)) for i in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
assert times == [run.time] * 8

# A schedule whose ranks do several things at a time: the graph's time, 5 ms beside a message, not
# that of the sequence, and what its ranks did.
with open("s.goal", "w") as f:
    f.write("num_ranks 2\nrank 0 {\na: calc 5000000\ns: send 1000b to 1 cpu 1\n"
            "b: calc 2000000 cpu 1\nb requires s\n}\nrank 1 {\nr: recv 1000b from 0\n"
            "c: calc 6000000\nc requires r\n}\n")
graph = orrery.replay("s.goal", "p.xml", settings=plain, messages=True, explain="critical-path")
there = 1e-6 + 1016 / 1e9
close(graph.time, 6e-3 + there)
close(graph.ends, [5e-3, 6e-3 + there])
close(graph.messages["received"], [there])
assert graph.explanation["last_rank"] == 1 and graph.explanation["messages"] == 1
PY
r=$?
[ $r = 0 ] || exit $r
# Installed and moved, the module finds the library, and that the machines beside it: those of the
# catalogue (2 s of sleep), and of these two hosts here, 1 s of computation.
for part in library data python; do
	cmake --install "$build" --prefix "$work/here" --component $part >"$work/log" 2>&1 ||
		{ cat "$work/log"; exit 1; }
done
cp p.xml "$work/here/share/orrery/machines/moved.xml"
mv "$work/here" "$work/prefix"
module=$(dirname "$(dirname "$(find "$work/prefix" -name __init__.py)")")
env -u ORRERY_DATA -u LD_LIBRARY_PATH PYTHONPATH="$module" $python - <<'PY' || exit 1
import os

import orrery

assert orrery.__file__.startswith(os.environ["PYTHONPATH"]), orrery.__file__
with open("/proc/self/maps") as f:
    assert os.path.realpath("prefix") + "/lib" in "".join(l for l in f if "liborrery.so" in l)
assert orrery.replay([["sleep 2"]], "graphene").time == 2
run = orrery.replay([["compute 1e9"], []], "moved", computation="volume")
assert run.time == 1, run.time
PY
