// Mouse, touch and keyboard. Every gesture ends in state.show(view) or state.toggle / select.
"use strict";

function pointOf(e, box) {
	const r = box.getBoundingClientRect();
	return { x: e.clientX - r.left, y: e.clientY - r.top };
}

// What is under the pointer: a message, a call, or (densities) a mixture.
function hitTest(state, p) {
	const { plot, model, view: v } = state;
	if (p.x < plot.x || p.x > plot.x + plot.w || p.y < plot.y || p.y >= plot.y + plot.used)
		return null;
	const message = arrowAt(state, p.x, p.y), t = plot.tOf(p.x);
	const row = Math.min(model.run.rows - 1, Math.floor(plot.rOf(p.y)));
	const pixel = (v.t1 - v.t0) / plot.w;
	if (message >= 0)
		return { message };
	if (!model.lanes)
		return hitMix(state, row, t);
	const lane = model.lanes[row], i = laneAt(lane, t, 3 * pixel);
	if (i < 0)
		return null;
	return { row, i, others: laneCount(lane, t - pixel / 2, t + pixel / 2, model.run.tick) };
}

function hitMix(state, row, t) {
	const { run, grid } = state.model, cell = (run.to - run.from) / grid.columns;
	const c = Math.min(grid.columns - 1, Math.floor((t - run.from) / cell));
	const first = run.first_rank + Math.floor((row * run.ranks) / run.rows);
	const last = run.first_rank + Math.floor(((row + 1) * run.ranks) / run.rows) - 1;
	const shareOf = (i) => grid.share[(row * CLASSES + i) * grid.columns + c] / 255;
	const mix = run.classes.map((k, i) => [k.name, shareOf(i)]).filter(([, s]) => s > 0)
		.map(([n, s]) => [n, formatPercent(s)]);
	const ranks = last > first ? `ranks ${first} to ${last}` : `rank ${first}`;
	return { mix, title: `${ranks} around ${formatTime(t)}` };
}

function inputWheel(state, box) {
	box.addEventListener("wheel", (e) => {
		e.preventDefault();
		const p = pointOf(e, box), { plot, view: v } = state;
		const unit = e.deltaMode === 1 ? 30 : 1, dy = e.deltaY * unit, dx = e.deltaX * unit;
		if (e.ctrlKey || e.altKey)
			state.show(viewZoomRows(v, Math.exp(-dy * 0.002), plot.rOf(p.y)), true);
		else if (e.shiftKey || Math.abs(dx) > Math.abs(dy)) {
			const by = (e.shiftKey ? dy + dx : dx) / plot.w;
			state.show(viewMove(v, by * (v.t1 - v.t0), 0), true);
		} else {
			const at = Math.min(v.t1, Math.max(v.t0, plot.tOf(p.x)));
			state.show(viewZoom(v, Math.exp(-dy * 0.002), at), true);
		}
	}, { passive: false });
}

// One pointer drags (or draws a rectangle with Shift), two pinch.
function inputDrag(state, box) {
	const pointers = new Map();
	let start = null;
	const begin = () => {
		const [a, b] = [...pointers.values()];
		start = { view: state.view, plot: state.plot, a: { ...a }, b: b ? { ...b } : null,
			moved: false };
	};
	box.addEventListener("pointerdown", (e) => {
		if (e.button !== 0)
			return;
		box.focus({ preventScroll: true });
		box.setPointerCapture(e.pointerId);
		pointers.set(e.pointerId, pointOf(e, box));
		begin();
		if (e.shiftKey && pointers.size === 1)
			state.rectangle = { x0: start.a.x, y0: AXIS, x1: start.a.x,
				y1: AXIS + state.plot.used, row0: start.a.y };
	});
	box.addEventListener("pointermove", (e) => {
		const p = pointOf(e, box);
		if (!pointers.has(e.pointerId)) {
			state.point(hitTest(state, p), e.clientX, e.clientY);
			return;
		}
		pointers.set(e.pointerId, p);
		dragTo(state, box, start, [...pointers.values()]);
	});
	const end = (e) => {
		if (!pointers.delete(e.pointerId))
			return;
		box.classList.remove("moving");
		if (pointers.size > 0)
			return begin();
		if (state.rectangle)
			rectangleDone(state);
		else if (start && !start.moved && e.type === "pointerup")
			state.select(hitTest(state, pointOf(e, box)));
		start = null;
	};
	box.addEventListener("pointerup", end);
	box.addEventListener("pointercancel", end);
	box.addEventListener("pointerleave", () => state.point(null));
	box.addEventListener("dblclick", (e) => {
		const hit = hitTest(state, pointOf(e, box));
		if (hit && hit.row !== undefined) {
			const l = state.model.lanes[hit.row];
			state.show(viewTo(state.view, l.start[hit.i], l.length[hit.i], hit.row));
		}
	});
}

function dragTo(state, box, start, [a, b]) {
	const { view: v, plot } = start;
	if (Math.hypot(a.x - start.a.x, a.y - start.a.y) > 3)
		start.moved = true;
	if (state.rectangle) {
		// ranks too, once the hand clearly moves down
		const high = Math.abs(a.y - start.a.y) > 24;
		const x1 = Math.max(plot.x, Math.min(plot.x + plot.w, a.x));
		state.rectangle = { ...state.rectangle, x1, y0: high ? start.a.y : AXIS,
			y1: high ? a.y : AXIS + plot.used };
		state.repaint();
	} else if (b && start.b) {
		const apart = Math.max(20, Math.abs(start.a.x - start.b.x));
		const t = plot.tOf((start.a.x + start.b.x) / 2);
		const f = Math.max(20, Math.abs(a.x - b.x)) / apart;
		const by = ((start.a.x + start.b.x - a.x - b.x) / 2) / plot.w;
		state.show(viewMove(viewZoom(v, f, t), by * ((v.t1 - v.t0) / f), 0), true);
	} else if (start.moved) {
		box.classList.add("moving");
		const by = ((start.a.x - a.x) / plot.w) * (v.t1 - v.t0);
		state.show(viewMove(v, by, (start.a.y - a.y) / plot.row), true);
	}
}

function rectangleDone(state) {
	const d = state.rectangle, { plot, view: v } = state;
	const a = plot.tOf(Math.min(d.x0, d.x1)), b = plot.tOf(Math.max(d.x0, d.x1));
	const y0 = Math.min(d.y0, d.y1), y1 = Math.max(d.y0, d.y1);
	const rows = y0 > AXIS + 0.5 || y1 < AXIS + plot.used - 0.5;
	state.rectangle = null;
	if (Math.abs(d.x1 - d.x0) < 4)
		return state.repaint();
	const r0 = Math.floor(rows ? plot.rOf(y0) : v.r0);
	const r1 = Math.ceil(rows ? plot.rOf(y1) : v.r1);
	const last = Math.min(v.run.rows, Math.max(r0 + 1, r1));
	state.show(viewClamp({ ...v, t0: a, t1: b, r0, r1: last }));
}

// The frame of the overview follows the pointer; a click outside of it jumps there; its edges can
// be taken.
function inputOverview(state) {
	const box = state.overview;
	let drag = null;
	const near = (x, t) => Math.abs(x - overviewX(state, t)) < 6;
	const edge = (x) => (near(x, state.view.t0) ? "t0" : near(x, state.view.t1) ? "t1" : "");
	box.addEventListener("pointerdown", (e) => {
		const { x } = pointOf(e, box), t = overviewT(state, x), v = state.view;
		box.setPointerCapture(e.pointerId);
		if (!edge(x) && (t < v.t0 || t > v.t1))
			state.show(viewMove(v, t - (v.t0 + v.t1) / 2, 0), true);
		drag = { t, view: state.view, edge: edge(x) };
	});
	box.addEventListener("pointermove", (e) => {
		const { x } = pointOf(e, box), t = overviewT(state, x);
		box.style.cursor = edge(x) ? "ew-resize" : "grab";
		if (!drag)
			return;
		const v = drag.view;
		if (drag.edge === "t0")
			state.show(viewClamp({ ...v, t0: Math.min(t, v.t1 - v.least) }), true);
		else if (drag.edge)
			state.show(viewClamp({ ...v, t1: Math.max(t, v.t0 + v.least) }), true);
		else
			state.show(viewMove(v, t - drag.t, 0), true);
	});
	for (const type of ["pointerup", "pointercancel"])
		box.addEventListener(type, () => { drag = null; });
	box.addEventListener("dblclick", () => state.show(viewAll(state.view)));
}

// Keys: what each does to the state.
const KEYS = {
	ArrowLeft: (s) => s.move(-0.15, 0), a: (s) => s.move(-0.15, 0),
	ArrowRight: (s) => s.move(0.15, 0), d: (s) => s.move(0.15, 0),
	ArrowUp: (s) => s.move(0, -0.2), ArrowDown: (s) => s.move(0, 0.2),
	PageUp: (s) => s.move(0, -0.9), PageDown: (s) => s.move(0, 0.9),
	"+": (s) => s.zoom(1.6), "=": (s) => s.zoom(1.6), w: (s) => s.zoom(1.6),
	"-": (s) => s.zoom(1 / 1.6), s: (s) => s.zoom(1 / 1.6),
	W: (s) => s.zoomRows(1.6), S: (s) => s.zoomRows(1 / 1.6),
	0: (s) => s.show(viewAll(s.view)), Home: (s) => s.show(viewAll(s.view)),
	n: (s) => s.step(1), p: (s) => s.step(-1), f: (s) => s.focus(),
	m: (s) => s.nextArrows(), c: (s) => s.togglePath(), t: (s) => s.nextTheme(),
	Escape: (s) => s.forget(), "?": () => document.getElementById("help").showModal(),
};

// What scrolls a page is left to the browser beside the timeline: there are cards below the window.
const scrolls = (e) => /^(Arrow|Page|Home)/.test(e.key) && e.target.closest("aside");

function inputKeys(state) {
	document.addEventListener("keydown", (e) => {
		const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
		const help = document.getElementById("help");
		if (e.ctrlKey || e.metaKey || e.altKey || typing || help.open || scrolls(e))
			return;
		if (!KEYS[e.key])
			return;
		e.preventDefault();
		KEYS[e.key](state);
	});
}

function inputButtons(state) {
	const on = (id, f) => document.getElementById(id).addEventListener("click", f);
	on("zoom-in", () => state.zoom(1.6));
	on("zoom-out", () => state.zoom(1 / 1.6));
	on("zoom-all", () => state.show(viewAll(state.view)));
	on("path", () => state.togglePath());
	on("theme", () => state.nextTheme());
	on("help-open", () => document.getElementById("help").showModal());
	document.getElementById("arrows").addEventListener("change", (e) => {
		state.arrows = e.target.value;
		state.repaint();
	});
}
