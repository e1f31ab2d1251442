#!/usr/bin/env python3
"""documented.py PAGE [NAME=WORD…]: runs what a page of Markdown tells its reader to type, in the
current folder, and compares what it shows of the output. NAME=WORD: words put in another's place.

A block of code is one of commands where a line of it begins with one (COMMAND). Without prompts
each of its lines is a command; with prompts ("$ ") what stands below one is its output, of which
numbers may be others, "…" stands for anything, and not every line need be shown. A comment of
Markdown before a block says what a reader has, or why a test cannot run it:

    <!-- before: COMMAND -->      (several: in their order, once)
    <!-- untested: REASON -->     the next block; "untested WORDS: REASON": its lines with WORDS
    <!-- file: NAME -->           the next block is put into this file, for commands behind it
    <!-- table: COMMAND -->       the code in the next table's second column is commands; what
                                  begins with an option goes behind COMMAND

Of real runs at most four ranks are started."""
import html
import re
import subprocess
import sys

COMMAND = re.compile(r"(\$ )?((build/)?orrery|make|cc|ctest|lab/\w+|tests/\S+|\./\w+|git) ")
MARK = re.compile(r"<!-- (before|untested|table|file)( [^:]*)?: (.*?) -->$")
NUMBER = re.compile(r"[-+]?\d[\d.,]*(e[-+]?\d+)?")
LIMIT = 200  # s: a loaded computer is slow


class Block:
    """Lines of code that stand together, and the marks before them."""

    def __init__(self, line, marks):
        self.line, self.marks, self.lines = line, marks, []

    def marked(self, kind):
        """(words, text) of the marks of a kind."""
        return [(words, text) for k, words, text in self.marks if k == kind]

    def is_tested(self, command):
        return not any(words in command for words, _ in self.marked("untested"))


def blocks(text):
    """The blocks of code of a page and its tables (whose lines begin with a bar)."""
    found, marks, block, fence = [], [], None, None
    for number, line in enumerate(text.split("\n"), 1):
        if fence is not None:
            if line.strip() == "```":
                fence = block = None
            else:
                block.lines.append(line[fence:])
            continue
        mark = MARK.match(line.strip())
        if mark:
            marks.append((mark[1], (mark[2] or "").strip(), html.unescape(mark[3])))
            continue
        opens = re.match(r"( *)```", line)
        code = re.match(r"(    |\t)", line) and not re.match(r"\s*([-*]|\d+\.) ", line)
        if opens or code or line.startswith("|"):
            if block is None or opens:
                block = Block(number, marks)
                found.append(block)
                marks = []
            if opens:
                fence = len(opens[1])
            else:
                block.lines.append(line if line.startswith("|") else line.strip())
        else:
            block = None
    return found


def from_table(block):
    """The commands of a table that is marked so, and what they belong to."""
    stem = dict(block.marked("table")).get("")
    for row in block.lines[2:] if stem else []:
        for code in re.findall(r"`([^`]*)`", re.split(r"(?<!\\)\|", row)[2]):
            if code.startswith("--"):
                yield f"{stem} {code}", []
            elif code.startswith("orrery"):
                yield code, []


def commands(block):
    """(command, the lines of output that are shown) of a block."""
    if block.lines[0].startswith("|"):
        return list(from_table(block))
    lines = "\n".join(block.lines).replace("\\\n", " ").split("\n")
    if not any(COMMAND.match(line) for line in lines):
        return []
    prompts = any(line.startswith("$ ") for line in lines)
    found = []
    for line in lines:
        if line.startswith("$ ") or not prompts:
            found.append((re.sub(r"(^|\s+)#.*", "", line.removeprefix("$ ")).strip(), []))
        elif found and line.strip():
            found[-1][1].append(line)
    return [(command, shown) for command, shown in found if command]


def shape(line):
    """What an output's line has to match: words as shown, any numbers, "…" anything."""
    parts = [NUMBER.sub("\0", part) for part in line.strip().split("…")]
    return re.compile(".*".join(re.escape(part).replace("\0", NUMBER.pattern).replace(
        r"\ ", " +") for part in parts))


def mentions(text):
    """(verb, option) of all code in a page that names a verb and options."""
    code = [re.sub(r"\s+", " ", span) for span in re.findall(r"`([^`]+)`", text)]
    code += [command for block in blocks(text) for command, _ in commands(block)]
    for command in code:
        verb = re.match(r"(?:build/)?orrery ([a-z]+)", command)
        for option in re.findall(r" (--[a-z][a-z-]+)", command.split(" -- ")[0]) if verb else []:
            yield verb[1], option


def unknown_options(text):
    """Those that the help of their verb does not name."""
    helps = {}
    for verb, option in mentions(text):
        if verb not in helps:
            helps[verb] = run(f"orrery help {verb}", [])[1]
        if not re.search(re.escape(option) + r"(?![a-z-])", helps[verb]):
            yield f"orrery {verb} has no option {option}"


def unlike(shown, output):
    """The first line shown that the output has not, in this order; None if all are there."""
    rest = iter(output.split("\n"))
    for line in shown:
        wanted = shape(line)
        if not any(wanted.fullmatch(other.strip()) for other in rest):
            return line
    return None


def real(command):
    """The command with four ranks at most, where they are real processes under mpirun."""
    return re.sub(r"(mpirun\S* -np )(\d+)", lambda m: m[1] + str(min(4, int(m[2]))), command)


def run(command, words):
    for name, word in words:
        command = re.sub(rf"(?<![\w/.-]){re.escape(name)}(?![\w/-])", lambda _: word, command)
    try:
        done = subprocess.run(["bash", "-c", real(command)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT,
                              check=False)
    except subprocess.TimeoutExpired:
        return 124, f"not ended after {LIMIT} s"
    return done.returncode, done.stdout.decode("utf-8", "replace")


def check(place, command, shown, words):
    """What is wrong with a command, or None."""
    code, output = run(command, words)
    if code:
        return f"{place}: {command}: exit code {code}: {output}"
    line = unlike(shown, output)
    if line is not None:
        return f"{place}: {command}: shown is\n  {line}\nbut it says\n{output}"
    if re.search(r"not implemented|\.pyc|assert|BUG", output):
        return f"{place}: {command}: {output}"
    return None


def main():
    page, words = sys.argv[1], [word.split("=", 1) for word in sys.argv[2:]]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    found, tried, wrong = blocks(text), 0, 0
    for said in unknown_options(text):
        wrong = 1
        print(f"{page}: {said}")
    for block in found:
        for _, text in block.marked("before"):
            code, output = run(text, words)
            if code:
                sys.exit(f"{page}:{block.line}: before: {text}: exit code {code}: {output}")
        for _, name in block.marked("file"):
            with open(name, "w", encoding="utf-8") as file:
                file.write("\n".join(block.lines) + "\n")
        for command, shown in [] if block.marked("file") else commands(block):
            if not block.is_tested(command):
                continue
            tried += 1
            said = check(f"{page}:{block.line}", command, shown, words)
            if said:
                wrong = 1
                print(said)
    print(f"{page}: {tried} commands")
    return wrong


if __name__ == "__main__":
    sys.exit(main())
