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
exit $failed
