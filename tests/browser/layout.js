// SPDX-License-Identifier: GPL-2.0-or-later
/* What is wrong with how a page looks: a list of sentences. desktop: the page is wide. An expression, for pages.py. */
((desktop) => {
	const found = [], seen = (e) => e.checkVisibility ? e.checkVisibility({ visibilityProperty: true }) && !e.closest(".vh, .skip") : true;
	const say = (what, e, text) => found.push(`${what}: ${text} <${e.tagName} ${e.getAttribute("class") || ""}${e.id ? " #" + e.id : ""}>`);
	/* a heading, and a menu's entry, has something below it that is no heading and no caption */
	const shows = (e) => seen(e) && (e.matches("img") || !e.matches("h1, h2, h3, .how, figcaption, script, style") && (e.matches("table")
		? e.tBodies[0] && e.tBodies[0].rows.length : e.matches("p, pre, dl, li, a, text, rect, circle, button, summary, input, span, b, dt, dd, code")
		? e.textContent.trim() || e.matches("rect, circle") : [...e.children].some(shows) || (e.matches("svg") && e.childElementCount)));
	for (const s of document.querySelectorAll("main section, main figure, main [data-chart]"))
		if (seen(s) && !s.matches("table") && ![...s.children].some(shows)) say("empty", s, s.textContent.trim().slice(0, 40));
	for (const h of document.querySelectorAll("main h2, main h3")) {
		let next = h.nextElementSibling;
		while (next && next.matches(".how, .tools"))
			next = next.nextElementSibling;
		if (seen(h) && !(next && (h.matches("h2") && next.matches("h3") || shows(next)))) say("empty", h, h.textContent);
	}
	for (const a of document.querySelectorAll("a[href^='#']"))
		if (!document.getElementById(decodeURIComponent(a.hash.slice(1)))) say("dead", a, a.hash);
	/* texts: what is drawn of each word, within what clips it */
	const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange(), boxes = [];
	while (walk.nextNode()) {
		const node = walk.currentNode, e = node.parentElement, text = node.data;
		if (!text.trim() || e.closest("script, style, title, noscript") || !seen(e))
			continue;
		const svg = e instanceof SVGElement, holder = svg && e.parentNode.matches(".frame, .seg") && e.parentNode.querySelector(":scope > rect");
		const clip = holder ? holder.getBoundingClientRect() : (e.closest(".scroll, nav, pre") || document.documentElement).getBoundingClientRect();
		for (const word of text.matchAll(/\S+/g)) {
			range.setStart(node, word.index);
			range.setEnd(node, word.index + word[0].length);
			for (const r of range.getClientRects()) {
				if (r.width < 1) continue;
				if (holder && r.right > clip.right + 1) say("cut", e, word[0] + " of " + text);
				boxes.push({ e, word: word[0], l: r.left, r: holder ? Math.min(r.right, clip.right) : e.closest(".scroll") ? Math.min(r.right, clip.right) : r.right, t: r.top + (svg ? 2 : r.height * .2), b: r.bottom - (svg ? 2 : r.height * .2) });
				if (r.left < -1 || (r.right > innerWidth + 1 && !e.closest(".scroll, nav, pre, .away"))) say("beside the page", e, text.trim().slice(0, 40));
			}
		}
		const cell = e.closest("td, th, dt");
		if (cell && !e.closest("pre")) {
			for (const piece of text.matchAll(/[^\s_\/@.:,\-]+[\s_\/@.:,\-]?/g)) {
				range.setStart(node, piece.index);
				range.setEnd(node, piece.index + piece[0].trim().length);
				if (new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1) say("broken", cell, `${piece[0]} of ${text.trim()}`);
			}
			range.selectNodeContents(node);
			const lines = new Set([...range.getClientRects()].filter((r) => r.width > 1).map((r) => Math.round(r.top))).size;
			if (lines > 1 + text.trim().length / (desktop ? 16 : 6)) say("narrow", cell, `${lines} lines: ${text.trim()}`);
		}
	}
	boxes.sort((a, b) => a.t - b.t);
	for (let i = 0; i < boxes.length; i++)
		for (let j = i + 1; j < boxes.length && boxes[j].t < boxes[i].b; j++) {
			const a = boxes[i], b = boxes[j];
			if (Math.min(a.r, b.r) - Math.max(a.l, b.l) > 1 && Math.min(a.b, b.b) - b.t > 1) say("overlap", a.e, `${a.word} and ${b.word} at ${Math.round(a.l)},${Math.round(a.t + scrollY)}`);
		}
	/* colours */
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), known = new Map();
	const rgba = (c) => {
		if (!known.has(c)) {
			canvas.clearRect(0, 0, 1, 1);
			canvas.fillStyle = c;
			canvas.fillRect(0, 0, 1, 1);
			known.set(c, [...canvas.getImageData(0, 0, 1, 1).data]);
		}
		return known.get(c);
	};
	const light = ([r, g, b]) => [r, g, b].map((v) => v / 255).map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce((s, v, i) => s + v * [0.2126, 0.7152, 0.0722][i], 0);
	const paper = (e) => {
		for (; e; e = e.parentElement) {
			if (e instanceof SVGElement) {
				const shape = e.tagName === "g" || e.matches(".frame, .seg") ? e.querySelector(":scope > rect, :scope > polygon, :scope > ellipse, :scope > path") : null;
				const fill = shape && getComputedStyle(shape).fill, closed = shape && !e.matches(".edge");
				if (closed && fill !== "none" && rgba(fill)[3] > 200 && getComputedStyle(shape).fillOpacity > .6) return rgba(fill);
				continue;
			}
			const c = rgba(getComputedStyle(e).backgroundColor);
			if (c[3] > 200) return c;
		}
		return [255, 255, 255];
	};
	for (const e of new Set(boxes.map((x) => x.e))) {
		const style = getComputedStyle(e), ink = light(rgba(e instanceof SVGElement ? style.fill : style.color)), on = light(paper(e));
		const ratio = (Math.max(ink, on) + 0.05) / (Math.min(ink, on) + 0.05);
		if (ratio < (e instanceof SVGElement ? 3.6 : 4.4)) say("contrast " + ratio.toFixed(1), e, e.textContent.trim().slice(0, 30));
	}
	const page = light(rgba(getComputedStyle(document.documentElement).backgroundColor));
	for (const e of document.querySelectorAll("body *")) {
		const r = e.getBoundingClientRect();
		if (r.width < 120 || r.height < 40 || !seen(e)) continue;
		const style = getComputedStyle(e), c = rgba(e instanceof SVGElement ? (e.matches("rect, polygon, ellipse, path") ? style.fill : "transparent") : style.backgroundColor);
		if (c[3] > 200 && Math.abs(light(c) - page) > .6 && !e.closest(".seg, .frame, .bin")) say("box of another paper", e, style.fill);
	}
	return [...new Set(found)];
})(arguments[0])
