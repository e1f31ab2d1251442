// Numbers as people read them. Everything inside is seconds and bytes.
"use strict";

const TIME_UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"], [1e-12, "ps"]];

function timeUnit(s) {
	const a = Math.abs(s);
	const unit = TIME_UNITS.find(([u]) => a >= u * 0.99995);
	return unit || (a === 0 ? TIME_UNITS[0] : TIME_UNITS[TIME_UNITS.length - 1]);
}

// "12.35 ms": four significant digits.
function formatTime(s) {
	const [u, name] = timeUnit(s);
	const v = s / u;
	return (Math.abs(v) >= 1000 ? v.toFixed(0) : s === 0 ? "0" : v.toPrecision(4)) + " " + name;
}

// A date, as precisely as the tick of the page allows: "1.234567890 s".
function formatDate(s, tick) {
	const digits = Math.min(15, Math.max(0, Math.round(-Math.log10(tick))));
	return s.toFixed(digits) + " s";
}

function formatBytes(b) {
	const units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"];
	let i = 0, v = b;
	while (v >= 999.5 && i + 1 < units.length) {
		v /= 1000;
		i++;
	}
	return Number(v.toPrecision(3)) + " " + units[i];
}

function formatCount(n) {
	return String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

function formatPercent(x) {
	return (100 * x).toFixed(1) + " %";
}

// A sentence of the program's: a number stays with its unit, and has a minus of its width.
function formatProse(text) {
	return text.replace(/ %/g, "\u00a0%").replace(/(^|\s)-(?=\d)/g, "$1−");
}

// The round number, 1, 2 or 5 times a power of ten, that is at least x.
function roundStep(x) {
	const p = Math.pow(10, Math.floor(Math.log10(x)));
	return [1, 2, 5, 10].map((m) => m * p).find((v) => v >= x * (1 - 1e-9));
}

function element(tag, attributes, ...children) {
	const e = document.createElement(tag);
	for (const [k, v] of Object.entries(attributes || {})) {
		if (k === "style")
			e.style.cssText = v;
		else if (k.startsWith("on"))
			e.addEventListener(k.slice(2), v);
		else
			e.setAttribute(k, v);
	}
	e.append(...children.filter((c) => c !== null && c !== undefined));
	return e;
}
