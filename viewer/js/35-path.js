// The critical path: what the end of the run depended on, walked back from the end of the rank that
// ends last (docs/explain.md; there it is exact, here it is what calls and messages tell).
"use strict";

// It can be walked where all calls of all ranks and the messages are in the page, up to the end.
const pathIsKnown = ({ run, lanes }) => Boolean(lanes) && run.with_messages &&
	run.ranks === run.all_ranks && run.to === run.makespan;

// Messages by rank, in the order of arrival: those it receives, and those it sends.
function messagesByRank(model) {
	const m = model.messages, f = model.run.first_rank;
	const lists = model.lanes.map(() => []);
	for (let k = 0; k < m.n; k++) {
		lists[m.to[k] - f].push(k);
		if (m.from[k] !== m.to[k])
			lists[m.from[k] - f].push(k);
	}
	return lists;
}

// How many of a list have arrived by t.
function arrivedBy(m, list, t) {
	let low = 0, high = list.length;
	while (low < high) {
		const mid = (low + high) >> 1;
		if (m.received[list[mid]] <= t)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

// The message that a call had waited for at t: the last that arrived in it; of those that the rank
// sends, one whose arrival ends the call. Or -1.
function waitedFor(model, list, row, i, t) {
	const m = model.messages, l = model.lanes[row], rank = row + model.run.first_rank;
	const slack = 1.5 * model.run.tick, start = l.start[i], end = l.start[i] + l.length[i];
	const alone = l.partner[i] >= 0 && /^MPI_(Recv|Send|Ssend|Rsend)$/.test(
		model.run.calls[l.call[i]].name);
	for (let k = arrivedBy(m, list, t + slack) - 1; k >= 0; k--) {
		const c = list[k], other = m.to[c] === rank ? m.from[c] : m.to[c];
		if (m.received[c] <= start + slack)
			return -1;
		if (m.moved[c] >= t - slack || (alone && other !== l.partner[i]))
			continue;
		if (m.to[c] === rank || Math.abs(m.received[c] - end) <= slack)
			return c;
	}
	return -1;
}

// The call under way just before t, or -1.
function callBefore(lane, t, slack) {
	let i = Math.min(laneAfter(lane, t), lane.n - 1);
	while (i >= 0 && (lane.start[i] >= t - slack || lane.length[i] === 0))
		i--;
	return i;
}

// Its parts, the last first: { row, from, to, call } of a rank's own time (call -1: between calls),
// { row, from, to, message, end } of a message that the rank of row `end` had waited for, and which
// that of `row` let begin.
function pathWalk(model) {
	const { lanes, run } = model, m = model.messages, slack = 1.5 * run.tick;
	const lists = messagesByRank(model), parts = [];
	let row = 0;
	lanes.forEach((l, r) => {
		if (l.end > lanes[row].end + slack)
			row = r;
	});
	for (let t = lanes[row].end; t > run.from + slack;) {
		const l = lanes[row], i = callBefore(l, t, slack);
		if (i < 0) {
			parts.push({ row, from: run.from, to: t, call: -1 });
			break;
		}
		const compute = run.calls[l.call[i]].class === CLASS_COMPUTE;
		const k = compute ? -1 : waitedFor(model, lists[row], row, i, t);
		const from = k < 0 ? l.start[i] : Math.min(t, m.received[k]);
		if (t > from)
			parts.push({ row, from, to: t, call: l.call[i] });
		t = from;
		if (k < 0)
			continue;
		const next = m.sent[k] >= m.moved[k] - slack ? m.from[k] : m.to[k];
		const end = row;
		row = next - run.first_rank;
		parts.push({ row, from: m.moved[k], to: t, message: k, end });
		t = m.moved[k];
	}
	return parts;
}

// What the run itself found of it: seconds by cause, the greatest first, how many messages and
// ranks; null where the recording has it not.
const PATH_CAUSES = { computation: "computation", sleep: "sleep", latency: "latency of messages",
	alone: "messages, as fast as alone", contention: "contention", transfer: "messages",
	whole_collective: "collectives as a whole", ring_rounds: "rounds of rings",
	files: "files", overhead: "overheads", not_followed: "waiting, not followed" };

function pathKnown({ critical_path }) {
	try {
		const { causes, messages, ranks } = JSON.parse(critical_path);
		return { causes: causes.filter(({ seconds }) => seconds > 0), messages,
			ranks: ranks.length };
	} catch {
		return null;
	}
}

// Seconds on it, and what it goes through.
function pathSums(model, parts) {
	const sums = { compute: 0, own: 0, moving: 0, messages: 0, rows: new Set() };
	for (const p of parts) {
		if (p.message !== undefined) {
			sums.moving += p.to - p.from;
			sums.messages++;
			continue;
		}
		sums.rows.add(p.row);
		const c = p.call < 0 ? -1 : model.run.calls[p.call].class;
		sums[c === CLASS_COMPUTE ? "compute" : "own"] += p.to - p.from;
	}
	return sums;
}
