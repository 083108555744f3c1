"use strict";
/* A flame graph alone: its text lines are the controls. */
addEventListener("load", () => {
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
});
