// Painting the rows: pixels first (each the mean of what happens in it), then, where calls are wide
// enough, their edges, names and waiting.
"use strict";

const CLASS_KEYS = ["compute", "p2p", "coll", "io", "wait", "other", "idle"];
const DETAIL_CALLS = 40000; // more calls in view than that: no edges and names
const EXACT_CALLS = 12e6;   // more: the grid serves

function readTheme() {
	const css = getComputedStyle(document.documentElement);
	const get = (n) => css.getPropertyValue("--" + n).trim();
	const theme = { color: CLASS_KEYS.map(get), ink: CLASS_KEYS.map((k) => get("ink-" + k)) };
	const others = ["text", "soft", "line", "plot", "accent", "arrow", "dim", "card", "mark",
		"select"];
	for (const k of others)
		theme[k] = get(k);
	theme.linear = [...theme.color, theme.dim].map(linearOf);
	theme.linearPlot = linearOf(theme.plot);
	const byte = (hex, i) => parseInt(hex.slice(i, i + 2), 16);
	const wordOf = (hex) => 0xff000000 + [5, 3, 1].reduce((v, i) => v * 256 + byte(hex, i), 0);
	theme.words = Uint32Array.from([...theme.color, theme.dim], wordOf);
	theme.hatch = null;
	return theme;
}

// "#rrggbb" as three numbers that can be averaged: light, not gamma.
function linearOf(hex) {
	return [1, 3, 5].map((i) => Math.pow(parseInt(hex.slice(i, i + 2), 16) / 255, 2.2));
}

const GAMMA = Uint8ClampedArray.from({ length: 4097 },
	(_, i) => Math.round(255 * Math.pow(i / 4096, 1 / 2.2)));

// Columns of shares to pixels (RGBA in a Uint32, little-endian as all browsers' machines are).
function mixColumns(acc, columns, lanes, theme, out) {
	const lin = theme.linear, bg = theme.linearPlot;
	for (let x = 0; x < columns; x++) {
		let r = 0, g = 0, b = 0, sum = 0;
		for (let s = 0; s < SLOTS; s++) {
			const w = acc[x * SLOTS + s] / lanes;
			if (w > 0) {
				r += w * lin[s][0];
				g += w * lin[s][1];
				b += w * lin[s][2];
				sum += w;
			}
		}
		const rest = sum < 1 ? 1 - sum : 0, scale = 4096 / (sum + rest);
		r = GAMMA[((r + rest * bg[0]) * scale) | 0];
		g = GAMMA[((g + rest * bg[1]) * scale) | 0];
		b = GAMMA[((b + rest * bg[2]) * scale) | 0];
		out[x] = (255 << 24) | (b << 16) | (g << 8) | r;
	}
}

// From the bottom.
const STACK = [CLASS_COMPUTE, CLASS_P2P, CLASS_COLL, CLASS_IO, SLOT_DIM, CLASS_OTHER, CLASS_WAIT,
	CLASS_IDLE];

// The same columns as bars of `height` pixels, the slots on each other: where many calls share a
// pixel, their mean colour would be mud.
function stackColumns(acc, columns, lanes, theme, words, y0, height, bottom) {
	for (let x = 0; x < columns; x++) {
		let sum = 0, y = height;
		for (const s of STACK) {
			sum += acc[x * SLOTS + s] / lanes;
			const top = Math.max(0, Math.round(height * (1 - sum)));
			for (; y > top; y--)
				if (y0 + y - 1 >= 0 && y0 + y - 1 < bottom)
					words[(y0 + y - 1) * columns + x] = theme.words[s];
		}
		for (; y > 0; y--)
			if (y0 + y - 1 >= 0 && y0 + y - 1 < bottom)
				words[(y0 + y - 1) * columns + x] = theme.words[CLASS_IDLE];
	}
}

const isPrinting = () => document.documentElement.classList.contains("printing");

// On paper there are more pixels than on the screen that the page is printed from.
const pixelRatio = () => Math.max(window.devicePixelRatio || 1, isPrinting() ? 2 : 0);

// Which source serves this view: exact calls when near or when only some functions are shown,
// otherwise the grid.
function chooseSource(model, v, plot, highlight, hurried) {
	if (!model.lanes)
		return { exact: false, calls: 0 };
	let calls = 0;
	for (let r = Math.floor(v.r0); r < Math.ceil(v.r1); r++)
		calls += laneCount(model.lanes[r], v.t0, v.t1, model.run.tick);
	const cell = (model.run.to - model.run.from) / model.grid.columns;
	const pixel = (v.t1 - v.t0) / plot.w;
	const coarse = cell > pixel * (hurried ? 3 : 1);
	const needed = highlight && highlight.call !== undefined;
	const cheap = calls < (hurried ? 1.2e6 : EXACT_CALLS);
	return { exact: needed || (cheap && (coarse || calls < 400000)), calls };
}

// Bands: pixel rows [y0, y1) and the lanes [first, last) in each. One lane a band where it is high
// enough, else as many as fall into a pixel.
function bandsOf(v, plot, dpr) {
	const bands = [], row = plot.row * dpr, top = plot.y * dpr;
	if (row >= 1) {
		for (let r = Math.floor(v.r0); r < Math.ceil(v.r1 - 1e-9); r++) {
			const y0 = Math.max(Math.round(top), Math.round(top + (r - v.r0) * row));
			const end = Math.round(top + (r + 1 - v.r0) * row);
			const y1 = end - y0 > 5 * dpr ? end - Math.round(dpr) : end;
			bands.push({ y0, y1, first: r, last: r + 1 });
		}
		return bands;
	}
	const height = Math.floor(plot.h * dpr);
	for (let y = 0; y < height; y++) {
		const first = Math.floor(v.r0 + y / row);
		const end = Math.min(v.run.rows, Math.floor(v.r0 + (y + 1) / row));
		const last = Math.max(first + 1, end), y0 = Math.round(top) + y;
		if (first < v.run.rows)
			bands.push({ y0, y1: y0 + 1, first, last });
	}
	return bands;
}

// Rows of the grid that hold lanes [first, last).
function gridRows(model, first, last) {
	const per = model.grid.rows / model.run.rows;
	const low = Math.floor(first * per);
	return [low, Math.max(low + 1, Math.floor(last * per))];
}

// Paints all bands; returns per band the sum of its shares, for the composition at the right and
// the legend.
function paintBands(ctx, state, plot, dpr, source) {
	const { model, view: v, theme } = state, paint = paintOf(model.run, state.highlight);
	const columns = Math.round(plot.w * dpr), width = (v.t1 - v.t0) / columns;
	const bands = bandsOf(v, plot, dpr), compositions = [];
	const acc = new Float32Array(columns * SLOTS), pixels = new Uint32Array(columns);
	const top = Math.round(plot.y * dpr), height = Math.max(1, Math.round(plot.h * dpr));
	const image = ctx.createImageData(columns, height);
	const words = new Uint32Array(image.data.buffer);
	const stacked = !model.lanes || source.calls > 1.5 * columns * (v.r1 - v.r0);
	for (const b of bands) {
		acc.fill(0);
		let lanes = b.last - b.first;
		if (source.exact) {
			for (let r = b.first; r < b.last; r++)
				coverLane(model.lanes[r], acc, columns, v.t0, width, paint,
					model.run.makespan);
		} else {
			const [g0, g1] = gridRows(model, b.first, b.last);
			lanes = g1 - g0;
			coverGrid(model, g0, g1, acc, columns, v.t0, width, paint.ofClass);
		}
		if (stacked && b.y1 - b.y0 >= 6) {
			stackColumns(acc, columns, lanes, theme, words, b.y0 - top, b.y1 - b.y0,
				image.height);
		} else {
			mixColumns(acc, columns, lanes, theme, pixels);
			const end = Math.min(image.height, b.y1 - top);
			for (let y = Math.max(0, b.y0 - top); y < end; y++)
				words.set(pixels, y * columns);
		}
		compositions.push({ ...b, lanes, share: sumColumns(acc, columns, lanes) });
	}
	ctx.putImageData(image, Math.round(plot.x * dpr), top);
	return compositions;
}

function sumColumns(acc, columns, lanes) {
	const sum = new Float64Array(SLOTS);
	for (let i = 0; i < columns * SLOTS; i++)
		sum[i % SLOTS] += acc[i];
	return sum.map((s) => s / (columns * lanes));
}

function hatchOf(ctx, theme, dpr) {
	if (theme.hatch)
		return theme.hatch;
	const size = Math.round(6 * dpr), c = document.createElement("canvas");
	c.width = c.height = size;
	const h = c.getContext("2d");
	h.strokeStyle = "rgba(0, 0, 0, .36)";
	h.lineWidth = 1.1 * dpr;
	h.beginPath();
	for (const d of [-size, 0, size]) {
		h.moveTo(d - 1, size + 1);
		h.lineTo(d + size + 1, -1);
	}
	h.stroke();
	theme.hatch = ctx.createPattern(c, "repeat");
	return theme.hatch;
}

// Edges, hatching of waiting, and names, in device pixels.
function paintDetails(ctx, state, plot, dpr) {
	const { model, view: v, theme } = state;
	const row = plot.row * dpr, px = (plot.w * dpr) / (v.t1 - v.t0);
	if (row < 6 * dpr)
		return;
	const names = row >= 13 * dpr, size = Math.min(12, Math.max(10, plot.row * 0.5)) * dpr;
	const left = plot.x * dpr, right = left + plot.w * dpr;
	const paint = paintOf(model.run, state.highlight);
	ctx.save();
	ctx.beginPath();
	ctx.rect(left, plot.y * dpr, plot.w * dpr, plot.h * dpr);
	ctx.clip();
	ctx.font = `${size}px system-ui, "Liberation Sans", sans-serif`;
	ctx.textBaseline = "middle";
	for (let r = Math.floor(v.r0); r < Math.ceil(v.r1); r++) {
		const lane = model.lanes[r], y = plot.yOf(r) * dpr, h = row - dpr;
		for (let i = laneAfter(lane, v.t0); i < lane.n && lane.start[i] < v.t1; i++) {
			const x = left + (lane.start[i] - v.t0) * px, w = lane.length[i] * px;
			if (w < 12 * dpr) // closer together, edges would be all that one sees
				continue;
			const c = lane.call[i], hw = lane.wait[i] * px;
			ctx.fillStyle = theme.plot;
			ctx.fillRect(x, y, 0.75 * dpr, h);
			if (hw > 6 * dpr && paint.wait[c] !== SLOT_DIM) {
				ctx.fillStyle = hatchOf(ctx, theme, dpr);
				ctx.fillRect(x, y, hw, h);
			}
			if (names && w > 26 * dpr)
				paintName(ctx, state, c, x, w, hw, y + h / 2, left, right, dpr,
					paint);
		}
	}
	ctx.restore();
}

// The name goes where there is room: after the waiting, else over the whole.
function paintName(ctx, state, call, x, w, hw, y, left, right, dpr, paint) {
	const { model, theme } = state, name = model.run.calls[call].name.replace(/^MPI_/, "");
	const a = Math.max(x, left), b = Math.min(x + w, right);
	const mid = Math.max(a, Math.min(x + hw, b));
	const rest = b - mid, width = ctx.measureText(name).width, pad = 5 * dpr;
	if (paint.slotOf[call] === SLOT_DIM)
		return;
	if (rest >= width + 2 * pad) {
		ctx.fillStyle = theme.ink[model.run.calls[call].class];
		ctx.fillText(name, mid + pad, y);
	} else if (mid - a >= width + 2 * pad) {
		ctx.fillStyle = theme.ink[CLASS_WAIT];
		ctx.fillText(name, a + pad, y);
	}
}

// Numbers of ranks, as many as have room.
function paintRanks(ctx, state, plot, dpr) {
	const { view: v, theme, model } = state, per = model.run.ranks / model.run.rows;
	ctx.font = `${11 * dpr}px system-ui, "Liberation Sans", sans-serif`;
	ctx.textAlign = "right";
	ctx.textBaseline = "middle";
	ctx.fillStyle = theme.soft;
	const step = plot.row >= 13 ? 1 : roundStep(17 / plot.row);
	for (let r = Math.ceil(v.r0 / step) * step; r < v.r1; r += step) {
		const y = plot.yOf(r + (plot.row >= 13 ? 0.5 : 0)) * dpr;
		if (y < plot.y * dpr || y > (plot.y + plot.h) * dpr)
			continue;
		const rank = formatCount(model.run.first_rank + Math.floor(r * per));
		ctx.fillText(rank, (plot.x - 8) * dpr, Math.max(y, (plot.y + 6) * dpr));
	}
	ctx.textAlign = "left";
	ctx.fillText(per > 1 ? "ranks" : "rank", 4 * dpr, (AXIS - 10) * dpr);
}

// A label of the axis; of runs so short that no unit is near, by a power of ten.
function axisLabel(v, digits) {
	if (digits <= 15)
		return v.toFixed(digits);
	return v === 0 ? "0" : Number(v.toPrecision(4)).toExponential();
}

// The axis of time. Far from 0 and zoomed deep, labels are distances from a date that is written at
// the left.
function paintAxis(ctx, state, plot, dpr) {
	const { view: v, theme } = state, span = v.t1 - v.t0;
	const apart = plot.right < RIGHT ? 70 : 105; // a narrow one has two labels at least
	const step = roundStep(span / Math.max(2, plot.w / apart));
	const relative = v.t0 > 0 && span / v.t1 < 1e-3;
	const base = relative ? Math.ceil(v.t0 / step) * step : 0;
	const [unit, name] = timeUnit(relative ? span : Math.max(Math.abs(v.t1), 1e-12));
	const digits = Math.max(0, -Math.floor(Math.log10(step / unit) + 1e-9));
	ctx.font = `${11 * dpr}px system-ui, "Liberation Sans", sans-serif`;
	ctx.textBaseline = "alphabetic";
	ctx.textAlign = "center";
	const first = Math.ceil((v.t0 - base) / step - 1e-9), end = v.t1 + step * 1e-6;
	for (let k = first; base + k * step <= end; k++) {
		const x = Math.round(plot.xOf(base + k * step) * dpr) + 0.5;
		ctx.fillStyle = theme.line;
		ctx.fillRect(x - 0.5, (AXIS - 6) * dpr, dpr, 6 * dpr);
		ctx.fillStyle = theme.soft;
		const sign = relative && k > 0 ? "+" : "";
		const label = sign + axisLabel((k * step) / unit, digits) + " " + name;
		const right = (plot.x + plot.w - 18) * dpr, from = (plot.x + 12) * dpr;
		const inside = x < right && x > (plot.x + (relative ? 120 : 12)) * dpr;
		if (inside || (!relative && x <= from))
			ctx.fillText(label, x, (AXIS - 10) * dpr);
	}
	if (relative) {
		ctx.textAlign = "left";
		ctx.fillStyle = theme.text;
		ctx.fillText(formatDate(base, state.model.run.tick), plot.x * dpr,
			(AXIS - 10) * dpr);
	}
}

// At the right: of what each row consists, in the window shown.
function paintCompositions(ctx, state, plot, dpr, compositions) {
	const { theme } = state, colors = [...theme.color, theme.dim];
	const x0 = (plot.x + plot.w + 12) * dpr, w = (RIGHT - 16) * dpr;
	if (plot.right < RIGHT)
		return;
	ctx.font = `${11 * dpr}px system-ui, "Liberation Sans", sans-serif`;
	ctx.textAlign = "left";
	ctx.textBaseline = "alphabetic";
	ctx.fillStyle = theme.soft;
	ctx.fillText("in this window", x0, (AXIS - 10) * dpr);
	for (const b of compositions) {
		let x = x0;
		const y0 = Math.max(b.y0, plot.y * dpr);
		for (let s = 0; s < SLOTS; s++) {
			const part = b.share[s] * w;
			if (part <= 0)
				continue;
			ctx.fillStyle = colors[s];
			ctx.fillRect(x, y0, part, b.y1 - y0);
			x += part;
		}
	}
}

function sizeCanvas(canvas, dpr) {
	const w = Math.round(canvas.clientWidth * dpr), h = Math.round(canvas.clientHeight * dpr);
	if (canvas.width !== w || canvas.height !== h) {
		canvas.width = w;
		canvas.height = h;
	}
	return canvas.getContext("2d");
}

// The whole lower canvas. hurried: while moving; what is left out is painted when the hand rests.
// Returns true when it was left out.
function paintRows(state, hurried) {
	const canvas = state.rowsCanvas, dpr = pixelRatio();
	const ctx = sizeCanvas(canvas, dpr), { view: v } = state;
	const plot = layout(canvas.clientWidth, canvas.clientHeight, state.view);
	const source = chooseSource(state.model, v, plot, state.highlight, hurried);
	ctx.fillStyle = state.theme.card;
	ctx.fillRect(0, 0, canvas.width, canvas.height);
	const compositions = paintBands(ctx, state, plot, dpr, source);
	ctx.fillStyle = state.theme.card;
	ctx.fillRect(0, (plot.y + plot.used) * dpr, canvas.width, canvas.height);
	if (source.exact && source.calls < DETAIL_CALLS)
		paintDetails(ctx, state, plot, dpr);
	paintAxis(ctx, state, plot, dpr);
	paintRanks(ctx, state, plot, dpr);
	paintCompositions(ctx, state, plot, dpr, compositions);
	state.plot = plot;
	state.source = source;
	state.inView = meanComposition(compositions);
	return hurried;
}

function meanComposition(compositions) {
	const sum = new Float64Array(SLOTS);
	let lanes = 0;
	for (const b of compositions) {
		lanes += b.lanes;
		for (let s = 0; s < SLOTS; s++)
			sum[s] += b.share[s] * b.lanes;
	}
	return sum.map((s) => (lanes ? s / lanes : 0));
}
