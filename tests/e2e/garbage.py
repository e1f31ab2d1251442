"""Garbage for the verbs: arguments and files that were cut, doubled, exchanged, or have absurd
words in them. Each run ends within seconds, with an exit code of Orrery's (0 to 3), with a message
where it is not 0, and never by a signal or with a sanitizer's report.

usage: garbage.py WORK [CASES]      in a folder with base files (garbage.sh); ORRERY.

The mutants are the same each time.
"""
import os
import random
import re
import subprocess
import sys

ORRERY, WORK = os.environ["ORRERY"], sys.argv[1]
CASES = int(sys.argv[2]) if len(sys.argv) > 2 else 12
R = random.Random(42)
WORDS = ["", "0", "-1", "1e400", "nan", "inf", "-0", "99999999999999999999", "0x10", "a", ":", ";",
         ",", "..", "*", "%s%n", "\xff", " ", "=", "#", "->", "-", "1:2:3:4:5:6:7:8:9", "{", "}",
         "[", "]", '"', "\n", "\0"]


def base(name):
    with open(os.path.join(WORK, name), "rb") as f:
        return f.read()


def mutate_bytes(data):
    kind = R.randrange(6)
    lines = data.split(b"\n")
    at = R.randrange(len(lines))
    if kind == 0:
        return data[: R.randrange(len(data))]
    if kind == 1:
        lines.insert(R.randrange(len(lines)), lines[at])
    elif kind == 2:
        del lines[at]
    elif kind == 3:
        words = re.split(rb"([ ,;:])", lines[at])
        words[R.randrange(len(words))] = R.choice(WORDS).encode("latin1")
        lines[at] = b"".join(words)
    elif kind == 4:
        i = R.randrange(len(data))
        return data[:i] + bytes([R.randrange(256)]) + data[i + 1 :]
    else:
        i, k = sorted(R.randrange(len(data)) for _ in range(2))
        return data[:i] + data[k:]
    return b"\n".join(lines)


def mutate_text(text):
    words = re.split(r"(\d+|[^\w])", text)
    for _ in range(R.randint(1, 2)):
        words[R.randrange(len(words))] = R.choice(WORDS)
    return "".join(words).replace("\0", "") or "x"


def mutant(name):
    """A file made of one of WORK."""
    path = os.path.join(WORK, "mutant." + name)
    with open(path, "wb") as f:
        f.write(mutate_bytes(base(name)))
    return path


def run(words):
    try:
        done = subprocess.run([ORRERY] + [w.encode("latin1") for w in words],
                              capture_output=True, timeout=60, cwd=WORK)
    except subprocess.TimeoutExpired:
        return "does not end"
    text = done.stderr.decode("latin1")
    if done.returncode not in (0, 1, 2, 3):
        return "exit code %d: %s" % (done.returncode, text[-1500:])
    if "Sanitizer" in text or "runtime error" in text or "BUG" in text:
        return text[-1500:]
    if done.returncode == 0 or text.strip():
        return ""
    return "no message, exit code %d" % done.returncode


def plugin():
    """A shared object without its end, or with another header: what is in its segments is code."""
    data = bytearray(base("nic.so"))
    if R.random() < 0.5:
        data = data[: R.randrange(len(data))]
    else:
        data[R.randrange(64)] = R.randrange(256)
    with open(os.path.join(WORK, "mutant.so"), "wb") as f:
        f.write(data)
    return ["replay", "t", "-p", "p.xml", "-n", "4", "--model", os.path.abspath("mutant.so")]


def generate():
    kind = R.choice([
        ["flat", mutate_text("16")], ["torus", mutate_text("4x3x2")],
        ["fat-tree", mutate_text("4x4x2"), "--parents", mutate_text("2x1")],
        ["dragonfly", mutate_text("3x2x4x2")],
        ["hierarchical", mutate_text("2x3x4"), "--uplink", mutate_text("40GBps,2us;80GBps")]])
    return ["platform", "generate"] + kind + [
        "--bandwidth", R.choice(["1GBps", mutate_text("10GBps")]),
        "--name", R.choice(["x", mutate_text("abc")])]


replay = ["replay", "t", "-p", "p.xml", "-n", "4", "-q"]
TARGETS = {
    "explain": lambda: replay + [
        "--explain", mutate_text(R.choice(["rank:1", "message:3", "message:0-1#2"])),
        "--model", R.choice(["hybrid", "loggps", "IB", "dimemas"])],
    "runs": lambda: replay + [
        "--cfg", "noise/network:" + R.choice([
            mutate_text("0:1:1:0.1;1000:0.5:1:0.1:0.5:2:0.3"), "0:1:1:0.1"]),
        "--runs", mutate_text("3"), "--seed", mutate_text("7")],
    "models": lambda: replay + [
        "--model", mutate_text(R.choice([
            "loggps:L=1us,o=2us,g=1us,G=1ns,O=0,S=64KiB", "psins-bus", "IB"])),
        "--cfg", mutate_text(R.choice([
            "smpi/IB-penalty-factors:0.9;0.8;1.3", "psins/curves:allreduce:8:1e6:1000:1e8",
            "dimemas/collectives:bcast:log:max:lin:min",
            "network/bandwidth-factor:0:1;1000:0.5", "smpi/os:0:1us:1ns"]))],
    "rules": lambda: replay + [
        "--selector", "file:" + mutant(R.choice(["rules.ompi", "rules.mpich"]))],
    "machine": lambda: [
        "replay", "t", "-p", mutant("m.psins"), "-n", "4", "-q",
        "--model", R.choice(["psins-pmac", "dimemas"])],
    "hostfile": lambda: replay + ["--hostfile", mutant("hosts")],
    "trace": lambda: ["replay", mutant("t"), "-p", "p.xml", "-n", "4", "-q"],
    "diff run": lambda: ["diff", mutant("run.rec"), "t.times"],
    "diff real": lambda: ["diff", "run.rec", mutant("t.times")],
    "diff": lambda: ["diff", "run.rec", "t.times", "--outlier", mutate_text("50ms")],
    "export": lambda: [
        "export", mutant("run.rec"), "-f", R.choice(["csv", "html", "paje", "json"]),
        "-o", os.path.join(WORK, "out")],
    "coll": lambda: [
        "coll", R.choice(["bcast", mutate_text("allreduce")]), "-p", "p.xml",
        "-n", mutate_text("2..4"), "--bytes", mutate_text("8..64*8"), "-q", "-j", "1"],
    "tune": lambda: [
        "tune", "-p", "p.xml", "-n", mutate_text("2,4"), "--bytes", mutate_text("8,64"),
        "--operations", mutate_text("barrier"),
        "-f", R.choice(["ompi", "mpich", mutate_text("ompi")]), "-q", "-j", "1"],
    "generate": generate,
    "check": lambda: ["platform", "check", mutant("p.xml")],
    "route": lambda: ["platform", "show", "p.xml", "--route", mutate_text("h0,h1")],
    "network": lambda: [
        "calibrate", "network", "--from", mutant("network.csv"),
        "-o", os.path.join(WORK, "out.xml"), "-q",
        "--cabinets", R.choice(["2x2", mutate_text("2x2")])],
    "kernel": lambda: [
        "calibrate", "kernel", "--from", mutant("kernel.csv"), "--model", mutate_text("2"),
        "--noise", R.choice(["2", mutate_text("2")]), "-q"],
    "plugin": plugin,
}


def main():
    failed = ran = 0
    for name, make in TARGETS.items():
        if len(sys.argv) > 3 and sys.argv[3] != name:
            continue
        for _ in range(CASES):
            words = make()
            wrong = run(words)
            ran += 1
            if wrong:
                failed += 1
                print("%s: %s\n  %s" % (name, words, wrong))
                for w in words:
                    if ("mutant" in w and os.path.exists(os.path.join(WORK, w))
                            and os.environ.get("KEEP")):
                        os.system("cp '%s' '%s/%d.%s'" % (
                            os.path.join(WORK, w), os.environ["KEEP"], failed,
                            os.path.basename(w)))
    print("%d runs, %d failed" % (ran, failed))
    return 1 if failed else 0


sys.exit(main())
