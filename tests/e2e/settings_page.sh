#!/bin/bash
# docs/settings.md has every setting of the program, once, with its default, and no other.
set -u
"$ORRERY" help settings >"${TMPDIR:-/tmp}/settings.$$" || exit 1
python3 - "$SRC/docs/settings.md" "${TMPDIR:-/tmp}/settings.$$" <<'END'
import re, sys
page = {}
for line in open(sys.argv[1]):
    row = re.match(r"\| `([^`]*)` \| .* \| (.*) \|$", line)
    if row:
        assert row.group(1) not in page, f"{row.group(1)} is there twice"
        page[row.group(1)] = row.group(2)
table, name = {}, None
for line in open(sys.argv[2]):
    if re.match(r"  \S", line):
        name = line.strip()
    elif line.startswith("      default: "):
        table[name] = line[15:].strip()
wrong = [f"{n}: '{page.get(n)}' in docs/settings.md, '{table.get(n)}' in the program"
         for n in sorted(page.keys() | table.keys()) if page.get(n) != table.get(n)]
print("\n".join(wrong))
sys.exit(bool(wrong) or len(table) < 90)
END
failed=$?
rm -f "${TMPDIR:-/tmp}/settings.$$"
exit $failed
