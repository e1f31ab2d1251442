#!/bin/bash
# Each option that the help of a verb names, but those that all verbs have (--quiet, --help), is on
# a page (docs/, README.md), by its long name or, of --output and --platform, by its letter: whoever
# reads the pages finds what the program can do. (That what the pages name is there: documented.sh.)
. "$SRC/tests/need.bash"
scratch
cat "$SRC/README.md" "$SRC"/docs/*.md >pages

named() { # OPTION LETTER
	grep -qE -- "(^|[^[:alnum:]-])$1([^[:alnum:]-]|\$)" pages && return
	[[ $1 =~ ^--(output|platform)$ ]] &&
		grep -qE -- "(^|[^[:alnum:]-])-${1:2:1} " pages
}

options=0
for verb in $("$ORRERY" help | sed -n '/^verbs:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
	"$ORRERY" help "$verb" >help || bad "help $verb"
	while read -r option; do
		[[ $option =~ ^--(quiet|help)$ ]] && continue
		options=$((options + 1))
		named "$option" || bad "orrery $verb $option is on no page"
	done < <(sed -nE 's/^ +(-[a-zA-Z], )?(--[a-z0-9-]+).*/\2/p' help)
done
((options > 100)) || bad "$options options: is the help read?"
exit $failed
