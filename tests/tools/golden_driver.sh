#!/bin/bash
# The golden driver: exact and glob cases, wrong output, wrong exit code, noise on standard error,
# update.
set -e
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
cat > orrery <<'END'
#!/bin/sh
echo "one $1"
echo "two"
echo "three"
exit ${2:-0}
END
chmod +x orrery
export ORRERY=$tmp/orrery
golden=$SRC/tools/golden
make_case() { printf '# a case\ncmd: %s\nexit: %s\nmatch: %s\n---\n%s\n' "$@" > c.case; }
good() { "$golden" c.case > out 2>&1 || { echo "refused:"; cat c.case out; exit 1; }; }
bad() { if "$golden" c.case > out 2>&1; then echo "accepted:"; cat c.case; exit 1; fi; }
make_case 'orrery x' 0 exact $'one x\ntwo\nthree'; good
make_case 'orrery x 3' 3 exact $'one x\ntwo\nthree'; good
make_case 'orrery x 3' 0 exact $'one x\ntwo\nthree'; bad
make_case 'orrery y' 0 exact $'one x\ntwo\nthree'; bad
make_case 'orrery y' 0 glob $'one *\n...'; good
make_case 'orrery y' 0 glob $'...\nthree'; good
make_case 'orrery y' 0 glob $'one [xyz]\n...\nthree'; good
make_case 'orrery y' 0 glob $'one *\nthree'; bad
make_case 'orrery y' 0 glob $'one *\n...\nfour'; bad
make_case 'orrery x; echo careful >&2' 0 exact $'one x\ntwo\nthree'; bad
make_case 'orrery y 1' 0 exact 'old'
"$golden" --update c.case > out
good
grep -q '^exit: 1$' c.case && grep -q '^# a case$' c.case
