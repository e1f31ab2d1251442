#!/bin/bash
# docs/settings.md has every setting of the program, once, with what the program says of it and its
# default, and no other. docs/models.md has the factors of the hybrid model, which no setting shows.
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
failed=$?
python3 - "$SRC/docs/models.md" "$SRC/src/net/model_hybrid.c" <<'EOF' || failed=1
import re, sys
page, code = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
rows = page.split("| size above, bytes | lf | bf |\n|---|---|---|\n")[1].split("\n\n")[0]
sizes, *rows = zip(*(re.findall(r"[\d.]+", row) for row in rows.split("\n")))
for name, row in zip(("latency_factors", "bandwidth_factors"), rows):
    text = "".join(re.findall('"(.*?)"', re.search(name + r'\[\] =([\s"\d.:;]*);\n', code)[1]))
    table = dict(pair.split(":") for pair in text.split(";"))
    assert table == dict(zip(sizes, row)), f"{name}: {table} in the program, {row} in the page"
EOF
exit $failed
