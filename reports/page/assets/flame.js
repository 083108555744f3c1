"use strict";
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
		for (const f of frames)
			f.el.classList.toggle("slim", parseFloat(f.el.getAttribute("width")) * px < 24);
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
