"use strict";
/* The page is whole without this; here tables learn to sort, search and filter, flame graphs to zoom, and the
   page to change between light and dark. */
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

themeButton();
document.querySelectorAll("table.sortable").forEach(tools);
document.querySelectorAll("figure.flames").forEach(flame);
saveButton();
