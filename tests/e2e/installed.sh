#!/bin/bash
# An installed program that was moved finds its data beside itself, and not in the tree that it was
# built in.
set -u
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
mkdir -p "$tmp/bin" "$tmp/share/orrery/machines" "$tmp/empty/bin"
cp "$ORRERY" "$tmp/bin/orrery"
cp "$ORRERY" "$tmp/empty/bin/orrery"
sed 's/name: graphene/name: moved/' "$SRC/data/machines/graphene.xml" \
	>"$tmp/share/orrery/machines/moved.xml"
unset ORRERY_DATA
[ "$("$tmp/bin/orrery" platform list -q | awk '/^[a-z]/ { print $1 }')" = moved ] ||
	{ echo "data beside the program were not found"; failed=1; }
"$tmp/empty/bin/orrery" platform show graphene 2>&1 | grep -q "$SRC/data" &&
	{ echo "the source tree was looked into"; failed=1; }
# Who installs by components leaves nothing out.
for script in "${ORRERY%/*}"/{,*/}cmake_install.cmake; do
	grep -q '"Unspecified"' "$script" && { echo "$script: of no component"; failed=1; }
done
exit $failed
