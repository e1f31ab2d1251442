// Puts it together: the state of the page, and when what is painted.
//
// A change of the view asks for a frame; while frames follow each other the rows may be painted
// from the grid, and once more, exactly, when the hand rests. `data-*` of <html> tell a test what
// was read and painted.
"use strict";

const REST = 140; // ms without a change until the exact picture

class State {
	constructor(model) {
		this.model = model;
		this.view = viewNew(model.run);
		this.rowsCanvas = document.getElementById("rows");
		this.overCanvas = document.getElementById("over");
		this.overview = document.getElementById("overview");
		this.highlight = this.hover = this.selected = this.rectangle = null;
		this.arrows = "p2p";
		this.path = null; // parts of the critical path, when it is shown
		this.profileSort = "seconds";
		this.frame = this.rest = this.moving = 0;
		this.theme = readTheme();
		this.inView = new Float64Array(SLOTS);
	}
	// The next frame paints. hurried: more changes may follow at once.
	repaint(hurried) {
		this.hurried = Boolean(hurried);
		this.frame = this.frame || requestAnimationFrame(() => this.paint());
	}
	paint() {
		const started = performance.now();
		this.frame = 0;
		paintRows(this, this.hurried);
		paintOver(this);
		paintOverview(this);
		showSharesInView(this);
		showStatus(this);
		this.lastFrame = performance.now() - started;
		clearTimeout(this.rest);
		if (this.hurried)
			this.rest = setTimeout(() => this.repaint(false), REST);
	}
	show(view, hurried) {
		cancelAnimationFrame(this.moving);
		this.point(null);
		if (hurried || window.matchMedia("(prefers-reduced-motion: reduce)").matches) {
			this.view = view;
			this.repaint(hurried);
		} else {
			this.glide(view);
		}
	}
	// To another view in a sixth of a second; zooming keeps equal factors in equal times.
	glide(to) {
		const from = this.view, started = performance.now();
		const a = from.t1 - from.t0, b = to.t1 - to.t0;
		const step = () => {
			const k = Math.min(1, (performance.now() - started) / 160);
			const e = 1 - (1 - k) ** 3, dt = a * Math.pow(b / a, e);
			const w = Math.abs(b - a) > 1e-9 * a ? (dt - a) / (b - a) : e;
			const t0 = from.t0 + (to.t0 - from.t0) * w;
			const r0 = from.r0 + (to.r0 - from.r0) * e;
			const r1 = from.r1 + (to.r1 - from.r1) * e;
			this.view = k < 1 ? { ...to, t0, t1: t0 + dt, r0, r1 } : to;
			this.repaint(k < 1);
			if (k < 1)
				this.moving = requestAnimationFrame(step);
		};
		step();
	}
	move(dt, dr) {
		const v = this.view;
		this.show(viewMove(v, dt * (v.t1 - v.t0), dr * (v.r1 - v.r0)), true);
	}
	zoom(factor) {
		const v = this.view, { lanes } = this.model;
		const s = this.selected && lanes ? lanes[this.selected.row] : null;
		const mid = s ? s.start[this.selected.i] + s.length[this.selected.i] / 2 : NaN;
		const seen = mid >= v.t0 && mid <= v.t1;
		this.show(viewZoom(v, factor, seen ? mid : (v.t0 + v.t1) / 2));
	}
	zoomRows(factor) {
		this.show(viewZoomRows(this.view, factor, (this.view.r0 + this.view.r1) / 2));
	}
	point(hover, x, y) {
		const changed = JSON.stringify(hover) !== JSON.stringify(this.hover);
		this.hover = hover;
		showTip(this, x, y);
		if (changed)
			paintOver(this);
	}
	select(hit) {
		this.selected = hit && hit.row !== undefined ? { row: hit.row, i: hit.i } : null;
		showSelection(this);
		if (this.plot)
			paintOver(this);
	}
	step(by) {
		if (!this.selected)
			return;
		const l = this.model.lanes[this.selected.row];
		const i = Math.max(0, Math.min(l.n - 1, this.selected.i + by));
		this.select({ row: this.selected.row, i });
		this.show(viewReveal(this.view, l.start[i], l.length[i], this.selected.row));
	}
	focus() {
		if (!this.selected)
			return;
		const { row, i } = this.selected, l = this.model.lanes[row];
		this.show(viewTo(this.view, l.start[i], l.length[i], row));
	}
	goLongest(call) {
		const at = longestCall(this.model, call);
		if (!at)
			return;
		this.select(at);
		this.focus();
	}
	toggle(h) {
		const on = this.highlight;
		const same = on && on.class === h.class && on.call === h.call;
		this.highlight = same || (h.call !== undefined && !this.model.lanes) ? null : h;
		showSelection(this);
		this.repaint();
	}
	forget() {
		this.highlight = null;
		this.select(null);
		this.repaint();
	}
	nextArrows() {
		const select = document.getElementById("arrows"), all = ["p2p", "all", "none"];
		this.arrows = select.value = all[(all.indexOf(this.arrows) + 1) % 3];
		this.repaint();
	}
	togglePath() {
		if (!pathIsKnown(this.model))
			return;
		this.path = this.path ? null : pathWalk(this.model);
		showPath(this);
		this.repaint();
	}
	setTheme(name) {
		document.documentElement.dataset.theme = name;
		this.theme = readTheme();
		this.repaint();
	}
	nextTheme() {
		this.themeChosen = true;
		this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
	}
}

// What a test reads: the page decoded what was exported, and the classes of its calls add up to the
// profile's.
function tellTests(state) {
	const { model } = state, { run } = model, d = document.documentElement.dataset;
	d.rows = run.rows;
	d.states = model.lanes ? model.lanes.reduce((n, l) => n + l.n, 0) : 0;
	d.messages = model.messages.n;
	d.source = model.lanes ? "calls" : "density";
	d.view = `${state.view.t0} ${state.view.t1}`;
	const whole = model.lanes && run.ranks === run.all_ranks && run.from === 0 &&
		run.to === run.makespan;
	if (whole) {
		const most = 1e-6 * run.makespan * run.ranks + run.tick * d.states;
		const expected = (k) => run.profile.classes[run.classes[k].key].seconds;
		const right = (s, k) => Math.abs(s - expected(k)) <= most;
		d.agrees = classSeconds(model).every(right) ? "yes" : "no";
	}
	d.painted = "yes";
}

// #bench: how long frames take, for viewer/README.md. Zooms in 60 steps around the middle and
// moves.
function bench(state) {
	const times = [];
	for (let k = 0; k < 60; k++) {
		const v = state.view, middle = (v.t0 + v.t1) / 2 + 1e-4 * (v.t1 - v.t0);
		state.view = viewZoom(v, 1.2, middle);
		state.hurried = k % 2 === 0;
		state.paint();
		times.push(state.lastFrame);
	}
	state.view = viewAll(state.view);
	times.sort((a, b) => a - b);
	const median = times[30].toFixed(1), worst = times[59].toFixed(1);
	document.documentElement.dataset.frames = `median ${median} ms, worst ${worst} ms`;
}

// #t0=1.5&t1=1.6&r0=0&r1=4&arrows=all&path=1&theme=dark&row=3&call=7: a view to begin with, so that
// a link or a script can show a place. What is no number, or not in this run, is passed over.
function applyHash(state) {
	const h = new URLSearchParams(location.hash.slice(1)), v = state.view;
	const get = (k) => (h.get(k) && isFinite(h.get(k)) ? Number(h.get(k)) : v[k]);
	const [t0, t1, r0, r1] = ["t0", "t1", "r0", "r1"].map(get);
	state.view = viewClamp({ ...v, t0, t1, r0, r1 });
	if (["p2p", "all", "none"].includes(h.get("arrows")))
		state.arrows = document.getElementById("arrows").value = h.get("arrows");
	const system = window.matchMedia("(prefers-color-scheme: dark)");
	const asked = ["dark", "light"].find((name) => name === h.get("theme"));
	const ofSystem = () => (system.matches ? "dark" : "light");
	state.setTheme(asked || ofSystem());
	state.themeChosen = Boolean(asked);
	// A system that turns dark in the evening takes the page with it, unless its reader chose.
	system.addEventListener("change", () => state.themeChosen || state.setTheme(ofSystem()));
	if (h.get("path") === "1")
		state.togglePath();
	const [row, i] = ["row", "call"].map((k) => Number(h.get(k) || NaN));
	if (state.model.lanes && state.model.lanes[row] && i in state.model.lanes[row].start)
		state.select({ row, i });
}

// The class lays the page out as on paper before it is painted: nobody paints while it is printed.
function printing(state) {
	const root = document.documentElement;
	let theme;
	window.addEventListener("beforeprint", () => {
		({ theme } = root.dataset);
		root.classList.add("printing");
		state.setTheme("light");
		state.paint();
	});
	window.addEventListener("afterprint", () => {
		root.classList.remove("printing");
		state.setTheme(theme);
	});
}

async function main() {
	const loading = document.getElementById("loading");
	const started = performance.now();
	const model = await decodeAll((part) => {
		loading.textContent = `Reading the recording… ${Math.round(100 * part)} %`;
	});
	model.grid = model.grid || gridBuild(model);
	const state = new State(model);
	state.totals = gridTotals(model.grid);
	showHeader(state);
	showShares(state);
	applyHash(state);
	showProfile(state);
	showClasses(state);
	showAbout(state);
	showPath(state);
	showSelection(state);
	inputWheel(state, document.getElementById("plot"));
	inputDrag(state, document.getElementById("plot"));
	inputOverview(state);
	inputKeys(state);
	inputButtons(state);
	loading.remove();
	state.paint();
	new ResizeObserver(() => state.paint()).observe(document.getElementById("plot"));
	printing(state);
	document.documentElement.dataset.ready = `${Math.round(performance.now() - started)} ms`;
	tellTests(state);
	if (location.hash.includes("bench"))
		bench(state);
	window.orrery = state;
}

// The first error is the one to be told; those that follow from it would hide it. Also of a frame
// that is painted later, when the place of "Reading the recording" is gone.
function tellError(e) {
	const d = document.documentElement.dataset, why = String((e && e.message) || e);
	if (d.error !== undefined)
		return;
	d.error = why;
	let at = document.getElementById("loading");
	if (!at) {
		at = document.createElement("div");
		at.id = at.className = "loading";
		at.role = "alert";
		document.getElementById("plot").append(at);
	}
	at.textContent = `This page could not be shown: ${why}. ` +
		"A browser of 2023 or later is needed.";
}

window.addEventListener("error", (e) => tellError(e.error || e.message));
main().catch((e) => {
	tellError(e);
	throw e;
});
