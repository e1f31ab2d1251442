#!/bin/bash
# The Debian package is built with all that the program can be built with: each library's -dev
# package of tools/packages is in Build-Depends (not SimGrid's: tests alone compare with it).
# Without it, a clean chroot would make a package that reads fewer formats, and nobody would know.
cd "$SRC" || exit 2
depends=$(sed -n '/^Build-Depends:/,/^[A-Z][^ ]*:/p' debian/control | grep -v '^Rules')
failed=0 n=0
for package in $(tools/packages --list build mpi peers); do
	[[ $package == lib*-dev && $package != libsimgrid-dev ]] || continue
	n=$((n + 1))
	grep -qE "(^|[ ,])$package( |,|\$)" <<< "$depends" ||
		{ echo "debian/control: $package is not in Build-Depends"; failed=1; }
done
((n >= 8)) || { echo "tools/packages names $n libraries: too few"; failed=1; }
# What is installed is in a package. (Where libraries have a folder of the architecture, their
# packages name it.)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
DESTDIR=$work cmake --install "${ORRERY%/*}" --prefix /usr >"$work/log" 2>&1 ||
	{ cat "$work/log"; exit 1; }
(cd "$work" && find usr ! -type d) | python3 -c '
import glob, re, sys

def pattern(line):
    line = line.strip().replace("usr/lib/*/", "usr/lib/@")
    line = re.escape(line).replace(r"\*", "[^/]*").replace("@", "(?:[^/]*-linux-gnu[^/]*/)?")
    return re.compile(line + "(?:/|$)")

packed = [pattern(l) for f in glob.glob("debian/*.install") for l in open(f)]
paths = [l.strip() for l in sys.stdin]
lost = [p for p in paths if not any(q.match(p) for q in packed)]
for p in lost:
    print(p + ": of no package of debian/")
sys.exit(bool(lost) or len(paths) < 50)
' || failed=1
exit $failed
