#!/bin/bash
# docs/settings.md has every setting of the program, once, with what the program says of it and its
# default, and no other.
. "$SRC/tests/need.bash"
need python3:python3
scratch
"$ORRERY" help settings >settings || exit 1
python3 - "$SRC/docs/settings.md" settings <<'END'
import re, sys
page = {}
for line in open(sys.argv[1], encoding="utf-8"):
    row = re.match(r"\| `([^`]*)` \| (.*?) \| .* \| (.*) \|$", line)
    if row:
        assert row[1] not in page, f"{row[1]} is there twice"
        page[row[1]] = (row[2], row[3])
blocks, table = {}, {}
for line in open(sys.argv[2], encoding="utf-8"):
    if re.match(r"  \S", line):
        words = blocks[line.strip()] = []
    elif blocks:
        words.append(line.strip())
for name, lines in blocks.items():
    said = re.match(r"(.*) default: (.*?)( also: .*)?$", " ".join(lines).strip())
    table[name] = said.group(1, 2)
wrong = [f"{n}:\n  {page.get(n)} in docs/settings.md,\n  {table.get(n)} in the program"
         for n in sorted(page.keys() | table.keys()) if page.get(n) != table.get(n)]
print("\n".join(wrong))
sys.exit(bool(wrong) or len(table) < 90)
END
