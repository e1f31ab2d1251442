#!/bin/bash
# parts: 5
# html_page.sh: the exported page refers to nothing outside of itself, and a browser without network
# reads and paints it: the script writes into data-* of <html> what it decoded, and whether the
# classes of the calls add up to the profile.
. "$SRC/tests/e2e/lib/recorded_run.sh"
. "$SRC/tests/need.bash"
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

recorded_run 6 10 "$dir/run" || fail "replay"
"$ORRERY" export "$dir/run" -o "$dir/run.html" || fail "export"
# Addresses of namespaces (w3.org) are names, not references.
refers='(src|href|url|import|fetch|XMLHttpRequest|WebSocket|sendBeacon)'
grep -oE "$refers"'[^"a-z]{0,3}["(]*(https?:)?//[^" ]*' "$dir/run.html" &&
	fail "the page refers to the network"
grep -qE '<(script|img|iframe|link)[^>]* (src|href)=' "$dir/run.html" &&
	fail "the page refers to other files"
grep -q "default-src 'none'" "$dir/run.html" || fail "the page does not forbid itself the network"
# It says how far the prediction may be off, as the replay did.
reach='in all about -[0-9]+ to \+[0-9]+ %( \(ranks wait [^"]*)?'
grep -qE "\"trust\":\"[^\"]*$reach\"" "$dir/run.html" ||
	fail "the page does not say how far it may be off"

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
	skip "the page was not opened: no chromium (Debian: chromium)"
look() { # FILE: the attributes of <html> once it was painted
	timeout 120 "$chromium" --headless --no-sandbox --disable-gpu \
		--user-data-dir="$dir/profile" --dump-dom --window-size=${size:-1200,800} \
		--virtual-time-budget=20000 "file://$1" 2> "$dir/errors" >"$dir/dom"
	grep -o "<html[^>]*>" "$dir/dom" | head -1
}
has() { [[ $seen == *"$1"* ]] || fail "$1 is not in: $seen"; }

opened() {
seen=$(look "$dir/run.html")
[[ -n $seen ]] || fail "the browser gave nothing: $(tail -3 "$dir/errors")"
has 'data-painted="yes"'; has 'data-agrees="yes"'; has 'data-source="calls"'
has 'data-rows="6"'; has 'data-states="312"'; has 'data-messages="160"'
# All of them are in view, the calls without duration at either end too.
grep -q 'title="in view: 312 calls' "$dir/dom" ||
	fail "$(grep -o 'title="in view: [^"]*' "$dir/dom")"
# How far off it may be stands under the time; files, of which there are none, are not spoken of.
grep -q 'id="reach"[^>]*>−[0-9]* to +[0-9]* %<' "$dir/dom" ||
	fail "nothing under the predicted time"
grep -qE 'in all</b> about −[0-9]+ to \+[0-9]+(&nbsp;|\xc2\xa0)%' "$dir/dom" ||
	fail "numbers of the line trust: $(grep -o 'in all</b>.\{40\}' "$dir/dom")"
grep -q '<li hidden=""><button[^>]*title="Show only I/O"' "$dir/dom" ||
	fail "I/O of a run without files"

# Under a name of many lines, in a low window, the timeline stays in its card: the page scrolls.
name=$(printf 'a_name_%.0s' {1..99})
cat - "$dir/run.html" >"$dir/long.html" <<END
<script>
const d = document.documentElement.dataset;
new MutationObserver(() => {
	if (!d.painted || d.inside)
		return;
	document.querySelector("h1").textContent = "$name";
	const bottom = (s) => document.querySelector(s).getBoundingClientRect().bottom;
	d.inside = (bottom(".plot") <= bottom(".timeline")) + " " + (innerHeight >= 560);
}).observe(document.documentElement, { attributes: true });
</script>
END
size=1000,750
seen=$(look "$dir/long.html")
has 'data-painted="yes"'; has 'data-inside="true true"'
size=

# A program that did not run to its end is no prediction: its page says why, and its calls that
# never ended wait, as in their profile: of 2 x 0.1 s rank 1 waits for 0.09 s (45 %), nothing is
# sent.
printf '%s\n' '# orrery-trace 1 ranks=2' '0 compute 1e9' '0 recv 1 0 100 6' '1 compute 1e8' \
	'1 recv 0 0 100 6' >"$dir/dead.trace"
"$ORRERY" platform generate flat 2 --speed 10Gf -q -o "$dir/flat.xml" || fail "generate"
"$ORRERY" replay "$dir/dead.trace" -p "$dir/flat.xml" --computation volume -o "$dir/dead" \
	>"$dir/out" 2>&1
[[ $? == 1 ]] || fail "the deadlock is none: $(cat "$dir/out")"
"$ORRERY" export "$dir/dead" -o "$dir/dead.html" 2>"$dir/told" || fail "export of a deadlock"
grep -q 'did not run to its end: deadlock at 0.1 s: 2 of 2 ranks wait for ever$' "$dir/told" ||
	fail "export says: $(cat "$dir/told")"
seen=$(look "$dir/dead.html")
has 'data-painted="yes"'; has 'data-agrees="yes"'
grep -q 'id="figure-is"[^>]*>until it failed<' "$dir/dom" || fail "a deadlock is a prediction"
grep -q '>This program did not run to its end: deadlock at 0.1 s' "$dir/dom" ||
	fail "the page of a deadlock does not say so: $(grep -A3 'id="notice"' "$dir/dom")"
grep -q 'rank 1, MPI_Recv since 0.01 s' "$dir/dom" || fail "nor where"
grep -q 'title="Show only waiting"[^>]*>.*>45.0 %<' "$dir/dom" ||
	fail "waiting: $(grep -o 'title="Show only waiting".\{300\}' "$dir/dom")"
}

changed() {
# Nor is a machine that was changed the machine: the page, and Perfetto's file, say what was.
"$ORRERY" replay "$dir/list" -p graphene -q --what-if latency=2x,speed=0.5x -o "$dir/other" \
	>"$dir/out" || fail "what if"
"$ORRERY" export "$dir/other" -o "$dir/other.html" || fail "export of a what-if"
"$ORRERY" export "$dir/other" -o "$dir/other.json" || fail "export of a what-if as JSON"
seen=$(look "$dir/other.html")
grep -q '<li>what if <b>latency=2x,speed=0.5x</b>' "$dir/dom" ||
	fail "the page does not say what if"
python3 -c 'import json, sys
got = [json.load(open(f))["otherData"].get("what_if") for f in sys.argv[1:]]
assert got == ["latency=2x,speed=0.5x"], got' "$dir/other.json" || fail "nor the JSON"
look "$dir/run.html" >"$dir/out"
grep -q '<li>what if' "$dir/dom" && fail "a what-if of none"

# The critical path that the page walks back is the one that a replay finds going forward.
seen=$(look "$dir/run.html#path=1")
want=$("$ORRERY" replay "$dir/list" -p graphene -q --json --explain critical-path | python3 -c '
import json, sys
e = json.load(sys.stdin)["explain"]
computed = sum(c["seconds"] for c in e["causes"] if c["cause"] == "computation")
print(e["messages"], "%.7f %.7f" % (computed, e["seconds"]))')
got=$(sed -n 's/.*data-path="\([^"]*\)".*/\1/p' <<<"$seen" |
	awk '{ printf "%d %.7f %.7f", $1, $2, $3 }')
[[ -n $want && $got == "$want" ]] || fail "critical path: the page has $got, the replay $want"
}

keys() {
# A link to a place that this run has not got, or that was mistyped, still shows the page. And keys:
# which does the page take? Those that scroll not from the cards, where they scroll. Paper is light,
# the page is dark again after it.
cat - "$dir/run.html" >"$dir/keys.html" <<'END'
<script>
const taken = (e, key) => !e.dispatchEvent(new KeyboardEvent("keydown",
	{ key, bubbles: true, cancelable: true }));
const waits = setInterval(() => {
	if (!window.orrery)
		return;
	clearInterval(waits);
	const card = document.querySelector("aside button"), plot = document.getElementById("plot");
	document.documentElement.dataset.keys = [taken(card, "ArrowDown"), taken(card, "PageUp"),
		taken(card, "+"), taken(plot, "ArrowDown"), taken(plot, "F5")].join(" ");
	// how much of it the rows have: of a narrow plot nearly all
	document.documentElement.dataset.wide = [300, 1000].map((w) =>
		Math.round(100 * layout(w, 400, window.orrery.view).w / w)).join(" ");
	// what is cleared over the rows is printed as white
	const over = document.getElementById("over").getContext("2d"), clear = over.clearRect;
	let cleared = 0;
	over.clearRect = function (...a) { cleared++; clear.apply(over, a); };
	window.dispatchEvent(new Event("beforeprint"));
	const rows = document.getElementById("rows");
	document.documentElement.dataset.paper = [document.documentElement.dataset.theme,
		document.body.offsetWidth, rows.width / rows.clientWidth, cleared].join(" ");
	window.dispatchEvent(new Event("afterprint"));
}, 10);
</script>
END
seen=$(look "$dir/keys.html#t0=soon&r0=99&row=6&call=0&arrows=some&theme=dark")
has 'data-theme="dark"'; has 'data-paper="light 980 2 0"'
has 'data-painted="yes"'; has 'data-view="0 '
has 'data-keys="false false true true false"'; has 'data-wide="75 85"'

# A system that turns dark while the page is open takes it with it, but for a reader who chose: the
# page before its key "t", after it, and one whose address names a theme.
cat - "$dir/run.html" >"$dir/evening.html" <<'END'
<script>
const system = new EventTarget(), real = window.matchMedia.bind(window), themes = [];
system.matches = false;
window.matchMedia = (q) => (q.includes("color-scheme") ? system : real(q));
const turns = (dark) => {
	system.matches = dark;
	system.dispatchEvent(new Event("change"));
	themes.push(document.documentElement.dataset.theme);
};
const waits = setInterval(() => {
	if (!window.orrery)
		return;
	clearInterval(waits);
	turns(true);
	turns(false);
	document.getElementById("theme").click();
	turns(true);
	turns(false);
	document.documentElement.dataset.evening = themes.join(" ");
}, 10);
</script>
END
seen=$(look "$dir/evening.html")
has 'data-evening="dark light dark dark"'
seen=$(look "$dir/evening.html#theme=light")
has 'data-evening="light light dark dark"'

# The timeline is on the first sheet, under what is told of the run; the tables are on the second.
timeout 120 "$chromium" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" \
	--virtual-time-budget=20000 --print-to-pdf="$dir/run.pdf" "file://$dir/run.html" 2>"$dir/errors"
sheets=$(grep -ac '/Type /Page$' "$dir/run.pdf")
[[ $sheets == 2 ]] || fail "printed on $sheets sheets: $(tail -3 "$dir/errors")"
}

broken() {
# An error while it is painted, at once or in a later frame, is told in the page, and by its own
# words.
for when in painting later; do
	cat - "$dir/run.html" >"$dir/broken.html" <<-END
	<script>
	// no timers: they use up the browser's time before there is a frame
	const breaks = () => { paintRows = () => { throw new Error("no ink"); }; };
	const d = document.documentElement.dataset;
	let broken = "$when" === "painting";
	if (broken)
		document.addEventListener("DOMContentLoaded", breaks);
	new MutationObserver(() => {
		const at = document.getElementById("loading");
		if (d.error !== undefined && at && d.told === undefined)
			d.told = at.textContent;
		if (!broken && d.painted && window.orrery) {
			broken = true;
			breaks();
			window.orrery.repaint();
		}
	}).observe(document.documentElement, { attributes: true });
	</script>
	END
	seen=$(look "$dir/broken.html")
	has 'data-error="no ink"'; has 'data-told="This page could not be shown: no ink. '
	[[ $when == later || $seen != *data-painted* ]] || fail "it was painted all the same"
done

# A run so short that no unit of time is near.
printf '0 init\n0 sleep 1e-250\n0 finalize\n' >"$dir/short.tit"
"$ORRERY" replay -q -p graphene -o "$dir/short" "$dir/short.tit" >"$dir/out" &&
	"$ORRERY" export -q "$dir/short" -o "$dir/short.html" || fail "export of a short run"
seen=$(look "$dir/short.html")
has 'data-painted="yes"'; has 'data-view="0 1e-250"'; has 'data-agrees="yes"'

# A run of no time: the strip of all of it says so.
printf '0 init\n0 finalize\n' >"$dir/none.tit"
"$ORRERY" replay -q -p graphene -o "$dir/none" "$dir/none.tit" >"$dir/out" &&
	"$ORRERY" export -q "$dir/none" -o "$dir/none.html" || fail "export of a run of no time"
cat - "$dir/none.html" >"$dir/drawn.html" <<'END'
<script>
const fill = CanvasRenderingContext2D.prototype.fillText, drawn = {};
CanvasRenderingContext2D.prototype.fillText = function (text, ...where) {
	(drawn[this.canvas.id] ||= new Set()).add(text);
	document.documentElement.dataset.drawn = [...drawn.overview || []].join("; ");
	fill.call(this, text, ...where);
};
</script>
END
seen=$(look "$dir/drawn.html")
has 'data-painted="yes"'; has 'data-drawn="whole run; 0 s; 100.0 %"'
}

parts() {
# A part of the dates is said to be one, beside the profile of the whole; the whole is not.
"$ORRERY" export "$dir/run" --ranks 3 --dates 0-0.0001 -o "$dir/some.html" || fail "export of dates"
seen=$(look "$dir/some.html"); has 'data-painted="yes"'
grep -q '>This page shows rank 3, dates from 0 s to 100.0 µs; the profile is of the whole run, ' \
	"$dir/dom" || fail "a part of the run: $(grep -o 'id="notice"[^<]*' "$dir/dom")"
look "$dir/run.html" >"$dir/out"
grep -q '>This page shows' "$dir/dom" && fail "the whole run is called a part"

"$ORRERY" export "$dir/run" --ranks 2-3 -o "$dir/part.html" || fail "export of a window"
seen=$(look "$dir/part.html")
has 'data-painted="yes"'; has 'data-rows="2"'; has 'data-states="104"'
}

mine 1 && opened
mine 2 && changed
mine 3 && keys
mine 4 && broken
mine 5 && parts
echo "ok"
