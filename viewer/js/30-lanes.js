// Questions to the calls of a rank and to the messages.
"use strict";

const MESSAGE_BLOCK = 512;

// Blocks of messages with their least and greatest dates, so that a window touches few of them.
function messagesIndex(m) {
	for (let i = 0; i < m.n; i += MESSAGE_BLOCK) {
		const end = Math.min(m.n, i + MESSAGE_BLOCK);
		const b = { i, end, first: Infinity, last: -Infinity };
		for (let k = i; k < end; k++) {
			b.first = Math.min(b.first, m.sent[k]);
			b.last = Math.max(b.last, m.received[k]);
		}
		m.blocks.push(b);
	}
}

// Calls each(i) for the messages alive between two dates, until it returns false.
function messagesBetween(m, from, to, each) {
	for (const b of m.blocks) {
		if (b.first > to || b.last < from)
			continue;
		for (let i = b.i; i < b.end; i++)
			if (m.sent[i] <= to && m.received[i] >= from && each(i) === false)
				return;
	}
}

// The first call that is not before, or lane.n; isBefore(call) holds for the first ones only.
function laneFirst(lane, isBefore) {
	let low = 0, high = lane.n;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (isBefore(mid))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// The first call that ends after t, or lane.n.
function laneAfter(lane, t) {
	return laneFirst(lane, (i) => lane.start[i] + lane.length[i] <= t);
}

// The call at t, or the one nearest to it within reach, or -1.
function laneAt(lane, t, reach) {
	const i = laneAfter(lane, t);
	if (i < lane.n && lane.start[i] <= t)
		return i;
	const after = i < lane.n ? lane.start[i] - t : Infinity;
	const before = i > 0 ? t - lane.start[i - 1] - lane.length[i - 1] : Infinity;
	if (Math.min(after, before) > reach)
		return -1;
	return after < before ? i : i - 1;
}

// Calls that overlap a window. Those without duration do at its very ends, too: all of a run are in
// the window from its start to its end, which, unlike theirs, is no multiple of a tick.
function laneCount(lane, from, to, tick) {
	const end = (i) => lane.start[i] + lane.length[i], near = tick / 2;
	const first = laneFirst(lane, (i) => end(i) < from - near ||
		(lane.length[i] > 0 && end(i) <= from));
	const after = laneFirst(lane, (i) => lane.start[i] <= to + near &&
		!(lane.length[i] > 0 && lane.start[i] >= to));
	return Math.max(0, after - first);
}

// Longest call of a function: { row, i }, or null.
function longestCall(model, call) {
	let best = null, length = -1;
	model.lanes.forEach((l, row) => {
		for (let i = 0; i < l.n; i++) {
			if (l.call[i] === call && l.length[i] > length) {
				length = l.length[i];
				best = { row, i };
			}
		}
	});
	return best;
}

// Seconds of each class over all lanes, from the calls themselves: compared with the profile, it
// shows that the page was read right.
function classSeconds(model) {
	const s = new Float64Array(model.run.classes.length);
	for (const l of model.lanes) {
		let busy = 0;
		for (let i = 0; i < l.n; i++) {
			s[model.run.calls[l.call[i]].class] += l.length[i] - l.wait[i];
			s[CLASS_WAIT] += l.wait[i];
			busy += l.length[i];
		}
		s[CLASS_OTHER] += l.end - busy;
		s[CLASS_IDLE] += model.run.makespan - l.end;
	}
	return s;
}
