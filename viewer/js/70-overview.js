// The strip above: shares of the classes over the whole run, stacked, and the window as a frame
// that can be taken and moved.
"use strict";

function overviewWidth(state) {
	const all = state.overview.clientWidth;
	return Math.max(10, all - LEFT - rightOf(all));
}

function overviewX(state, t) {
	const { run } = state.model;
	const width = overviewWidth(state);
	return LEFT + ((t - run.from) / (run.to - run.from || 1)) * width;
}

function overviewT(state, x) {
	const { run } = state.model;
	const width = overviewWidth(state);
	return run.from + ((x - LEFT) / width) * (run.to - run.from);
}

// Columns of the strip, drawn once per size, theme and highlight.
function overviewPicture(state, w, h) {
	const key = [w, h, state.theme.plot, JSON.stringify(state.highlight)].join();
	if (state.overviewKey === key)
		return state.overviewCache;
	const { totals, model, theme } = state, n = model.grid.columns;
	const c = document.createElement("canvas"), ctx = c.getContext("2d");
	const paint = paintOf(model.run, state.highlight), colors = [...theme.color, theme.dim];
	c.width = w;
	c.height = h;
	const order = [CLASS_COMPUTE, CLASS_P2P, CLASS_COLL, CLASS_IO, CLASS_OTHER, CLASS_WAIT,
		CLASS_IDLE];
	for (let x = 0; x < w; x++) {
		// a little smooth
		const a = Math.max(0, Math.floor(((x - 0.5) * n) / w));
		const b = Math.max(a + 1, Math.min(n, Math.floor(((x + 1.5) * n) / w)));
		let y = h;
		for (const k of order) {
			let sum = 0;
			for (let i = a; i < b; i++)
				sum += totals[i * CLASSES + k];
			const part = (sum / (b - a)) * h;
			const byCall = state.highlight && state.highlight.call !== undefined;
			ctx.fillStyle = colors[byCall ? k : paint.ofClass[k]];
			ctx.fillRect(x, y - part, 1, part + 0.5);
			y -= part;
		}
	}
	state.overviewKey = key;
	state.overviewCache = c;
	return c;
}

// A page may have a part of the run only (orrery export --dates, --ranks).
const isCut = (run) => run.from > 0 || run.to < run.makespan;
const isPart = (run) => isCut(run) || run.ranks < run.all_ranks;

function paintOverview(state) {
	const canvas = state.overview, dpr = pixelRatio();
	const { theme, view: v } = state;
	const ctx = sizeCanvas(canvas, dpr), h = canvas.height;
	const x0 = LEFT * dpr, w = overviewWidth(state) * dpr;
	ctx.clearRect(0, 0, canvas.width, h);
	ctx.drawImage(overviewPicture(state, Math.round(w), h), x0, 0);
	const a = overviewX(state, v.t0) * dpr;
	const b = Math.max(a + 2 * dpr, overviewX(state, v.t1) * dpr);
	ctx.fillStyle = theme.card;
	ctx.globalAlpha = 0.62;
	ctx.fillRect(x0, 0, a - x0, h);
	ctx.fillRect(b, 0, x0 + w - b, h);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = theme.accent;
	ctx.lineWidth = 2 * dpr;
	ctx.strokeRect(a, dpr, b - a, h - 2 * dpr);
	ctx.fillStyle = theme.soft;
	ctx.font = `${11 * dpr}px system-ui, "Liberation Sans", sans-serif`;
	ctx.textBaseline = "middle";
	ctx.fillText(isPart(v.run) ? "this page" : "whole run", 4 * dpr, h / 2);
	if (rightOf(canvas.clientWidth) < RIGHT)
		return;
	// the window of a run of no time is wider than the run
	const all = v.run.to - v.run.from, shown = Math.min(v.t1 - v.t0, all);
	ctx.fillText(formatTime(shown), x0 + w + 12 * dpr, h / 2 - 8 * dpr);
	ctx.fillText(formatPercent(all > 0 ? shown / all : 1), x0 + w + 12 * dpr, h / 2 + 8 * dpr);
}
