#!/usr/bin/env python3
"""Runs MPICH's test suite by `orrery run` and counts, by folder, with the reason of each failure.

  mpich_suite.py SUITE [FOLDER…] [--orrery PATH] [-p MACHINE] [--native MPIEXEC] [--jobs N]
                 [--limit SECONDS] [--processor-limit SECONDS] [--only NAME] [--failed FILE]
                 [--verbose] [--replay MPIEXEC]

SUITE is test/mpi of MPICH's sources, configured by its own configure with the compilers of the
MPICH that is installed (Debian: ./configure CC=mpicc.mpich MPICC=mpicc.mpich F77=mpif77.mpich
FC=mpif90.mpich MPIF77=mpif77.mpich MPIFC=mpif90.mpich FFLAGS=-fallow-argument-mismatch
FCFLAGS=-fallow-argument-mismatch --disable-cxx). A FOLDER is one of it (default: all those of
FOLDERS below) and stands for the folders that its testlist names. A line of a testlist is a
program, a number of ranks and what to expect. A test passes as MPICH's own runner says: the program
ends with 0 and prints `No Errors`, or, where the line says so, ends with another code.

--native runs the same lines under a real MPI, for comparison.
--replay runs them under a real MPI and the tracer; if one passes, its trace is replayed on the
machine, and passes where `orrery replay` ends with 0. A line that fails under the tracer is said to
fail as `traced: …`.
--limit is real time; --processor-limit is processor time of all processes of a line together, which
says the same on a computer that others use too: of those that run, and of those that ended and were
waited for.
"""
import argparse
import concurrent.futures
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

FOLDERS = ("attr coll comm datatype errhan group info init io pt2pt rma topo spawn threads part "
           "session mpi_t f77 f90 f08").split()


class Line:
    """One line of a testlist."""

    def __init__(self, folder, words):
        self.folder, self.name, self.ranks = folder, words[0], 2
        self.args, self.env, self.result = [], {}, "TestNormal"
        self.limit, self.expected = 180, False
        for word in words[1:]:
            key, _, value = word.partition("=")
            if word.isdigit():
                self.ranks = int(word)
            elif key == "arg":
                self.args.append(value)
            elif key == "env":
                name, _, text = value.partition("=")
                self.env[name] = text
            elif key == "resultTest":
                self.result = value
            elif key == "timeLimit":
                self.limit = int(value)
            elif key == "xfail":
                self.expected = True

    def title(self):
        return "%s/%s %d %s" % (self.folder, self.name, self.ranks, " ".join(self.args))


def read_lists(suite, folder):
    """Lines of the folder's testlist, and of the folders that it names."""
    path = os.path.join(suite, folder, "testlist")
    if not os.path.exists(path):
        return []
    out = []
    for text in open(path, encoding="utf-8", errors="replace"):
        words = text.split("#")[0].split()
        if not words:
            continue
        if os.path.isdir(os.path.join(suite, folder, words[0])) and len(words) == 1:
            out += read_lists(suite, folder + "/" + words[0])
        else:
            out.append(Line(folder, words))
    return out


def build(suite, lines, jobs):
    """Compiles what the lines name; a program that does not compile fails its lines later."""
    for folder in ("dtpools", "util"):
        subprocess.run(["make", "-s", "-k", "-j%d" % jobs, "-C", os.path.join(suite, folder)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    for folder in sorted({line.folder for line in lines}):
        names = sorted({line.name for line in lines if line.folder == folder
                        and not os.path.exists(os.path.join(suite, folder, line.name))})
        if names:
            make = ["make", "-s", "-k", "-j%d" % jobs, "-C", os.path.join(suite, folder)]
            subprocess.run(make + names, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                           check=False)


def command(options, line):
    program = "./" + line.name
    if options.native or options.replay:
        return [options.native or options.replay, "-n", str(line.ranks), program] + line.args
    hold = ["--hold", options.hold] if options.hold else []
    return [options.orrery, "run", "-q", "-np", str(line.ranks), "-p", options.machine] + hold + [
        "--", program] + line.args


def verdict(line, code, output):
    """None if the test passed, or why not."""
    found = re.search(r"^\s*No [Ee]rrors", output, re.M)
    if line.result in ("TestStatus", "TestErrFatal"):
        return None if code != 0 else "ended with 0"
    if line.result == "TestStatusNoErrors":
        return None if found else reason(output, "no `No Errors`")
    if code != 0:
        return reason(output, "exit code %d" % code)
    return None if found else reason(output, "no `No Errors`")


def reason(output, otherwise):
    """The most telling line of what a test printed."""
    for pattern in (r"orrery: .*", r".*MPI_ERR_\w+.*",
                    r".*(?:rror|ailed|xpected|ssert|deadlock).*"):
        found = re.search(pattern, output)
        if found:
            return "%s: %s" % (otherwise, found.group(0).strip()[:160])
    return otherwise


def processor_time(session):
    """Seconds that the processes of a session have used so far, and those that they waited for."""
    ticks = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/stat" % pid, encoding="utf-8") as stat:
                fields = stat.read().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


def ended(process, seconds):
    """Waits for a process: (has it ended, processor time of it and of whom it waited for)."""
    until = time.monotonic() + seconds
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return True, usage.ru_utime + usage.ru_stime
        if time.monotonic() >= until:
            return False, 0.0
        time.sleep(0.01)


def limited(options, words, limit, folder, env):
    """Runs a command: (exit code, output, why it was killed or None, processor time of it all)."""
    start, used, why = time.monotonic(), 0.0, None
    with tempfile.TemporaryFile() as out:
        process = subprocess.Popen(words, cwd=folder, env=dict(os.environ, **env),
                                   stdin=subprocess.DEVNULL, stdout=out,
                                   stderr=subprocess.STDOUT, start_new_session=True)
        while True:
            over, all_of_it = ended(process, min(2, limit))
            if over:
                out.seek(0)
                text = out.read().decode("utf-8", "replace")
                return process.returncode, text, None, max(used, all_of_it)
            used = max(used, processor_time(process.pid))
            if options.processor_limit and used > options.processor_limit:
                why = "more than %d s of processor time" % options.processor_limit
            elif time.monotonic() - start > limit:
                why = "more than %d s" % limit
            if why:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return -signal.SIGKILL, "", why, used


def replayed(options, line, folder, limit):
    """Traces a line and replays it: (why not or None, processor time seen)."""
    with tempfile.TemporaryDirectory(prefix="suite") as place:
        trace = os.path.join(place, "trace")
        words = [options.orrery, "trace", "-o", trace, "--"] + command(options, line)
        code, output, why, used = limited(options, words, limit, folder, line.env)
        why = why or verdict(line, code, output)
        if why:
            return "traced: " + why, used
        words = [options.orrery, "replay", "-q", trace, "-p", options.machine]
        code, output, why, used = limited(options, words, limit, place, {})
        return why or (reason(output, "exit code %d" % code) if code != 0 else None), used


def run(options, line):
    folder = os.path.join(options.suite, line.folder)
    if not os.access(os.path.join(folder, line.name), os.X_OK):
        return line, "not compiled", 0.0, 0.0
    limit = min(options.limit, line.limit) if not options.processor_limit else options.limit
    start = time.monotonic()
    if options.replay:
        why, used = replayed(options, line, folder, limit)
    else:
        code, output, why, used = limited(options, command(options, line), limit, folder, line.env)
        why = why or verdict(line, code, output)
    return line, why, time.monotonic() - start, used


def summary(results):
    folders = sorted({line.folder.split("/")[0] for line, _, _ in results})
    print("\n%-12s %6s %6s" % ("folder", "passed", "lines"))
    for folder in folders:
        mine = [why for line, why, _ in results if line.folder.split("/")[0] == folder]
        print("%-12s %6d %6d" % (folder, mine.count(None), len(mine)))
    print("%-12s %6d %6d" % ("all", sum(why is None for _, why, _ in results), len(results)))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite")
    parser.add_argument("folders", nargs="*", default=[])
    parser.add_argument("--orrery", default=os.environ.get("ORRERY", "orrery"))
    parser.add_argument("-p", "--machine", default="graphene")
    parser.add_argument("--hold", help="how ranks are held: processes or coroutines")
    parser.add_argument("--native")
    parser.add_argument("--replay", metavar="MPIEXEC",
                        help="trace the lines under this, replay their traces")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--processor-limit", type=int, default=0)
    parser.add_argument("--only")
    parser.add_argument("--failed", help="writes the lines that failed and why into this file")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    options.suite = os.path.abspath(options.suite)
    if not os.path.exists(os.path.join(options.suite, "Makefile")):
        sys.exit("%s: not configured; see --help" % options.suite)
    lines = [line for folder in options.folders or FOLDERS
             for line in read_lists(options.suite, folder)]
    lines = [line for line in lines if not options.only or re.fullmatch(options.only, line.name)]
    build(options.suite, lines, max(options.jobs, 2))
    results = []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for line, why, seconds, used in pool.map(lambda one: run(options, one), lines):
            results.append((line, why, seconds))
            if why or options.verbose:
                print("%-50s %5.1f s  %5.1f s  %s" % (line.title(), seconds, used, why or "passed"),
                      flush=True)
    if options.failed:
        with open(options.failed, "w", encoding="utf-8") as out:
            out.writelines("%s\t%s\n" % (line.title(), why) for line, why, _ in results if why)
    summary(results)
    return any(why for _, why, _ in results)


sys.exit(main())
