"use strict";
/*
 * The script of pages, and of flame graphs alone. Tables and words are whole without it: here tables learn to sort,
 * search and filter, flame graphs to zoom, the page to change between light and dark, and charts are drawn.
 *
 * A chart is drawn from the table that it belongs to: data-key of a head names its column, data-v is the whole number
 * of a cell, and a cell of class "pm" holds the half-width of the number before. Windows of a run and the points of a
 * sweep are JSON. Names come from strangers: they go into text nodes and attributes, never into markup.
 */
const SHOWN = 20; /* rows of a long table before "show all" */

function make(name, attributes, text) {
	const el = document.createElement(name);
	for (const [k, v] of Object.entries(attributes))
		el.setAttribute(k, v);
	if (text)
		el.textContent = text;
	return el;
}

function button(text, act, attributes = {}) {
	const b = make("button", { type: "button", ...attributes }, text);
	b.addEventListener("click", act);
	return b;
}

/* ---- light and dark -------------------------------------------------------------------------------- */

function remembered(value) {
	try {
		if (value)
			localStorage.setItem("xdpzoom-theme", value);
		return localStorage.getItem("xdpzoom-theme");
	} catch {
		return null; /* a page from disk may have no storage */
	}
}

function themeButton() {
	const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
	const dark = () => (root.dataset.theme || (system.matches ? "dark" : "light")) === "dark";
	const b = button("", () => {
		root.dataset.theme = dark() ? "light" : "dark";
		remembered(root.dataset.theme);
		label();
	}, { id: "theme" });
	function label() {
		b.textContent = dark() ? "Light" : "Dark";
		b.setAttribute("aria-label", `Change to ${dark() ? "light" : "dark"} colours`);
	}
	const known = remembered();
	if (known === "light" || known === "dark")
		root.dataset.theme = known;
	system.addEventListener("change", label);
	label();
	document.querySelector(".top").append(b);
}

/* ---- text that has to fit -------------------------------------------------------------------------- */

/* Names of functions and variants break after their parts, and nowhere else. */
function breakable(cell) {
	for (const node of [...cell.childNodes].filter((n) => n.nodeType === Node.TEXT_NODE))
		node.replaceWith(...node.data.split(/(?<=[\/@.:])|(?<=_)(?=[^_])/).flatMap((part, i) => i ? [document.createElement("wbr"), part] : [part]));
}

const canvas = document.createElementNS("http://www.w3.org/1999/xhtml", "canvas").getContext("2d");

/* A name in a box, cut so that it ends in it, or nothing. */
function fit(text, name, room) {
	const letters = name.length * room / canvas.measureText(name).width;
	text.textContent = letters >= name.length ? name : letters >= 5 ? name.slice(0, letters - 2) + ".." : "";
}

/* ---- tables ---------------------------------------------------------------------------------------- */

function cellValue(row, column) {
	const cell = row.cells[column];
	return cell.dataset.v === undefined ? cell.textContent.trim().toLowerCase() : parseFloat(cell.dataset.v);
}

function sortBy(table, th) {
	const column = th.cellIndex, body = table.tBodies[0], rows = [...body.rows];
	const numbers = th.classList.contains("r"), was = th.getAttribute("aria-sort");
	const down = was ? was === "ascending" : numbers;
	for (const other of table.tHead.rows[0].cells)
		other.removeAttribute("aria-sort");
	th.setAttribute("aria-sort", down ? "descending" : "ascending");
	rows.sort((a, b) => {
		const x = cellValue(a, column), y = cellValue(b, column);
		if (numbers && isNaN(x) !== isNaN(y))
			return isNaN(x) ? 1 : -1; /* what is not known stays below */
		return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
	});
	body.append(...rows);
}

function sortable(table, changed) {
	for (const th of table.tHead.rows[0].cells) {
		const text = th.textContent.trim();
		if (!text)
			continue;
		th.textContent = "";
		th.append(button(text, () => { sortBy(table, th); changed(); }));
	}
}

function tools(table) {
	const rows = [...table.tBodies[0].rows], bar = make("div", { class: "tools" });
	const search = make("input", { type: "search", placeholder: "Search", "aria-label": "Search this table" });
	const count = make("output", { "aria-live": "polite" });
	const all = button("", () => { open = !open; show(); });
	let open = rows.length <= SHOWN + 5, kind = "";

	function show() {
		const text = search.value.trim().toLowerCase(), narrowed = text !== "" || kind !== "";
		let fit = 0, seen = 0;
		for (const row of table.tBodies[0].rows) {
			const out = (text && !row.textContent.toLowerCase().includes(text)) || (kind && row.dataset.kind !== kind);
			row.classList.toggle("filtered", !!out);
			fit += !out;
			row.classList.toggle("beyond", !out && !open && !narrowed && fit > SHOWN);
			seen += !out && !row.classList.contains("beyond");
		}
		count.textContent = `${seen} of ${rows.length} shown`;
		all.hidden = rows.length <= SHOWN + 5 || narrowed;
		all.textContent = open ? `Show the first ${SHOWN}` : `Show all ${rows.length}`;
	}
	function kinds() {
		const group = make("span", { role: "group", "aria-label": "Which changes" });
		const buttons = ["", "changed", "new", "gone"].map((k) => button(k || "all", () => {
			kind = k;
			buttons.forEach((b) => b.setAttribute("aria-pressed", b.dataset.k === k));
			show();
		}, { "aria-pressed": k === "", "data-k": k }));
		buttons.forEach((b) => group.append(b, " "));
		return group;
	}
	search.addEventListener("input", show);
	bar.append(search);
	if (rows.some((r) => r.dataset.kind))
		bar.append(kinds());
	bar.append(all, count);
	if (rows.length > 10)
		(table.closest(".scroll") || table).before(bar);
	sortable(table, show);
	show();
}

/* ---- flame graphs ---------------------------------------------------------------------------------- */

/*
 * One flame graph: click or Enter zooms, Escape leaves, arrows walk, search marks. Frames are nested <svg>, so that
 * their names are clipped at any width; all that moves is x and width, in percent. say(text) shows what is under the
 * pointer.
 */
function flameGraph(svg, say) {
	const frames = [...svg.querySelectorAll(".frame")].map((el) => ({
		el,
		x: parseFloat(el.getAttribute("x")),
		w: parseFloat(el.getAttribute("width")),
		y: parseFloat(el.getAttribute("y")),
		text: el.querySelector("text"),
		name: el.querySelector("text").textContent,
		cost: [parseFloat(el.dataset.base || 0), parseFloat(el.dataset.new || 0)],
	}));
	let zoomed = 0, current = 0;

	/* The root is lowest, frames are in the order root first: a frame's own follow it until one is as low. */
	const last = (i) => {
		let end = i + 1;
		while (end < frames.length && frames[end].y < frames[i].y)
			end++;
		return end;
	};
	const parent = (i) => {
		let p = i - 1;
		while (p > 0 && frames[p].y <= frames[i].y)
			p--;
		return Math.max(p, 0);
	};
	const shown = (i) => !frames[i].el.classList.contains("away");
	const tell = (i) => say(frames[i].el.querySelector("title").textContent);

	function slim() {
		const px = svg.getBoundingClientRect().width / 100;
		canvas.font = getComputedStyle(svg).font;
		for (const f of frames) {
			const wide = parseFloat(f.el.getAttribute("width")) * px;
			f.el.classList.toggle("slim", wide < 24);
			if (wide >= 24)
				fit(f.text, f.name, wide - 9);
		}
	}
	function zoom(to) {
		const top = frames[to], end = last(to);
		const below = new Set();
		for (let p = to; p > 0;)
			below.add(p = parent(p));
		frames.forEach((f, i) => {
			const inside = i >= to && i < end, carries = below.has(i);
			f.el.classList.toggle("away", !inside && !carries);
			f.el.classList.toggle("passed", carries);
			f.el.setAttribute("x", (carries ? 0 : (f.x - top.x) / top.w * 100) + "%");
			f.el.setAttribute("width", (carries ? 100 : f.w / top.w * 100) + "%");
		});
		zoomed = to;
		svg.dataset.zoomed = to ? top.name : "";
		slim();
	}
	function walk(to) {
		if (to < 0 || to >= frames.length || !shown(to))
			return;
		frames[current].el.setAttribute("tabindex", "-1");
		current = to;
		frames[to].el.setAttribute("tabindex", "0");
		frames[to].el.setAttribute("aria-label", frames[to].el.querySelector("title").textContent);
		frames[to].el.focus();
		tell(to);
	}
	function beside(i, step) {
		for (let k = i + step; k > 0 && k < frames.length; k += step)
			if (frames[k].y === frames[i].y && shown(k))
				return k;
		return i;
	}
	/* What is found once is not counted again in the frames it calls. */
	function search(text) {
		const want = text.trim().toLowerCase(), sum = [0, 0];
		let found = 0, until = 0;
		frames.forEach((f, i) => {
			const hit = want !== "" && f.name.toLowerCase().includes(want);
			f.el.classList.toggle("found", hit);
			if (!hit)
				return;
			found++;
			if (i < until)
				return;
			until = last(i);
			sum[0] += f.cost[0];
			sum[1] += f.cost[1];
		});
		return { found, sum };
	}
	const of = (event) => frames.findIndex((f) => f.el === event.target.closest(".frame"));

	svg.addEventListener("click", (e) => { const i = of(e); if (i >= 0) { walk(i); zoom(i === zoomed ? 0 : i); } });
	svg.addEventListener("mouseover", (e) => { const i = of(e); if (i >= 0) tell(i); });
	svg.addEventListener("keydown", (e) => {
		const keys = {
			ArrowUp: () => walk(current + 1 < last(current) ? current + 1 : current),
			ArrowDown: () => walk(parent(current)),
			ArrowLeft: () => walk(beside(current, -1)),
			ArrowRight: () => walk(beside(current, 1)),
			Home: () => walk(0),
			Enter: () => zoom(current === zoomed ? 0 : current),
			" ": () => zoom(current === zoomed ? 0 : current),
			Escape: () => zoom(0),
		};
		if (!keys[e.key])
			return;
		e.preventDefault();
		keys[e.key]();
	});
	frames.forEach((f, i) => {
		f.el.setAttribute("role", "button");
		f.el.setAttribute("tabindex", i ? "-1" : "0");
	});
	addEventListener("resize", slim);
	addEventListener("toggle", slim, true);
	slim();
	return { reset: () => zoom(0), search };
}

function flame(figure) {
	const svg = figure.querySelector(".flame"), bar = make("div", { class: "tools" });
	const detail = figure.querySelector(".detail"), hits = make("output", { "aria-live": "polite" });
	const graph = flameGraph(svg, (text) => { detail.textContent = text; });
	const search = make("input", { type: "search", placeholder: "Search functions", "aria-label": "Search functions in this flame graph" });
	const names = (svg.dataset.names || "").split("|");

	search.addEventListener("input", () => {
		const r = graph.search(search.value);
		hits.textContent = search.value.trim() === "" ? "" :
			`${r.found} frames: ` + names.map((n, i) => `${n} ${r.sum[i].toFixed(1)} ${svg.dataset.unit}`).join(", ");
	});
	bar.append(search, button("Whole graph", () => graph.reset()), hits);
	svg.before(bar);
}

/* A flame graph alone: its text lines are the controls. */
function alone() {
	const root = document.documentElement;
	const line = root.querySelector(".line"), found = root.querySelector(".hits");
	const graphs = [...root.querySelectorAll(".flame")].map((svg) =>
		flameGraph(svg, (text) => { line.textContent = text.replaceAll("\n", "   "); }));

	function ask() {
		const text = prompt("Functions whose name holds:", "") || "";
		const sums = graphs.map((g) => g.search(text));
		found.textContent = text ? `"${text}": ` + sums.map((s) => s.sum.map((cost) => cost.toFixed(1)).filter((cost) => cost > 0).join(" and ") || "none").join(", ") + " " + root.querySelector(".flame").dataset.unit : "";
	}
	root.querySelector(".search").addEventListener("click", ask);
	root.querySelector(".reset").addEventListener("click", () => graphs.forEach((g) => g.reset()));
	addEventListener("keydown", (e) => {
		if (e.key === "f" && (e.ctrlKey || e.metaKey)) {
			e.preventDefault();
			ask();
		}
	});
}

/* ---- charts: x in percent, y in pixels, so that only the width scales with the page ---------------- */

const percent = (part, whole) => `${+(100 * part / whole).toFixed(3)}%`;
const known = (numbers) => numbers.filter((n) => isFinite(n));
const most = (numbers) => known(numbers).reduce((a, b) => Math.max(a, b), 0);
const digits = (number, n) => `${+number.toPrecision(n)}`; /* 12.5, not 12.5000 */

function shape(name, attributes, ...inside) {
	const el = document.createElementNS("http://www.w3.org/2000/svg", name);
	for (const [k, v] of Object.entries(attributes))
		el.setAttribute(k, v);
	el.append(...inside);
	return el;
}

const line = (kind, x1, x2, y1, y2) => shape("line", { class: kind, x1, x2, y1, y2 });
const words = (x, y, text, more = {}) => shape("text", { x, y, ...more }, text);
const titled = (title) => title ? [shape("title", {}, title)] : [];
const box = (kind, x, width, y, height, title) => shape("rect", { class: kind, x, width, y, height }, ...titled(title));
/* A box of a component's colour, which clips what is written in it. */
const segment = (colour, x, width, y, height, title, ...inside) =>
	shape("svg", { class: `seg ${colour}`, x, width, y, height }, ...titled(title),
		shape("rect", { width: "100%", height: "100%" }), ...inside);

/* A picture that says in words what the figure's caption says. */
function picture(figure, kind, height, ...inside) {
	const said = figure.querySelector("figcaption").textContent;
	const svg = shape("svg", { class: `chart ${kind}`, height, role: "img", "aria-label": said }, ...inside);
	figure.querySelector("figcaption").after(svg);
	return svg;
}

/* From 0 up to top, at most n steps of 1, 2 or 5 times a power of ten. None where top is infinite, or next to 0. */
function ticks(top, n) {
	const power = 10 ** Math.floor(Math.log10(top / n)), m = top / n / power;
	const step = power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
	return step > 0 && isFinite(top / step) ? Array.from({ length: Math.floor(top / step * 1.0001) + 1 }, (_, i) => i * step) : [];
}

/* ---- charts in tables ------------------------------------------------------------------------------ */

const body = (table) => [...table.tBodies[0].rows];
const column = (table, key) => [...table.tHead.rows[0].cells].findIndex((th) => th.dataset.key === key);
const value = (cell) => parseFloat(cell && cell.dataset.v);
const half = (cell) => value(cell.nextElementSibling && cell.nextElementSibling.matches(".pm") ? cell.nextElementSibling : null);
const nameOf = (row) => row.querySelector("th").textContent;
const colourOf = (row) => row.querySelector(".sw") ? row.querySelector(".sw").classList[1] : "d4";

/* A column of pictures before the cells of column `at`. draw(row): what stands in its cell, or null. */
function pictures(table, at, kind, head, draw) {
	for (const row of table.rows) {
		const heads = row.parentNode === table.tHead, cell = make(heads ? "th" : "td", { class: kind });
		cell.append(...(heads ? head : row.parentNode === table.tBodies[0] ? [draw(row)] : []));
		row.insertBefore(cell, row.cells[at] || null);
	}
}

const inCell = (kind, ...inside) => shape("svg", { class: kind, "aria-hidden": "true" }, ...inside);

/* The bar of a cost stands before its number; that of a change has two sides, and stands behind. */
function bars(table) {
	for (const th of table.querySelectorAll("[data-bar]")) {
		const at = th.cellIndex, longest = most(body(table).map((row) => Math.abs(value(row.cells[at])))) || 1;
		if (th.dataset.bar === "cost")
			pictures(table, at, "bar", [], (row) => inCell("", shape("g", { class: `seg ${colourOf(row)}` },
				box("", 0, percent(most([value(row.cells[at])]), longest), 5, 15))));
		else
			pictures(table, at + 1 + body(table).some((row) => half(row.cells[at]) >= 0), "wide", [], (row) => {
				const number = known([value(row.cells[at])])[0] || 0, part = 0.5 * Math.abs(number) / longest;
				return inCell("mini", box(number < 0 ? "less" : "more", percent(number < 0 ? 0.5 - part : 0.5, 1), percent(part, 1), 3, 11),
					line("", "50%", "50%", 0, 17));
			});
	}
}

/* Each row is a step from where the row before it ended, or a whole from 0; its interval is at its end. */
function steps(table, key, allWhole, n) {
	const at = column(table, key), STEP = 25;
	let end = 0;
	const each = new Map(body(table).map((row) => {
		const delta = value(row.cells[at]), whole = allWhole || row.matches(".whole"), from = whole ? 0 : end;
		end = isFinite(delta) ? from + delta : end;
		return [row, { delta, whole, from, to: from + delta, off: half(row.cells[at]) }];
	}));
	const all = [...each.values()], last = all[all.length - 1];
	const top = 1.06 * most(all.flatMap((s) => [s.from, s.to, s.whole ? s.to + s.off : 0])), at0 = (ns) => percent(Math.min(Math.max(ns, 0), top), top);
	const grid = ticks(top, n);
	const axis = inCell("", ...grid.filter((ns) => ns <= 0.8 * top).map((ns) => words(at0(ns), 20, digits(ns, 6))));
	axis.setAttribute("height", 16);

	pictures(table, 1, "bar", [make("span", { class: "vh" }, "chart"), axis], (row) => {
		const s = each.get(row), svg = inCell("", ...grid.map((ns) => line("grid", at0(ns), at0(ns), 0, STEP)));
		if (!isFinite(s.delta) || !(top > 0))
			return "";
		if (!s.whole)
			svg.append(line("link", at0(s.from), at0(s.from), 0, 5));
		svg.append(box(s.whole ? "whole" : s.delta < 0 ? "less" : "more", at0(Math.min(s.from, s.to)),
			percent(Math.max(0.0015 * top, Math.abs(s.delta)), top), 5, 15));
		if (!allWhole && s !== last)
			svg.append(line("link", at0(s.to), at0(s.to), 20, STEP));
		if (s.off >= 0)
			svg.append(line("whisker", at0(s.to - s.off), at0(s.to + s.off), 12.5, 12.5));
		return svg;
	});
}

/* ---- charts of a run ------------------------------------------------------------------------------- */

const legend = (of) => {
	const list = make("ul", { class: "legend" });
	for (const [name, colour] of of) {
		const item = make("li", {});
		item.append(make("span", { class: `sw ${colour}` }), name);
		list.append(item);
	}
	return list;
};

/* Both sides of the waterfall before, each divided into components. A name is written where it fits. */
function made(figure) {
	const BAR = 34, table = figure.closest("section").querySelector(".waterfall");
	const wholes = body(table).filter((row) => row.matches(".whole")), parts = body(table).filter((row) => row.querySelector(".sw"));
	const sums = wholes.map((row) => row.cells[column(table, "delta_ns")]);
	const all = (key) => parts.reduce((sum, row) => sum + Math.max(0, value(row.cells[column(table, key)]) || 0), 0);
	const top = 1.01 * most([...sums.map((cell) => value(cell) + (half(cell) || 0)), all("base_ns"), all("new_ns")]);
	const svg = picture(figure, "bars", 2 * (BAR + 30)), seen = new Map();

	["base_ns", "new_ns"].forEach((key, side) => {
		const y = 22 + side * (BAR + 30), whole = value(sums[side]), off = half(sums[side]);
		let at = 0;
		svg.append(words(0, y - 6, `${nameOf(wholes[side])}: ${whole.toFixed(1)} ns`, { class: "name" }));
		for (const row of parts) {
			const ns = value(row.cells[column(table, key)]), text = ns.toFixed(1), name = nameOf(row);
			if (!(ns / top > 0.0002))
				continue;
			svg.append(segment(colourOf(row), percent(at, top), percent(ns, top), y, BAR, `${name}: ${text} ns/packet`,
				words(6, 14, name), words(6, 28, text)));
			seen.set(name, colourOf(row));
			at += ns;
		}
		if (off >= 0)
			svg.append(line("whisker", percent(Math.max(0, whole - off), top), percent(whole + off, top), y + BAR + 4, y + BAR + 4));
	});
	svg.after(legend(seen));
	const labels = [...svg.querySelectorAll(".seg text")].map((text) => [text, text.textContent]), refit = () => {
		canvas.font = getComputedStyle(labels[0][0]).font;
		for (const [text, label] of labels)
			fit(text, label, text.parentNode.querySelector("rect").getBoundingClientRect().width - 9);
	};
	if (labels.length) {
		addEventListener("resize", refit);
		addEventListener("toggle", refit, true);
		refit();
	}
}

/* Packets per second, window by window: data-blocks holds [from, to, [[from, to, pps, profiled], ...]] of each row. */
function strip(figure) {
	const HEIGHT = 150, PLOT = HEIGHT - 34, blocks = JSON.parse(figure.dataset.blocks), length = parseFloat(figure.dataset.length);
	const rows = body(figure.querySelector("table")), top = 1.08 * most(blocks.flatMap((b) => b[2].map((w) => w[2])));
	const svg = picture(figure, "strip", HEIGHT), y = (pps) => 14 + PLOT * (1 - pps / top), at = (s) => percent(s, length);
	const mpps = ticks(top, 3), factor = parseFloat(figure.dataset.factor);

	if (!(top > 0))
		return;
	blocks.forEach(([from, to, windows], i) => {
		const side = rows[i].matches(".new") ? "new" : "base", aside = rows[i].matches(".aside") ? " aside" : "";
		svg.append(shape("g", {}, ...titled([...rows[i].cells].map((cell) => cell.textContent + (isFinite(value(cell)) ? " ns/packet" : "")).filter((text) => text).join(", ")),
			box(`block${aside}`, at(from), at(to - from), 14, PLOT),
			...windows.map((w) => line(`w ${side}${w[3] ? " profiled" : ""}${aside}`, at(w[0]), at(w[1]), y(w[2]), y(w[2])))));
	});
	for (const [from, to] of JSON.parse(figure.dataset.spans))
		svg.append(box("speed", at(from), at(to - from), HEIGHT - 20, 5, (isFinite(factor) ?
			`the machine was ${Math.max(factor, 1 / factor).toFixed(2)} times ${factor < 1 ? "faster" : "slower"}` :
			"turns are discarded as stalls") + ` from ${from.toFixed(1)} to ${to.toFixed(1)} s`));
	mpps.forEach((pps, i) => svg.append(line(pps > 0 ? "grid" : "axis", 0, "100%", y(pps), y(pps)),
		words(0, y(pps) - 3, digits(pps / 1e6, 4) + (i === mpps.length - 1 ? " Mpps" : ""))));
	for (const s of ticks(length, 8).filter((s) => s > 0 && s < 0.98 * length))
		svg.append(words(at(s), HEIGHT - 4, `${digits(s, 4)} s`));
}

const numbers = (text) => text.split(" ").map(parseFloat);

/* The parts of all polls that found 0, 1, ... packets, from 100 % down to 0.01 %: four decades. */
function polls(figure) {
	const PLOT = 110, DECADES = 4, parts = numbers(figure.dataset.pct), svg = picture(figure, "", PLOT + 30);

	for (let i = 0; i < DECADES; i++)
		svg.append(line("grid", 0, "100%", 12 + PLOT * i / DECADES, 12 + PLOT * i / DECADES),
			words("2%", 9 + PLOT * i / DECADES, `${digits(100 / 10 ** i, 1)} %`));
	parts.forEach((pct, i) => {
		const height = Math.max(1, PLOT * (1 + Math.log10(pct / 100) / DECADES)), beyond = i === parts.length - 1;
		if (pct > 0)
			svg.append(box(`bin ${figure.className}`, percent(i, parts.length), "1.3%", 12 + PLOT - height, height,
				`${beyond ? "more than " : ""}${beyond ? i - 1 : i} packets: ${digits(pct, 3)} % of polls`));
	});
	svg.append(line("axis", 0, "100%", 12 + PLOT, 12 + PLOT), words("96%", PLOT + 26, "64"));
	for (let i = 0; i < 64; i += 16)
		svg.append(words(percent(i, parts.length), PLOT + 26, i));
}

/* What a packet cost in single turns or windows. */
function spread(figure) {
	const PLOT = 90, bins = numbers(figure.dataset.bins), [from, to] = numbers(figure.dataset.ns), n = bins.length;
	const svg = picture(figure, "", PLOT + 20);

	bins.forEach((count, i) => {
		if (count > 0)
			svg.append(box(`bin ${figure.className}`, percent(i, n), percent(0.9, n), PLOT * (1 - count / most(bins)), PLOT * count / most(bins),
				`from ${(from + (to - from) * i / n).toFixed(1)} ns: ${count} ${figure.dataset.what}`));
	});
	svg.append(line("axis", 0, "100%", PLOT, PLOT), words(0, PLOT + 14, `${from.toFixed(1)} ns`),
		words("100%", PLOT + 14, `${to.toFixed(1)} ns`, { "text-anchor": "end" }));
}

/* ---- measured over counted ------------------------------------------------------------------------- */

const LEFT = 0.05; /* room for the numbers of the y axis */

/* The functions of a table that were counted. */
function counted(figure) {
	const table = document.querySelector(figure.dataset.table), cell = (row, key) => row.cells[column(table, key)] || null;
	return body(table).map((row) => ({
		name: cell(row, "name").textContent, colour: colourOf(row), off: !!cell(row, "mark") && cell(row, "mark").textContent.trim() !== "",
		ns: value(cell(row, "ns")), half: half(cell(row, "ns")) || 0, instructions: value(cell(row, "instructions")),
		transfers: value(cell(row, "transfers")), model: value(cell(row, "model_ns")),
	})).filter((f) => isFinite(f.instructions));
}

function scatter(figure) {
	const PLOT = 300, functions = counted(figure), slope = parseFloat(figure.dataset.slope);
	/* The same axes for all variants, so that plots can be compared. */
	const all = [...document.querySelectorAll("[data-chart=scatter]")].flatMap(counted);
	const right = Math.max(1, 1.08 * most(all.map((f) => f.instructions))), top = Math.max(1, 1.04 * most(all.map((f) => f.ns + f.half)));
	const x = (n) => percent(LEFT + (1 - LEFT) * n / right, 1), y = (ns) => 10 + PLOT * (1 - Math.max(0, ns) / top);
	const svg = picture(figure, "scatter", PLOT + 50), up = ticks(top, 5), taken = [];

	up.forEach((ns, i) => svg.append(line(i ? "grid" : "axis", x(0), "100%", y(ns), y(ns)),
		words(0, y(ns) + 4, digits(ns, 4) + (i === up.length - 1 ? " ns" : ""))));
	for (const n of ticks(right, 6).filter((n) => n <= 0.97 * right))
		svg.append(words(x(n), PLOT + 28, digits(n, 6), { "text-anchor": "middle" }));
	svg.append(words("100%", PLOT + 44, "instructions per packet", { "text-anchor": "end" }));
	if (isFinite(slope)) {
		const end = slope * right > top ? top / slope : right; /* where the line leaves the plot */
		svg.append(line("model", x(0), x(end), y(0), y(slope * end)));
	}
	for (const f of [...functions].reverse()) /* the slowest on top */
		svg.append(shape("g", { class: f.colour + (f.off ? " off" : "") }, ...titled(
			`${f.name}\n${f.ns.toFixed(1)} ± ${f.half.toFixed(1)} ns, ${f.instructions.toFixed(1)} instructions` +
			(isFinite(f.transfers) ? `, ${f.transfers.toFixed(2)} transferred lines` : "") +
			`\n${f.model.toFixed(1)} ns by the model${f.off ? ": does not fit" : ""}`),
			...(f.off ? [line("whisker", x(f.instructions), x(f.instructions), y(f.ns + f.half), y(f.ns - f.half))] : []),
			shape("circle", { cx: x(f.instructions), cy: y(f.ns), r: 4.5 })));
	/* Names of functions that do not fit, or are far out. A name that would lie on one before it is left out. */
	for (const f of functions.filter((f) => f.off || f.ns >= 0.3 * top || f.instructions >= 0.3 * right)) {
		const at = y(f.ns) + (f.off ? 4 : -8), left = parseFloat(x(f.instructions)) > 40;
		if (taken.length < 32 && taken.every((other) => Math.abs(other - at) > 12)) {
			taken.push(at);
			const name = words(x(f.instructions), at, "", { class: "name", dx: left ? -9 : 9, "text-anchor": left ? "end" : "start" });
			svg.append(name);
			canvas.font = getComputedStyle(name).font;
			fit(name, f.name, (left ? parseFloat(x(f.instructions)) : 100 - parseFloat(x(f.instructions))) / 100 * svg.getBoundingClientRect().width - 12);
		}
	}
}

/* ---- sweeps: a chart for each measure and each value of the other parameters ----------------------- */

const MEASURES = [
	{ head: "ns/packet, by component", unit: "ns/packet", of: (p) => p.base_ns, off: (p) => p.half_ns || 0 },
	{ head: "Millions of packets per second", unit: "Mpps", of: (p) => p.mpps, off: () => 0 },
	{ head: "Busy CPUs of those that receive", unit: "busy CPUs", of: (p) => p.busy_cpus, off: () => 0, asked: true },
];

/* The components of a point from below, and what no sample explains. Their sum may be beyond the base by little. */
function stack(point, colours) {
	const parts = [];
	let at = 0;
	for (const [name, colour] of colours) {
		const component = point.components.find((f) => f.name === name), to = Math.min(point.base_ns, at + (component ? component.self_ns || 0 : 0));
		if (to > at)
			parts.push({ name, colour, from: at, to });
		at = Math.max(at, to);
	}
	return at < point.base_ns ? [...parts, { name: "unattributed", colour: "d4", from: at, to: point.base_ns }] : parts;
}

function multiple(measure, points, axis, others, top, colours) {
	const PLOT = 120, ABOVE = 18, LABELS = 8 /* more would touch each other on a phone */, n = points.length;
	const y = (number) => ABOVE + PLOT * (1 - number / top), figure = make("figure", {}), at = others ? `, at ${others}` : "";
	const middle = { "text-anchor": "middle" };
	figure.append(make("figcaption", {}, axis + at));
	const svg = picture(figure, "", ABOVE + PLOT + 20, line("axis", 0, "100%", ABOVE + PLOT, ABOVE + PLOT));
	svg.setAttribute("aria-label", `${measure.unit} of ${points[0].variant} over ${axis}${at}; the table of all points has the numbers`);

	points.forEach((point, i) => {
		const number = measure.of(point), labelled = i % Math.ceil(n / LABELS) === 0, x = percent(i + 0.5, n), off = measure.off(point);
		if (number === null)
			svg.append(words(x, ABOVE + PLOT - 4, "-", middle));
		else
			for (const p of measure.unit === "ns/packet" ? stack(point, colours) : [{ name: measure.unit, colour: "f21", from: 0, to: number }])
				svg.append(segment(p.colour, percent(i + 0.14, n), percent(0.72, n), y(p.to), y(p.from) - y(p.to), `${p.name}: ${digits(p.to - p.from, 4)}`));
		if (number !== null && off)
			svg.append(line("whisker", x, x, y(Math.max(0, number - off)), y(number + off)));
		if (labelled && number !== null)
			svg.append(words(x, y(number + off) - 4, digits(number, 3), middle));
		if (labelled)
			svg.append(words(x, ABOVE + PLOT + 15, digits(point[axis], 6), middle));
	});
	return figure;
}

function sweep(place) {
	const { axis, variant } = place.dataset, list = place.querySelector(".legend");
	const all_points = JSON.parse(document.getElementById("data").textContent).points; // one scale for all variants
	const points = all_points.filter((p) => p.variant === variant);
	const keys = Object.keys(points[0]), parameters = keys.slice(0, keys.indexOf("variant"));
	const colours = new Map([...list.children].map((item) => [item.textContent, colourOf(item)])), lines = new Map();

	for (const point of points) {
		const others = parameters.filter((p) => p !== axis).map((p) => `${p}=${point[p]}`).join(",");
		lines.set(others, [...(lines.get(others) || []), point]);
	}
	for (const measure of MEASURES) {
		const top = most(all_points.map((p) => measure.of(p) + measure.off(p))), all = make("div", { class: "multiples" });
		if (!(top > 0) || (measure.asked && place.dataset.busy === undefined))
			continue;
		for (const [others, of] of lines)
			all.append(multiple(measure, of, axis, others, top, colours));
		place.append(make("h3", {}, measure.head), all, ...(measure.unit === "ns/packet" ? [list] : []));
	}
}

const charts = {
	waterfall: (table) => steps(table, "delta_ns", false, 5),
	layers: (table) => steps(table, "base_ns", true, 3),
	made, strip, polls, spread, scatter, sweep,
};

/* ---- data ------------------------------------------------------------------------------------------ */

function saveButton() {
	const data = document.getElementById("data"), at = document.getElementById("save");
	if (!data || !at)
		return;
	at.append(button("Save the data of this page as JSON", () => {
		const url = URL.createObjectURL(new Blob([data.textContent], { type: "application/json" }));
		make("a", { href: url, download: "xdpzoom.json" }).click();
		setTimeout(() => URL.revokeObjectURL(url), 1000);
	}));
}

/* A link to a change, such as one of a feed, opens it, and the list that it is in. */
function openTarget() {
	const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
	for (let el = target && (target.querySelector(":scope > details") || target.closest("details")); el; el = el.parentElement.closest("details"))
		el.open = true;
	if (target)
		target.scrollIntoView();
}

if (document.documentElement.nodeName === "svg") {
	alone();
} else {
	themeButton();
	saveButton();
	document.querySelectorAll(".sym").forEach(breakable);
	document.querySelectorAll("[data-chart]").forEach((el) => charts[el.dataset.chart](el));
	document.querySelectorAll("table:has([data-bar])").forEach(bars);
	document.querySelectorAll("table.sortable").forEach(tools);
	document.querySelectorAll("figure.flames").forEach(flame);
	addEventListener("hashchange", openTarget);
	openTarget();
}
