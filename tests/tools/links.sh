#!/bin/bash
# What a page links to is there, file and heading; so is each file of this tree that it names in
# code, and each section that a page or a source names behind its page: `page.md`, *Section*.
# Tried on a page that names what is not.
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


SECTION = re.compile(r"`?(?:docs/)?([\w-]+\.md)`?, "
                     r"""(?:\*([A-Z][^*]{3,}?)\*|"([A-Z][^"]{3,}?)"|'([A-Z][^']{3,}?)')"""
                     r"(?:, \*([\w][^*]+)\*)?")


def sections(path):
    """Headings, and words in bold type that begin a paragraph."""
    with open(path, encoding="utf-8") as f:
        found = re.findall(r"^(?:#+ (.*)|\*\*([^*]+?)\.?\*\*)", f.read(), re.M)
    return {(a or b).strip().lower() for a, b in found}


def unknown_sections(file):
    with open(file, encoding="utf-8") as f:
        text = re.sub(r'("?\n[\s*#/]*"?)|\s+', " ", f.read())
    for page, *names in SECTION.findall(text):
        path = f"docs/{page}"
        for name in names:
            if name and os.path.exists(path) and name.lower().rstrip(".,") not in sections(path):
                yield f"{file}: no section {page}, {name}"


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
    yield from unknown_sections(page)


os.chdir(sys.argv[1])
pages = glob.glob("*.md") + glob.glob("docs/**/*.md", recursive=True)
wrong = [line for page in sorted(pages) for line in wrong_of(page)]
for source in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
    wrong += unknown_sections(source)
print("\n".join(wrong), end="\n" if wrong else "")
sys.exit(bool(wrong))
END
python3 "$tmp/links.py" "$SRC" || failed=1
mkdir -p "$tmp/t/docs" "$tmp/t/src"
echo "/* docs/two.md, 'Second'; docs/two.md, 'Fourth' */" >"$tmp/t/src/a.c"
printf '# One\n\n[a](docs/two.md#second) [b](docs/two.md#third) [c](three.md) `docs/two.md`\n' \
	>"$tmp/t/one.md"
printf '# Two\n\n## Second\n\n`src/nothing.c` `two.md` [up](../one.md#one) %s\n' \
	'[web](https://x.y/z) `two.md`, *Second*, *third*' \
	>"$tmp/t/docs/two.md"
python3 "$tmp/links.py" "$tmp/t" >"$tmp/out" && bad "what is wrong passes"
diff "$tmp/out" - <<'END' || bad "other lines than these"
docs/two.md: names src/nothing.c
docs/two.md: no section two.md, third
one.md: no heading docs/two.md#third
one.md: no file three.md
src/a.c: no section two.md, Fourth
END
exit $failed
