#!/bin/bash
# No message and no page names a verb or a page that does not exist: 'orrery WORD' and `orrery WORD`
# in the sources and the documentation, docs/PAGE.md.
set -u
cd "$SRC" || exit 2
failed=0
verbs=" $("$ORRERY" help | awk '/^  [a-z]/ { print $1 }' | tr '\n' ' ') help version "
while IFS=: read -r file line word; do
	[[ $verbs == *" $word "* ]] || { echo "$file:$line: there is no verb '$word'"; failed=1; }
done < <(git grep -noE "['\`]orrery [a-z][a-z-]*" -- 'src/*.c' 'src/*.h' 'tracer/*.c' README.md \
	'docs/*.md' 'examples/*.md' | sed -E "s/['\`]orrery //")
while IFS=: read -r file line page; do
	[ -e "$page" ] || { echo "$file:$line: there is no page $page"; failed=1; }
done < <(git grep -noE "docs/[a-z0-9-]+\.md" -- 'src/*.c' 'src/*.h' 'tracer/*.c' README.md \
	ARCHITECTURE.md CONTRIBUTING.md 'docs/*.md')
# A page is in the menu of the site (make docs), but for decisions.
while read -r page; do
	grep -q ": ${page#docs/}$" docs/mkdocs.yml ||
		{ echo "$page is not in docs/mkdocs.yml"; failed=1; }
done < <(git ls-files 'docs/*.md' | grep -v '^docs/decisions/')
exit $failed
