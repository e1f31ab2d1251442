// Shares of the classes: on a fixed grid over the whole run, for the overview and for far views;
// and exactly, per pixel column, for near ones.
"use strict";

const CLASS_COMPUTE = 0, CLASS_P2P = 1, CLASS_COLL = 2, CLASS_IO = 3, CLASS_WAIT = 4;
const CLASS_OTHER = 5, CLASS_IDLE = 6, CLASSES = 7;
// Slots: what pixels are made of: the classes, and what a highlight leaves in the background.
const SLOT_DIM = 7, SLOTS = 8;
const GRID_CELLS = 1 << 22;

// Adds `weight` seconds of a slot between two dates to the columns of acc ([column][slot]), which
// begin at `from` and are `width` s wide.
function spread(acc, slots, columns, from, width, a, b, slot) {
	let x = (a - from) / width, y = (b - from) / width;
	if (x < 0)
		x = 0;
	if (y > columns)
		y = columns;
	if (!(y > x))
		return;
	const first = Math.floor(x), last = Math.min(columns - 1, Math.floor(y));
	if (first === last) {
		acc[first * slots + slot] += y - x;
		return;
	}
	acc[first * slots + slot] += first + 1 - x;
	for (let c = first + 1; c < last; c++)
		acc[c * slots + slot] += 1;
	acc[last * slots + slot] += y - last;
}

// A lane's calls from date `from` on, over `columns` columns. Values are shares of a column.
// paint: { slotOf[call], wait[call], other, idle }.
function coverLane(lane, acc, columns, from, width, paint, makespan) {
	const to = from + columns * width;
	let i = laneAfter(lane, from), last = i > 0 ? lane.start[i - 1] + lane.length[i - 1] : 0;
	for (; i < lane.n && lane.start[i] < to; i++) {
		const s = lane.start[i], e = s + lane.length[i], c = lane.call[i], w = lane.wait[i];
		if (s > last)
			spread(acc, SLOTS, columns, from, width, last, s, paint.other);
		if (w > 0)
			spread(acc, SLOTS, columns, from, width, s, s + w, paint.wait[c]);
		spread(acc, SLOTS, columns, from, width, s + w, e, paint.slotOf[c]);
		last = e;
	}
	if (i >= lane.n)
		spread(acc, SLOTS, columns, from, width, lane.end, makespan, paint.idle);
}

// What slot each call is painted with, given the highlight: null, { class } or { call }.
function paintOf(run, highlight) {
	const slot = (c, call) => {
		if (!highlight)
			return c;
		const { class: k, call: only } = highlight;
		const on = k !== undefined ? c === k : call === only;
		return on ? c : SLOT_DIM;
	};
	return {
		slotOf: Uint8Array.from(run.calls, (c, i) => slot(c.class, i)),
		wait: Uint8Array.from(run.calls, (c, i) => slot(CLASS_WAIT, i)),
		other: slot(CLASS_OTHER, -1), idle: slot(CLASS_IDLE, -1),
		ofClass: Uint8Array.from({ length: CLASSES },
			(_, c) => (highlight && highlight.class !== c ? SLOT_DIM : c)),
	};
}

// The grid of a model with lanes: { rows, columns, share[row][class][column] in 255ths }.
function gridBuild(model) {
	const run = model.run, rows = Math.min(run.ranks, 4096) || 1;
	const most = 2 ** Math.floor(Math.log2(GRID_CELLS / rows));
	const columns = Math.max(256, Math.min(8192, most)), paint = paintOf(run, null);
	const share = new Uint8Array(rows * columns * CLASSES);
	const acc = new Float32Array(columns * SLOTS);
	const width = (run.to - run.from) / columns || 1;
	for (let row = 0; row < rows; row++) {
		const first = Math.floor((row * run.ranks) / rows);
		const last = Math.floor(((row + 1) * run.ranks) / rows);
		acc.fill(0);
		for (let r = first; r < last; r++)
			coverLane(model.lanes[r], acc, columns, run.from, width, paint,
				run.makespan);
		for (let k = 0; k < CLASSES; k++)
			for (let c = 0; c < columns; c++)
				share[(row * CLASSES + k) * columns + c] =
					Math.round((255 * acc[c * SLOTS + k]) /
						Math.max(1, last - first));
	}
	return { rows, columns, share };
}

// Sum over the rows: Float32Array [column][class], shares.
function gridTotals(grid) {
	const out = new Float32Array(grid.columns * CLASSES);
	for (let row = 0; row < grid.rows; row++)
		for (let k = 0; k < CLASSES; k++) {
			const at = (row * CLASSES + k) * grid.columns;
			for (let c = 0; c < grid.columns; c++)
				out[c * CLASSES + k] += grid.share[at + c];
		}
	for (let i = 0; i < out.length; i++)
		out[i] /= 255 * grid.rows;
	return out;
}

// Running sums of a part of the grid's columns, kept between calls so that frames allocate little.
const gridSums = new Float64Array(8193);

// As coverLane, from rows first..last of the grid (each counts as one lane), for views wider than
// its cells. Sums run along the columns, so that a pixel costs two look-ups however many cells it
// covers.
function coverGrid(model, first, last, acc, columns, from, width, ofClass) {
	const g = model.grid, run = model.run, cell = (run.to - run.from) / g.columns || 1;
	const per = width / cell, start = (from - run.from) / cell;
	const c0 = Math.max(0, Math.floor(start));
	const c1 = Math.min(g.columns, Math.ceil(start + columns * per) + 1);
	const at = (x) => {
		const f = Math.min(c1, Math.max(c0, x)) - c0, i = Math.floor(f);
		if (i >= c1 - c0)
			return gridSums[c1 - c0];
		return gridSums[i] + (f - i) * (gridSums[i + 1] - gridSums[i]);
	};
	for (let row = first; row < last; row++) {
		for (let k = 0; k < CLASSES; k++) {
			const base = (row * CLASSES + k) * g.columns, slot = ofClass[k];
			let sum = 0;
			gridSums[0] = 0;
			for (let c = c0; c < c1; c++)
				gridSums[c - c0 + 1] = sum += g.share[base + c];
			if (sum === 0)
				continue;
			let before = at(start);
			for (let x = 0; x < columns; x++) {
				const after = at(start + (x + 1) * per);
				acc[x * SLOTS + slot] += (after - before) / (255 * per);
				before = after;
			}
		}
	}
}
