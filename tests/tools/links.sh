#!/bin/bash
# What a page links to is there, file and heading; so is each file of this tree that it names in
# code. Tried on a page that names what is not.
SRC=${SRC:-$(cd "$(dirname "$0")/../.." && pwd)}
. "$SRC/tests/need.bash"
need python3:python3
scratch
cat >"$tmp/links.py" <<'END'
import glob, os, re, sys

FOLDERS = "docs|src|tests|tools|lab|bench|data|examples|include|cmake|tracer|libmpi|viewer|python"


def headings(page):
    with open(page, encoding="utf-8") as f:
        found = re.findall(r"^#+ (.*)$", f.read(), re.M)
    return {re.sub(r"[^\w-]", "", h.strip().lower().replace(" ", "-")) for h in found}


def wrong_of(page):
    with open(page, encoding="utf-8") as f:
        text = f.read()
    here = os.path.dirname(page)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, heading = link.partition("#")
        path = os.path.normpath(os.path.join(here, name)) if name else page
        if link.startswith("http"):
            continue
        if not os.path.exists(path):
            yield f"{page}: no file {link}"
        elif heading and heading not in headings(path):
            yield f"{page}: no heading {link}"
    for name in re.findall(rf"`((?:{FOLDERS})/[\w./-]+)`", text) + re.findall(r"`([\w-]+\.md)`",
                                                                              text):
        places = [os.path.join(folder, name) for folder in (".", "docs", here)]
        if not any(glob.glob(place + "*") for place in places):
            yield f"{page}: names {name}"


os.chdir(sys.argv[1])
pages = glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True)
wrong = [line for page in sorted(pages) for line in wrong_of(page)]
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
END
python3 "$tmp/links.py" "$SRC" || failed=1
mkdir -p "$tmp/t/docs"
printf '# One\n\n[a](docs/two.md#second) [b](docs/two.md#third) [c](three.md) `docs/two.md`\n' \
	>"$tmp/t/one.md"
printf '# Two\n\n## Second\n\n`src/nothing.c` `two.md` [up](../one.md#one) [web](https://x.y/z)\n' \
	>"$tmp/t/docs/two.md"
python3 "$tmp/links.py" "$tmp/t" >"$tmp/out" && bad "what is wrong passes"
diff "$tmp/out" - <<'END' || bad "other lines than these"
docs/two.md: names src/nothing.c
one.md: no heading docs/two.md#third
one.md: no file three.md
END
exit $failed
