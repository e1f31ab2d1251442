#!/bin/bash
# No option is passed over: given twice with two values, without the option that it belongs to, or
# beside one that says something else, it is refused (exit code 2) with its name. The options are
# those that `orrery VERB --help` lists, so that a new one is tried too.
. "$SRC/tests/need.bash"
scratch
verb_inputs

# once VERB OPTION: refused when given twice with two values
once() {
	local out
	out=$("$ORRERY" "$1" "--$2" 7 "--$2" 8 2>&1)
	[[ $? == 2 && $out == *"--$2 is given twice, as '7' and '8'"* ]] ||
		bad "$1 --$2 twice: $out"
	out=$("$ORRERY" "$1" "--$2" 7 "--$2" 7 2>&1)
	[[ $out != *"given twice"* ]] || bad "$1 --$2 twice the same: $out"
}
tried=0
for verb in trace run replay info convert gather platform export calibrate coll tune diff; do
	while read -r option; do
		once "$verb" "$option"
		tried=$((tried + 1))
	done < <("$ORRERY" "$verb" --help | sed -E ':a; N; $!ba; s/\n {20,}/ /g' |
		grep -vE 'may be repeated|several: a table|once, or for each' |
		sed -nE 's/^  (-., |    )--([a-z-]+) [^ ].*/\2/p')
done
((tried > 80)) || bad "only $tried options were found in --help"

# Each option is named in a page, under its long name; not those that every reader knows by their
# letter or that are ours alone.
cat "$SRC"/README.md "$SRC"/docs/*.md >"$tmp/pages"
for verb in trace run replay info convert gather platform export calibrate coll tune diff; do
	for option in $("$ORRERY" "$verb" --help | sed -nE 's/^  (-., |    )--([a-z-]+).*/\2/p'); do
		case $option in output | platform | quiet | help | pack) continue ;; esac
		grep -qE -- "--$option([^a-z-]|\$)" "$tmp/pages" ||
			bad "no page names $verb --$option"
	done
done

# refused TEXT COMMAND…: exit code 2 with the text
refused() {
	local text=$1 out
	shift
	out=$("$ORRERY" "$@" 2>&1)
	[[ $? == 2 && $out == *"$text"* ]] || bad "not refused ($text): $*: $out"
}
for option in '--sites 2' --force --per-rank; do
	refused "means nothing without" run -p two.xml $option -- ./none
done
for option in '--cpu-ratio 2' '--host-speed 1Gf' '--threads 2'; do
	refused "of computation, which takes no time" run -p two.xml --computation none $option -- x
done
refused "one of them" run -p two.xml --host-speed 1Gf --cpu-ratio 2 -- ./none
for option in '--rate 5' '--on-computation sleep' --per-rank; do
	refused "means nothing without" replay d -p two.xml $option
done
for option in --json --profile '-m LV08' '-p two.xml' '--runs 3' '--csv x'; do
	refused "--on measures a real machine" replay d --on mpirun $option
done
for kind in none volume recorded; do
	refused "computation/cpu-ratio has no effect" replay d -p two.xml --computation $kind \
		--cpu-ratio 2
done
refused "computation/rates has no effect" replay d -p two.xml --computation none --rates two.xml
for pair in '--matrix --json' '--matrix --structure' '--structure --json' \
	'--structure --handlers /x.so' '--handlers /x.so --json'; do
	refused "one of them" info c $pair
done
refused "for html" export run.rec -f csv --limit 5 -o x
for ranks in 0-2 2-5; do
	refused "the run has ranks 0 to 1" export run.rec --ranks $ranks -o x
done
for ranks in 0.5-1 0-0.9 1-0 0-1e0 0x0-1 1e400-1e401 ' 0-1'; do
	refused "--ranks wants FIRST-LAST" export run.rec --ranks "$ranks" -o x
done
for change in latency=2x,latency=3x speed=2x,bandwidth=2x,speed=2x os=0,os=2x; do
	refused "is said twice" replay d -p two.xml --what-if $change
done
for change in latency=2x, ,os=0 os=0,,speed=2x; do
	refused "nothing between two commas" replay d -p two.xml --what-if $change
done
exit $failed
