#!/bin/bash
# docs/validation.md: the table "In short" is what the page's other tables make, and the sentence
# that README.md and docs/index.md take from it says the same. --update writes the table.
SRC=${SRC:-$(dirname "$0")/../..}
. "$SRC/tests/need.bash"
need python3:python3
python3 - "$SRC" "${1-}" <<'END'
import math, re, sys

tree, update = sys.argv[1], sys.argv[2] == "--update"
page = f"{tree}/docs/validation.md"
with open(page, encoding="utf-8") as f:
    text = f.read()
BARE = re.compile(r"[+-](\d+\.\d)(?: %)?$")


def anchor(heading):
    return re.sub(r"[^a-z0-9-]", "", heading.strip().lower().replace(" ", "-"))


def errors(section):
    """Of its last tables' columns whose names begin with "error" or a number of hosts, the values
    without a sign. Cells that are no error (times, intervals, nothing) are none of the form."""
    found, columns = [], None
    for line in section.split("\n"):
        cells = [c.strip() for c in line.strip("|").split("|")] if line.startswith("|") else None
        if not cells:
            columns = None
        elif columns is None:
            columns = [i for i, c in enumerate(cells)
                       if c == "error" or re.fullmatch(r"(Open MPI |MPICH )?[248]", c)]
        else:
            found += [float(m[1]) for i in columns if i < len(cells)
                      for m in [BARE.match(cells[i])] if m]
    return found


def least(values, part):
    """The least value that a part of all do not exceed."""
    return sorted(values)[math.ceil(part * len(values)) - 1]


assert least([1, 2, 3, 4], 0.5) == 2 and least(list(range(1, 11)), 0.9) == 9
sections = {}
for part in re.split(r"^#{2,3} ", text, flags=re.M)[1:]:
    heading, _, body = part.partition("\n")
    sections[anchor(heading)] = errors(body)
rows = re.findall(r"^\| .* \| \d+ \| .* \|$", text.split("\n## ")[1], flags=re.M)
wrong, found, groups = [], [], []
for row in rows:
    cells = [c.strip() for c in row.strip("|").split("|")]
    link = re.search(r"\(#(.*)\)", cells[0])
    values = sections[link[1]] if link else sum(groups[-4:], [])
    groups += [values] if link else []
    figures = [f"{len(values)}", *(f"{v:.1f}" for v in
               (least(values, 0.5), least(values, 0.9), max(values)))]
    found.append(figures)
    if cells[2:] != figures:
        wrong.append(f"{cells[0]}: {cells[2:]} in the page, {figures} by its tables")
        text = text.replace(row, "| " + " | ".join(cells[:2] + figures) + " |")
if len(rows) != 8:
    sys.exit(f"{page}: {len(rows)} rows of eight in the first table")
if update:
    with open(page, "w", encoding="utf-8") as f:
        f.write(text)
    wrong = []
cases, half, most, _ = found[-1]
said = (f"{cases} predictions of applications, half were within {half} % and nine of ten within "
        f"{most} % of the real time")
for name in "README.md", "docs/index.md":
    with open(f"{tree}/{name}", encoding="utf-8") as f:
        if said not in " ".join(f.read().split()):
            wrong.append(f"{name} does not say: {said}")
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
END
