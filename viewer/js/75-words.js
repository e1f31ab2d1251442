// Everything that is text: header, legend, tables, tooltip, selection.
"use strict";

function swatch(key) {
	return element("span", { class: "swatch " + key,
		style: `background-color: var(--${key})`, "aria-hidden": "true" });
}

function showHeader(state) {
	const { run } = state.model, facts = document.getElementById("facts");
	document.getElementById("program").textContent = run.program || "predicted run";
	document.getElementById("makespan").textContent = formatTime(run.makespan);
	document.getElementById("makespan").title = run.makespan + " s";
	const add = (name, value) =>
		value && facts.append(element("li", {}, name + " ", element("b", {}, value)));
	add("on", run.machine);
	add("what if", run.what_if);
	add("ranks", formatCount(run.all_ranks));
	add("model", run.model);
	add("calls", formatCount(run.states));
	add("messages", formatCount(run.messages));
	add("predicted", run.date);
	showTrust(run.trust, facts);
	if (run.failure)
		document.getElementById("figure-is").textContent = "until it failed";
	const notices = [run.notice];
	const shown = [], last = run.first_rank + run.ranks - 1;
	if (run.ranks < run.all_ranks)
		shown.push(run.ranks > 1 ? `ranks ${run.first_rank} to ${last}` : `rank ${last}`);
	if (isCut(run))
		shown.push(`dates from ${formatTime(run.from)} to ${formatTime(run.to)}`);
	if (shown.length)
		notices.push(`This page shows ${shown.join(", ")}; ` +
			`the profile is of the whole run, of ${run.all_ranks} ranks.`);
	if (run.columns > 0)
		notices.push(`This run has ${formatCount(run.states)} calls: the page holds ` +
			"their densities. Export a window of dates or ranks to see single calls.");
	else if (!run.with_messages)
		notices.push(`The ${formatCount(run.messages)} messages of this run are not in ` +
			"the page. Export a window of dates or ranks to see them.");
	const said = notices.filter(Boolean).join(" "), p = document.getElementById("notice");
	const failed = run.failure && `This program did not run to its end: ${run.failure}`;
	const text = [failed, said].filter(Boolean).join("\n");
	p.textContent = text;
	p.hidden = !text;
}

// How far off the prediction may be stands under its time too; of what that comes, in the facts.
function showTrust(trust, facts) {
	const parts = (trust || "").split("; "), item = element("li", { class: "trust" }, "trust ");
	parts.forEach((part, i) => {
		const [, name, rest] = part.match(/^(in all|[^:]*)(.*)$/s);
		item.append(i ? "; " : "", element("b", {}, name), formatProse(rest));
	});
	if (trust)
		facts.append(item);
	const reach = parts[parts.length - 1].match(/^in all about (-\d+ to \+\d+ %)/);
	document.getElementById("reach").textContent = reach ? reach[1].replace("-", "−") : "";
}

// Of a run that spends no time on files nothing is said of them, as in the profile's text.
const isTold = (run, c) => c.key !== "io" || run.profile.classes.io.share > 0;

function showShares(state) {
	const { run } = state.model, spoken = [];
	const bar = document.getElementById("sharebar"), legend = document.getElementById("legend");
	run.classes.forEach((c, k) => {
		const share = run.profile.classes[c.key].share;
		const style = `width: ${100 * share}%; background: var(--${c.key})`;
		bar.append(element("i", { style, title: `${c.name} ${formatPercent(share)}` }));
		spoken.push(`${c.name} ${formatPercent(share)}`);
		const words = element("span", {}, c.name + " ",
			element("b", {}, formatPercent(share)), element("span", { class: "view" }));
		const button = element("button", {
			"aria-pressed": "false", "data-class": k, title: `Show only ${c.name}`,
			onclick: () => state.toggle({ class: k }),
		}, swatch(c.key), words);
		legend.append(element("li", isTold(run, c) ? {} : { hidden: "" }, button));
	});
	bar.setAttribute("aria-label", "Of ranks × time: " + spoken.join(", "));
}

// Under the shares of the run: those of the window, or, when it is the whole, seconds of a mean
// rank.
function showSharesInView(state) {
	const whole = viewsEqual(state.view, viewAll(state.view)) || state.highlight;
	const { run } = state.model;
	document.querySelectorAll("#legend button").forEach((b, k) => {
		const mean = run.profile.classes[run.classes[k].key].mean;
		b.querySelector(".view").textContent = whole ? `${formatTime(mean)} per rank` :
			`${formatPercent(state.inView[k])} in window`;
		const on = Boolean(state.highlight && state.highlight.class === k);
		b.setAttribute("aria-pressed", String(on));
	});
	const isOn = (r) =>
		Boolean(state.highlight && state.highlight.call === Number(r.dataset.call));
	const profile = document.querySelectorAll("#profile tbody tr");
	profile.forEach((r) => r.classList.toggle("on", isOn(r)));
}

const PROFILE_COLUMNS = [
	["function", "function", (f) => f.function.replace(/^MPI_/, ""), "MPI function"],
	["calls", "calls", (f) => formatCount(f.calls), "calls, all ranks"],
	["seconds", "share", (f, all) => formatPercent(f.seconds / all),
		"share of ranks × predicted time"],
	["waiting", "waiting", (f, all) => formatPercent(f.waiting / all),
		"of that, blocked on a partner that had not begun"],
	["imbalance", "imbal.",
		(f) => formatCount(Math.max(0, 100 * f.imbalance).toFixed(0)) + " %",
		"greatest time of a rank over the mean, less 1"],
	["bytes", "bytes", (f) => (f.bytes ? formatBytes(f.bytes) : ""), "sent and received"],
];

function showProfile(state) {
	const { run } = state.model, table = document.getElementById("profile");
	const all = run.makespan * run.all_ranks || 1;
	const body = element("tbody"), sort = state.profileSort, rows = [...run.profile.functions];
	const byName = sort === "function";
	rows.sort((a, b) => (byName ? a.function.localeCompare(b.function) : b[sort] - a[sort]));
	for (const f of rows) {
		const call = run.calls.findIndex((c) => c.name === f.function);
		const onclick = () => state.toggle({ call });
		const row = element("tr", { "data-call": call, onclick });
		PROFILE_COLUMNS.forEach(([key, , text], i) => {
			const cell = element("td", key === "function" ? { title: f.function } : {});
			if (i === 0)
				cell.append(swatch(f.class), element("button",
					{ title: `Show only ${f.function}` }, text(f, all)));
			else
				cell.append(text(f, all));
			row.append(cell);
		});
		body.append(row);
	}
	const titles = PROFILE_COLUMNS.map(([key, name, , title]) => {
		const onclick = () => { state.profileSort = key; showProfile(state); };
		const button = element("button", { title: title + "; sorts", onclick },
			name + (key === sort ? " ▾" : ""));
		const order = key === sort ? "descending" : "none";
		return element("th", { scope: "col", "aria-sort": order }, button);
	});
	const head = element("tr", {}, ...titles);
	table.replaceChildren(element("thead", {}, head), body);
	showSharesInView(state);
}

function showClasses(state) {
	const { run } = state.model, body = element("tbody");
	for (const c of run.classes.filter((k) => isTold(run, k))) {
		const f = run.profile.classes[c.key], spread = f.max > f.min;
		const cells = [formatTime(f.mean), formatTime(f.min), formatTime(f.max),
			spread ? String(f.max_rank) : ""].map((text) => element("td", {}, text));
		body.append(element("tr", {}, element("td", {}, swatch(c.key), c.name), ...cells));
	}
	const titles = ["", "mean", "least", "most", "on rank"];
	const head = element("tr", {}, ...titles.map((t) => element("th", { scope: "col" }, t)));
	document.getElementById("classes").replaceChildren(element("thead", {}, head), body);
}

function showAbout(state) {
	const { run } = state.model, list = element("dl");
	const add = (name, value, ...more) =>
		value && list.append(element("dt", {}, name), element("dd", {}, value, ...more));
	add("exact time", run.makespan + " s");
	add("trace", run.trace);
	// with a place to break a long one at, as it is written: after a section
	add("settings", ...(run.settings || "defaults").split(" ").map((s) =>
		element("div", {}, ...s.split(/(?<=;)/).flatMap((p) => [p, element("wbr")]))));
	add("orrery", run.version);
	document.getElementById("about").replaceChildren(element("h2", {}, "Run"), list);
}

const rankName = (run, row) => {
	const rank = run.first_rank + row, host = run.hosts[row];
	return host ? `rank ${rank} on ${host}` : `rank ${rank}`;
};

function callRows(model, row, i) {
	const l = model.lanes[row], { run } = model, c = run.calls[l.call[i]], out = [];
	out.push(["duration", formatTime(l.length[i])], ["from", formatDate(l.start[i], run.tick)],
		["to", formatDate(l.start[i] + l.length[i], run.tick)]);
	if (c.class === CLASS_COMPUTE)
		return out;
	if (l.partner[i] >= 0)
		out.push(["partner", `rank ${l.partner[i]}`]);
	if (l.bytes[i] > 0) {
		const exact = l.bytes[i] > 999 ? ` (${formatCount(l.bytes[i])})` : "";
		out.push(["bytes", formatBytes(l.bytes[i]) + exact]);
	}
	if (l.wait[i] > 0) {
		const share = formatPercent(l.wait[i] / l.length[i]);
		out.push(["waiting", `${formatTime(l.wait[i])} (${share})`]);
	}
	return out;
}

const definitions = (rows) => element("dl", {},
	...rows.flatMap(([k, v]) => [element("dt", {}, k), element("dd", {}, v)]));

function messageRows(model, k) {
	const m = model.messages, { tick } = model.run;
	const after = formatTime(m.received[k] - m.sent[k]);
	const rows = [["sent", formatDate(m.sent[k], tick)],
		["moving", "after " + formatTime(m.moved[k] - m.sent[k])],
		["received", `${formatDate(m.received[k], tick)} (after ${after})`],
		["bytes", formatBytes(m.bytes[k])], ["tag", m.tag[k]],
		["communicator", m.comm[k] === 0 ? "world" : m.comm[k]]];
	const rate = m.bytes[k] / (m.received[k] - m.moved[k]);
	if (rate > 0 && isFinite(rate))
		rows.push(["rate", formatBytes(rate) + "/s"]);
	return rows;
}

function tipContent(state, hover) {
	const { model } = state, { run } = model;
	if (hover.message >= 0) {
		const m = model.messages, k = hover.message;
		const kind = m.coll[k] ? "collective message" : "message";
		return [element("b", {}, `${kind} from ${m.from[k]} to ${m.to[k]}`),
			definitions(messageRows(model, k))];
	}
	if (hover.mix)
		return [element("b", {}, hover.title), definitions(hover.mix)];
	const c = run.calls[model.lanes[hover.row].call[hover.i]];
	const parts = [swatch(run.classes[c.class].key), element("b", {}, c.name),
		` ${rankName(run, hover.row)}`, definitions(callRows(model, hover.row, hover.i))];
	if (hover.others > 3)
		parts.push(element("div", {},
			`one of ${formatCount(hover.others)} calls in this pixel: zoom in`));
	return parts;
}

function showTip(state, x, y) {
	const tip = document.getElementById("tip"), h = state.hover;
	tip.hidden = !h;
	if (!h)
		return;
	tip.replaceChildren(...tipContent(state, h));
	const w = tip.offsetWidth, height = tip.offsetHeight;
	const left = x + 16 + w > window.innerWidth ? x - w - 12 : x + 16;
	const top = y + 18 + height > window.innerHeight ? y - height - 12 : y + 18;
	tip.style.left = Math.max(4, left) + "px";
	tip.style.top = Math.max(4, top) + "px";
}

function showSelection(state) {
	const box = document.getElementById("selection"), s = state.selected, { model } = state;
	if (!s) {
		const only = state.highlight && state.highlight.call !== undefined && model.lanes;
		const h = only ? state.highlight.call : -1;
		const hint = model.lanes ? "Click a call to keep its details here." :
			"Point at the timeline for shares.";
		box.replaceChildren(h < 0 ? element("p", { class: "hint" }, hint) :
			element("p", { class: "hint" },
				`Only ${model.run.calls[h].name} is shown. `,
				element("button", { onclick: () => state.goLongest(h) },
					"Go to its longest call")));
		return;
	}
	const c = model.run.calls[model.lanes[s.row].call[s.i]];
	const messages = messagesOf(model, s.row, s.i);
	const rows = [["on", rankName(model.run, s.row)], ...callRows(model, s.row, s.i)];
	if (messages.length > 0)
		rows.push(["messages",
			messages.length >= 200 ? "200 or more" : String(messages.length)]);
	const button = (text, title, more, onclick) =>
		element("button", { title, ...more, onclick }, text);
	const previous = { "aria-label": "Previous call" }, next = { "aria-label": "Next call" };
	box.replaceChildren(element("div", { class: "selected-title" },
		swatch(model.run.classes[c.class].key), c.name,
		element("span", { class: "spring" }),
		button("‹", "Previous call of this rank (p)", previous, () => state.step(-1)),
		button("›", "Next call of this rank (n)", next, () => state.step(1)),
		button("Zoom", "Zoom to it (f)", {}, () => state.focus())), definitions(rows));
}

// The button, and the card while the path is shown. A test reads what it adds up to.
function showPath(state) {
	const { model, path } = state, card = document.getElementById("path-card");
	const button = document.getElementById("path"), d = document.documentElement.dataset;
	button.disabled = !pathIsKnown(model);
	button.setAttribute("aria-pressed", String(Boolean(path)));
	card.hidden = !path;
	if (button.disabled)
		button.title = "Critical path: the page has not all calls and messages of the run";
	if (!path)
		return;
	const s = pathSums(model, path), known = pathKnown(model.run), share = (x) =>
		`${formatTime(x)} (${formatPercent(x / (model.run.makespan || 1))})`;
	const messages = known ? known.messages : s.messages;
	const ranks = known ? known.ranks : s.rows.size;
	const causes = known ?
		known.causes.map((c) => [PATH_CAUSES[c.cause] || c.cause, share(c.seconds)]) :
		[["computation", share(s.compute)], ["messages", share(s.moving)],
			["in calls", share(s.own)]];
	card.replaceChildren(
		element("h2", {}, "Critical path ",
			element("small", {}, "up to the end of the run")),
		definitions([...causes, ["through",
			`${formatCount(messages)} messages, ${formatCount(ranks)} ranks`]]));
	const all = s.compute + s.moving + s.own;
	if (known)
		d.causes = known.causes.map((c) => `${c.cause} ${c.seconds.toFixed(9)}`).join(", ");
	d.path = `${s.messages} ${s.compute.toFixed(9)} ${all.toFixed(9)}`;
}

function showStatus(state) {
	const { model, source, arrowList } = state, parts = [];
	const count = (n, what) => `${formatCount(n)} ${what}${n === 1 ? "" : "s"}`;
	if (source.exact || model.lanes)
		parts.push(count(source.calls, "call"));
	if (model.messages.n > 0 && state.arrows !== "none")
		parts.push(arrowList ? count(arrowList.length, "message") : "zoom in for messages");
	const status = document.getElementById("status");
	status.textContent = parts.join(" · ");
	status.title = `in view: ${status.textContent}`;
}
