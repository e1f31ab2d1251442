// From the packed elements of the page to arrays. The format is that of src/observe/html_events.c
// and html_density.c.
"use strict";

class Bytes {
	constructor(a) {
		this.a = a;
		this.i = 0;
	}
	// Groups of seven bits, lowest first; up to 53 bits.
	number() {
		const a = this.a;
		let b = a[this.i++];
		if (b < 128)
			return b;
		let v = b & 127, m = 128;
		do {
			b = a[this.i++];
			v += (b & 127) * m;
			m *= 128;
		} while (b > 127);
		return v;
	}
	signed() {
		const u = this.number();
		return u % 2 ? -(u + 1) / 2 : u / 2;
	}
	part(n) {
		const p = new Bytes(this.a.subarray(this.i, this.i + n));
		this.i += n;
		return p;
	}
	get more() {
		return this.i < this.a.length;
	}
}

function fromBase64(text) {
	if (Uint8Array.fromBase64)
		return Uint8Array.fromBase64(text);
	const raw = atob(text), out = new Uint8Array(raw.length);
	for (let i = 0; i < raw.length; i++)
		out[i] = raw.charCodeAt(i);
	return out;
}

async function inflate(text) {
	const packed = new Blob([fromBase64(text)]).stream();
	const stream = packed.pipeThrough(new DecompressionStream("deflate"));
	return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Calls each(bytes) for every element of a class, in order; gives the browser room to breathe in
// between and frees the text.
async function eachChunk(name, each, progress) {
	const all = [...document.querySelectorAll(`script.${name}`)];
	for (let i = 0; i < all.length; i++) {
		each(new Bytes(await inflate(all[i].textContent)));
		all[i].remove();
		progress((i + 1) / all.length);
	}
}

function laneNew(n) {
	return {
		n, call: new Uint8Array(n), start: new Float64Array(n), length: new Float64Array(n),
		wait: new Float32Array(n), partner: new Int32Array(n).fill(-1),
		bytes: new Float64Array(n), end: 0,
	};
}

// One rank's calls. isCompute[call]: it has neither waiting, partner nor bytes.
function decodeLane(rank, n, kinds, dates, words, tick, isCompute) {
	const l = laneNew(n);
	let t = 0;
	for (let i = 0; i < n; i++) {
		const k = kinds.a[i], c = k & 127;
		if (k > 127)
			t += dates.number();
		const length = dates.number();
		l.call[i] = c;
		l.start[i] = t * tick;
		l.length[i] = length * tick;
		t += length;
		if (isCompute[c])
			continue;
		l.wait[i] = dates.number() * tick;
		const p = words.number();
		if (p > 0)
			l.partner[i] = rank + (p % 2 ? (p - 1) / 2 : -p / 2);
		l.bytes[i] = words.number();
	}
	l.end = t * tick;
	return l;
}

function decodeStates(b, run, lanes) {
	const isCompute = run.calls.map((c) => c.class === 0);
	while (b.more) {
		const row = b.number(), n = b.number();
		const nk = b.number(), nd = b.number(), nw = b.number();
		lanes[row] = decodeLane(run.first_rank + row, n, b.part(nk), b.part(nd), b.part(nw),
			run.tick, isCompute);
	}
}

function messagesNew(n) {
	return {
		n: 0, sent: new Float64Array(n), moved: new Float64Array(n),
		received: new Float64Array(n), from: new Uint32Array(n), to: new Uint32Array(n),
		tag: new Int32Array(n), bytes: new Float64Array(n), comm: new Uint32Array(n),
		coll: new Uint8Array(n), blocks: [],
	};
}

function decodeMessages(b, run, m) {
	let received = 0;
	while (b.more) {
		const i = m.n++;
		received += b.signed();
		m.received[i] = received * run.tick;
		m.sent[i] = (received - b.number()) * run.tick;
		m.moved[i] = (received - b.number()) * run.tick;
		m.from[i] = run.first_rank + b.number();
		m.to[i] = m.from[i] + b.signed();
		m.tag[i] = b.signed();
		m.bytes[i] = b.number();
		const c = b.number();
		m.comm[i] = Math.floor(c / 2);
		m.coll[i] = c % 2;
	}
}

// Everything: { run, lanes or null, messages, grid or null }.
async function decodeAll(progress) {
	const run = JSON.parse(document.getElementById("run").textContent);
	const messages = messagesNew(run.with_messages ? run.messages : 0);
	const model = { run, lanes: null, grid: null, messages };
	if (run.columns > 0) {
		const share = new Uint8Array(run.rows * run.columns * run.classes.length);
		let at = 0;
		await eachChunk("density", (b) => {
			share.set(b.a, at);
			at += b.a.length;
		}, progress);
		model.grid = { rows: run.rows, columns: run.columns, share };
		return model;
	}
	model.lanes = Array.from({ length: run.ranks }, () => null);
	await eachChunk("messages", (b) => decodeMessages(b, run, model.messages), () => {});
	await eachChunk("states", (b) => decodeStates(b, run, model.lanes), progress);
	for (let r = 0; r < run.ranks; r++)
		model.lanes[r] = model.lanes[r] || laneNew(0);
	messagesIndex(model.messages);
	return model;
}
