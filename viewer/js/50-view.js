// The window: what part of the run is shown. Dates in s, rows counted from 0 (fractions allowed).
// Everything that moves it is here, and keeps it inside of the run.
"use strict";

const ROW_MAX = 64; // CSS pixels: higher rows would only be empty

function viewNew(run) {
	const least = Math.max(run.tick * 5, (run.to - run.from) * 1e-12) || 1e-9;
	return { run, t0: run.from, t1: run.to, r0: 0, r1: run.rows, least };
}

function viewClamp(v) {
	const { from, to, rows } = v.run, all = to - from || 1;
	let dt = Math.min(all, Math.max(v.least, v.t1 - v.t0));
	let dr = Math.min(rows, Math.max(1, v.r1 - v.r0));
	v.t0 = Math.min(Math.max(from, v.t0), from + all - dt);
	v.t1 = v.t0 + dt;
	v.r0 = Math.min(Math.max(0, v.r0), rows - dr);
	v.r1 = v.r0 + dr;
	return v;
}

// Zooms by a factor (> 1: nearer) around a date.
function viewZoom(v, factor, t) {
	const wanted = Math.max(v.least, (v.t1 - v.t0) / factor);
	const dt = Math.min(v.run.to - v.run.from, wanted), share = (t - v.t0) / (v.t1 - v.t0);
	return viewClamp({ ...v, t0: t - share * dt, t1: t - share * dt + dt });
}

function viewZoomRows(v, factor, r) {
	const dr = Math.min(v.run.rows, Math.max(1, (v.r1 - v.r0) / factor));
	const share = (r - v.r0) / (v.r1 - v.r0);
	return viewClamp({ ...v, r0: r - share * dr, r1: r - share * dr + dr });
}

function viewMove(v, dt, dr) {
	return viewClamp({ ...v, t0: v.t0 + dt, t1: v.t1 + dt, r0: v.r0 + dr, r1: v.r1 + dr });
}

function viewAll(v) {
	return viewClamp({ ...v, t0: v.run.from, t1: v.run.to, r0: 0, r1: v.run.rows });
}

// A call, with as much around it again; its row comes into sight.
function viewTo(v, start, length, row) {
	const dt = Math.max(length * 3, v.least * 4), rows = v.r1 - v.r0;
	let r0 = v.r0;
	if (row < v.r0 || row + 1 > v.r1)
		r0 = row + 0.5 - rows / 2;
	const t0 = start + length / 2 - dt / 2;
	return viewClamp({ ...v, t0, t1: start + length / 2 + dt / 2, r0, r1: r0 + rows });
}

// Moves, without zooming, just enough to show a call.
function viewReveal(v, start, length, row) {
	const dt = v.t1 - v.t0;
	if (length > dt)
		return viewTo(v, start, length, row);
	let { t0 } = v, r0 = v.r0;
	if (start < t0 || start + length > v.t1)
		t0 = start + length / 2 - dt / 2;
	if (row < r0 || row + 1 > v.r1)
		r0 = row + 0.5 - (v.r1 - v.r0) / 2;
	return viewClamp({ ...v, t0, t1: t0 + dt, r0, r1: r0 + v.r1 - v.r0 });
}

const viewsEqual = (a, b) => a.t0 === b.t0 && a.t1 === b.t1 && a.r0 === b.r0 && a.r1 === b.r1;

// Where things are on the plot, in CSS pixels: axis above, numbers of ranks left, composition
// right.
const AXIS = 30, LEFT = 62, RIGHT = 92;

// A plot as narrow as a telephone has room for its rows, and for no composition.
const NARROW = 480, RIGHT_NARROW = 14;
const rightOf = (width) => (width < NARROW ? RIGHT_NARROW : RIGHT);

function layout(width, height, v) {
	const w = Math.max(10, width - LEFT - rightOf(width)), h = Math.max(10, height - AXIS);
	const plot = { x: LEFT, y: AXIS, w, h, right: rightOf(width) };
	plot.row = Math.min(ROW_MAX, plot.h / (v.r1 - v.r0));
	plot.used = plot.row * (v.r1 - v.r0);
	plot.xOf = (t) => plot.x + ((t - v.t0) / (v.t1 - v.t0)) * plot.w;
	plot.tOf = (x) => v.t0 + ((x - plot.x) / plot.w) * (v.t1 - v.t0);
	plot.yOf = (r) => plot.y + (r - v.r0) * plot.row;
	plot.rOf = (y) => v.r0 + (y - plot.y) / plot.row;
	return plot;
}
