// What lies over the rows: arrows of messages, the selected call, the pointer, the rectangle being
// drawn.
"use strict";

const ARROWS_MAX = 4000;

// Messages to draw: indices, or null when there are too many.
function arrowsInView(state) {
	const { model, view: v, arrows } = state, m = model.messages, f = model.run.first_rank;
	const list = [];
	if (arrows === "none" || m.n === 0)
		return [];
	let seen = 0, over = false;
	messagesBetween(m, v.t0, v.t1, (i) => {
		const a = m.from[i] - f, b = m.to[i] - f;
		const off = Math.max(a, b) < Math.floor(v.r0) || Math.min(a, b) >= v.r1;
		if ((arrows === "p2p" && m.coll[i]) || off)
			return true;
		list.push(i);
		over = ++seen > ARROWS_MAX;
		return !over;
	});
	return over ? null : list;
}

function arrowPoints(state, i) {
	const { model, plot } = state, m = model.messages, f = model.run.first_rank;
	const y = (rank) => plot.yOf(rank - f + 0.5);
	return [plot.xOf(m.sent[i]), plot.xOf(m.moved[i]), plot.xOf(m.received[i]), y(m.from[i]),
		y(m.to[i])];
}

// One stroke of an arrow: along the sender while the message waits to leave, then across to the
// receiver.
function strokeArrow(ctx, [xs, xm, xr, ya, yb], style) {
	ctx.strokeStyle = ctx.fillStyle = style.color;
	ctx.globalAlpha = style.alpha;
	ctx.lineWidth = style.width;
	if (xm - xs > 3) {
		ctx.setLineDash([2, 2]);
		ctx.beginPath();
		ctx.moveTo(xs, ya);
		ctx.lineTo(xm, ya);
		ctx.stroke();
	}
	ctx.setLineDash(style.dash);
	ctx.beginPath();
	ctx.moveTo(xm, ya);
	ctx.lineTo(xr, yb);
	ctx.stroke();
	ctx.setLineDash([]);
	ctx.beginPath();
	ctx.arc(xs, ya, style.dot, 0, 7);
	ctx.fill();
	paintHead(ctx, xr, yb, Math.atan2(yb - ya, xr - xm), style.head);
	ctx.globalAlpha = 1;
}

// Dark on a light halo, to be seen on every class; those of the call pointed at or selected in
// yellow on dark.
function paintArrow(ctx, state, i, dpr, strong) {
	const { theme } = state, coll = state.model.messages.coll[i];
	const p = arrowPoints(state, i).map((c) => Math.max(-4e4, Math.min(4e4, c)) * dpr);
	const dash = coll ? [5 * dpr, 3 * dpr] : [];
	const room = Math.min(400, state.plot.w / 2);
	const few = state.arrowList && state.arrowList.length < 2 * room;
	const style = (color, alpha, width, dot, head) =>
		({ color, alpha, width: width * dpr, dot: dot * dpr, head: head * dpr, dash });
	if (strong) {
		strokeArrow(ctx, p, style(theme.mark, 1, 4, 4, 11));
		strokeArrow(ctx, p, style(theme.select, 1, 2, 3, 9));
		return;
	}
	if (few) {
		strokeArrow(ctx, p, style(theme.card, 0.45, 2.8, 2.6, 8));
		strokeArrow(ctx, p, style(theme.arrow, coll ? 0.5 : 0.85, 1, 1.8, 6.5));
		return;
	}
	// A crowd fades to a texture through which the calls are seen: the more arrows, the paler,
	// without heads.
	const n = state.arrowList ? state.arrowList.length : ARROWS_MAX;
	const alpha = (coll ? 0.5 : 0.85) * Math.max(0.1, room / n);
	strokeArrow(ctx, p, style(theme.arrow, alpha, 1, 0, 0));
}

function paintHead(ctx, x, y, angle, size) {
	ctx.beginPath();
	ctx.moveTo(x, y);
	ctx.lineTo(x - size * Math.cos(angle - 0.36), y - size * Math.sin(angle - 0.36));
	ctx.lineTo(x - size * Math.cos(angle + 0.36), y - size * Math.sin(angle + 0.36));
	ctx.fill();
}

// Messages that a call sent or received: those that touch it in time and rank, up to a few.
function messagesOf(model, row, i) {
	const l = model.lanes[row], m = model.messages, rank = row + model.run.first_rank;
	const from = l.start[i], to = from + l.length[i], out = [];
	const slack = model.run.tick;
	if (model.run.calls[l.call[i]].class === CLASS_COMPUTE || m.n === 0)
		return out;
	messagesBetween(m, from - slack, to + slack, (k) => {
		const s = m.from[k] === rank && m.sent[k] >= from - slack && m.sent[k] < to;
		const r = m.to[k] === rank && m.received[k] > from && m.received[k] <= to + slack;
		if (s || r)
			out.push(k);
		return out.length < 200;
	});
	return out;
}

// The message whose arrow passes within a few pixels, or -1.
function arrowAt(state, x, y) {
	let best = -1, distance = 4;
	for (const i of state.arrowList || []) {
		const [, xm, xr, ya, yb] = arrowPoints(state, i);
		const dx = xr - xm, dy = yb - ya, n = dx * dx + dy * dy;
		const k = n > 0 ? Math.max(0, Math.min(1, ((x - xm) * dx + (y - ya) * dy) / n)) : 0;
		const d = Math.hypot(x - xm - k * dx, y - ya - k * dy);
		if (d < distance && k > 0.06 && k < 1) {
			distance = d;
			best = i;
		}
	}
	return best;
}

// Around a call: the selected one, or the one under the pointer.
function paintFrame(ctx, state, at, selected, dpr) {
	const { plot, model, theme } = state, l = model.lanes[at.row];
	const x = plot.xOf(l.start[at.i]) * dpr;
	const end = plot.xOf(l.start[at.i] + l.length[at.i]) * dpr;
	const w = Math.max(2 * dpr, end - x), y = plot.yOf(at.row) * dpr;
	const h = Math.max(3 * dpr, (plot.row - (plot.row > 5 ? 1 : 0)) * dpr);
	ctx.strokeStyle = theme.mark;
	ctx.lineWidth = (selected ? 5 : 3) * dpr;
	ctx.strokeRect(x, y, w, h);
	ctx.strokeStyle = selected ? theme.select : theme.card;
	ctx.lineWidth = (selected ? 2.5 : 1) * dpr;
	ctx.strokeRect(x, y, w, h);
}

// Parts of the critical path in view: it is in order of time, the last first.
function pathInView({ path, view: v }) {
	const first = (t, key) => {
		let low = 0, high = path.length;
		while (low < high) {
			const mid = (low + high) >> 1;
			if (path[mid][key] > t)
				low = mid + 1;
			else
				high = mid;
		}
		return low;
	};
	return path.slice(first(v.t1, "from"), first(v.t0, "to"));
}

// One line, bright on dark: along a rank while the path is in it, across with a message.
function paintPath(ctx, state, dpr) {
	const { plot, theme } = state;
	const x = (t) => Math.max(-4e4, Math.min(4e4, plot.xOf(t))) * dpr;
	const y = (row) => plot.yOf(row + 0.75) * dpr; // under the names of calls
	ctx.beginPath();
	for (const p of pathInView(state)) {
		ctx.moveTo(x(p.to), y(p.message === undefined ? p.row : p.end));
		ctx.lineTo(x(p.from), y(p.row));
	}
	ctx.lineCap = ctx.lineJoin = "round";
	for (const [color, width] of [[theme.mark, 4.5], [theme.select, 2.2]]) {
		ctx.strokeStyle = color;
		ctx.lineWidth = width * dpr;
		ctx.stroke();
	}
}

function paintRectangle(ctx, state, dpr) {
	const d = state.rectangle;
	const x = Math.min(d.x0, d.x1) * dpr, w = Math.abs(d.x1 - d.x0) * dpr;
	const y = Math.min(d.y0, d.y1) * dpr, h = Math.abs(d.y1 - d.y0) * dpr;
	ctx.fillStyle = state.theme.accent;
	ctx.globalAlpha = 0.16;
	ctx.fillRect(x, y, w, h);
	ctx.globalAlpha = 1;
	ctx.strokeStyle = state.theme.accent;
	ctx.lineWidth = dpr;
	ctx.strokeRect(x, y, w, h);
	ctx.fillStyle = state.theme.text;
	ctx.textAlign = "center";
	ctx.font = `${12 * dpr}px system-ui, sans-serif`;
	const time = formatTime(Math.abs(state.plot.tOf(d.x1) - state.plot.tOf(d.x0)));
	ctx.fillText(time, x + w / 2, Math.max(y - 5 * dpr, (AXIS - 2) * dpr));
}

function paintOver(state) {
	const canvas = state.overCanvas, dpr = pixelRatio(), { plot } = state;
	const ctx = sizeCanvas(canvas, dpr);
	if (isPrinting())
		canvas.width *= 1; // Chromium prints what is cleared as white, over the rows
	else
		ctx.clearRect(0, 0, canvas.width, canvas.height);
	ctx.save();
	ctx.beginPath();
	ctx.rect(plot.x * dpr, plot.y * dpr, plot.w * dpr, plot.used * dpr);
	ctx.clip();
	state.arrowList = plot.row >= 2 ? arrowsInView(state) : state.model.messages.n ? null : [];
	for (const i of state.arrowList || [])
		paintArrow(ctx, state, i, dpr, false);
	if (state.path)
		paintPath(ctx, state, dpr);
	for (const at of [state.hover, state.selected]) {
		if (!at || at.row === undefined)
			continue;
		paintFrame(ctx, state, at, at === state.selected, dpr);
		if (plot.row >= 2)
			for (const k of messagesOf(state.model, at.row, at.i))
				paintArrow(ctx, state, k, dpr, true);
	}
	if (state.hover && state.hover.message >= 0)
		paintArrow(ctx, state, state.hover.message, dpr, true);
	ctx.restore();
	if (state.rectangle)
		paintRectangle(ctx, state, dpr);
}
