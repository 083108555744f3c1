// SPDX-License-Identifier: GPL-2.0-or-later
/* Exact counts, and two variants of them side by side. */
#include "reports/document/document.h"

/* ---- columns, in the order of JSON's members --------------------------------------------------------- */

/* How far the windows are from the model, and whether they are on it. */
#define RESIDUALS                                                                                                      \
	{"residual", NULL, CELL_NUMBER, IN_JSON, .csv = "residual"}, {"loads_residual", NULL, CELL_NUMBER, IN_JSON},   \
		{"stores_residual", NULL, CELL_NUMBER, IN_JSON},                                                       \
		{"lines_touched_residual", NULL, CELL_NUMBER, IN_JSON},                                                \
		{"lines_transferred_residual", NULL, CELL_NUMBER, IN_JSON},                                            \
		{"lines_device_residual", NULL, CELL_NUMBER, IN_JSON},                                                 \
		{"exact", NULL, CELL_FLAG, IN_JSON, .csv = "exact"}

#define FOOTPRINT_COLUMNS(flags)                                                                                       \
	{"footprint_lines", "footprint", CELL_NUMBER, flags, .csv = "footprint_lines"},                                \
		{"footprint_pages", "pages", CELL_NUMBER, flags, .csv = "footprint_pages"}

/* The counts of one function, component or variant. */
#define SUMMED          (IN_TABLE | WITH_SUM | WITH_BOUND)
#define COST(key, head) {key, head, CELL_NUMBER, IN_JSON | SUMMED, .csv = key}
#define COST_COLUMNS                                                                                                   \
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | SUMMED | WITH_BAR, .csv = "instructions"},             \
		COST("calls", "calls"), COST("loads", "loads"), COST("stores", "stores"),                              \
		COST("lines_touched", "lines"), COST("lines_transferred", "transfers"),                                \
		COST("lines_device", "device"), FOOTPRINT_COLUMNS(IN_JSON | IN_WIDE | SUMMED),                         \
		COST("instructions_per_poll", "per poll"), COST("instructions_per_wakeup", "per wakeup"),              \
		{"instructions_per_window", NULL, CELL_NUMBER, IN_JSON, .csv = "instructions_per_window"}, RESIDUALS

static const struct column cost_columns[] = {COST_COLUMNS};

static const struct column component_columns[] = {
	{"name", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(exact_row, name), .csv = "name"},
	{"component", NULL, CELL_WORDS, 0, FROM(exact_row, name), .csv = "component"},
	COST_COLUMNS,
};

static const struct column symbol_columns[] = {
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE, FROM(exact_row, name), .csv = "name"},
	{"module", NULL, CELL_WORDS, IN_JSON, FROM(exact_row, module)},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_WIDE, FROM(exact_row, component), .csv = "component"},
	COST_COLUMNS,
};

static const struct column window_columns[] = {
	{"batch", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, batch)},
	{"sent", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, sent)},
	{"arrived", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, arrived)},
	{"packets", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, packets)},
	{"polls", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, polls)},
	{"wakeups", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, wakeups)},
	{"instructions", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, summed)},
	{"instructions_between", NULL, CELL_COUNT, IN_JSON, FROM(exact_window, between)},
};

static const struct column footprint_columns[] = {
	{"batch", "in batches of", CELL_COUNT, IN_JSON | IN_TABLE, FROM(exact_window, batch)},
	{"frames", "frames", CELL_COUNT, IN_JSON | IN_TABLE},
	{"lines", "lines", CELL_COUNT, IN_JSON | IN_TABLE, FROM(exact_window, memory_summed[EXACT_FOOT_LINES])},
	{"pages", "pages", CELL_COUNT, IN_JSON | IN_TABLE, FROM(exact_window, memory_summed[EXACT_FOOT_PAGES])},
};

static const struct column outside_columns[] = {
	{"interrupts", NULL, CELL_COUNT, IN_JSON},  {"system calls", NULL, CELL_COUNT, IN_JSON},
	{"warm-up", NULL, CELL_COUNT, IN_JSON},     {"consumer", NULL, CELL_COUNT, IN_JSON},
	{"other tasks", NULL, CELL_COUNT, IN_JSON},
};

static const struct column drop_columns[] = {
	{"reason", NULL, CELL_WORDS, IN_JSON, FROM(exact_drop, reason)},
	{"frames", NULL, CELL_COUNT, IN_JSON, FROM(exact_drop, frames)},
};

#define STATE_NOTE "± depends on state (page pool, slab): how far a window is off the model at most, or moves it"

static const struct column variant_columns[] = {
	{"id", NULL, CELL_NAME, IN_JSON, FROM(exact_variant, id)},
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | IN_FACTS, "per packet", .csv = "instructions"},
	{"calls", "calls", CELL_NUMBER, IN_JSON | IN_FACTS, "per packet", .csv = "calls"},
	{"loads", "loads", CELL_NUMBER, IN_JSON | IN_FACTS, "per packet", .csv = "loads"},
	{"stores", "stores", CELL_NUMBER, IN_JSON | IN_FACTS, "per packet", .csv = "stores"},
	{"lines_touched", "lines touched", CELL_NUMBER, IN_JSON | IN_FACTS, "of 64 bytes per packet",
	 .csv = "lines_touched"},
	{"lines_transferred", "transfers", CELL_NUMBER, IN_JSON | IN_FACTS,
	 "lines per packet that another CPU wrote last", .csv = "lines_transferred"},
	{"lines_device", "device", CELL_NUMBER, IN_JSON | IN_FACTS, "lines per packet that a device wrote last",
	 .csv = "lines_device"},
	FOOTPRINT_COLUMNS(IN_JSON),
	{"footprint_words", "footprint", CELL_WORDS, IN_FACTS},
	{"pmu_instructions", NULL, CELL_NUMBER, IN_JSON},
	{"pmu_counted", NULL, CELL_NUMBER, IN_JSON},
	{"pmu_difference", NULL, CELL_NUMBER, IN_JSON},
	{"pmu_ratio", NULL, CELL_NUMBER, IN_JSON},
	{"pmu_words", "PMU", CELL_WORDS, IN_FACTS},
	{"instructions_per_poll", "per poll", CELL_NUMBER, IN_JSON | IN_FACTS, "instructions",
	 .csv = "instructions_per_poll"},
	{"instructions_per_wakeup", "per wakeup", CELL_NUMBER, IN_JSON | IN_FACTS, "instructions",
	 .csv = "instructions_per_wakeup"},
	{"instructions_per_window", NULL, CELL_NUMBER, IN_JSON, .csv = "instructions_per_window"},
	RESIDUALS,
	{"exact_words", "exact", CELL_WORDS, IN_FACTS},
	{"packets", NULL, CELL_COUNT, IN_JSON, FROM(exact_variant, packets)},
	{"polls", NULL, CELL_COUNT, IN_JSON, FROM(exact_variant, polls)},
	{"wakeups", NULL, CELL_COUNT, IN_JSON, FROM(exact_variant, wakeups)},
	{"counted_words", "counted", CELL_WORDS, IN_FACTS},
	{"closure", NULL, CELL_NUMBER, IN_JSON},
	{"closure_words", "closure", CELL_WORDS, IN_FACTS},
	{"closure_loads", NULL, CELL_NUMBER, IN_JSON},
	{"closure_stores", NULL, CELL_NUMBER, IN_JSON},
	{"closure_lines_touched", NULL, CELL_NUMBER, IN_JSON},
	{"closure_lines_transferred", NULL, CELL_NUMBER, IN_JSON},
	{"closure_lines_device", NULL, CELL_NUMBER, IN_JSON},
	{"closure_footprint_lines", NULL, CELL_NUMBER, IN_JSON},
	{"closure_footprint_pages", NULL, CELL_NUMBER, IN_JSON},
	{"closure_places", NULL, CELL_NUMBER, IN_JSON},
	{"closure_source", NULL, CELL_NUMBER, IN_JSON},
	{"source_words", "source", CELL_WORDS, IN_FACTS},
	{"memory_words", "memory", CELL_WORDS, IN_FACTS},
	{"odd_windows", NULL, CELL_NUMBER, IN_JSON},
	{"even_windows", NULL, CELL_NUMBER, IN_JSON},
	{"halves_words", "two halves", CELL_WORDS, IN_FACTS},
	{"excluded", NULL, CELL_OBJECT, IN_JSON},
	{"outside_words", "excluded", CELL_WORDS, IN_FACTS},
	{"drop_reasons", NULL, CELL_TABLE, IN_JSON},
	{"drop_words", "drop reason", CELL_WORDS, IN_FACTS},
	MADE_COLUMNS,
	{"components", "Components", CELL_TABLE, IN_JSON | IN_TABLE},
	{"symbols", "Functions", CELL_TABLE, IN_JSON | IN_TABLE, STATE_NOTE},
	{"source_lines", "Source lines", CELL_TABLE, IN_JSON | IN_TABLE},
	{"places", "Data structures", CELL_TABLE, IN_JSON | IN_TABLE},
	{"spots", "Data structures by function", CELL_TABLE, IN_JSON | IN_TABLE},
	{"footprints", "Footprint", CELL_TABLE, IN_JSON | IN_TABLE,
	 "Different lines of 64 bytes, and pages of 4 KiB, that so many consecutive frames touch."},
	{"windows", NULL, CELL_TABLE, IN_JSON},
};

static const struct column document_columns[] = {
	{"nic", NULL, CELL_WORDS, IN_JSON, FROM(exact, nic)},
	{"kernel", NULL, CELL_WORDS, IN_JSON, FROM(exact, kernel)},
	{"compiler", NULL, CELL_WORDS, IN_JSON},
	{"source", NULL, CELL_WORDS, IN_JSON},
	{"emulator", NULL, CELL_WORDS, IN_JSON, FROM(exact, emulator)},
	{"time", NULL, CELL_WORDS, IN_JSON, FROM(exact, time)},
	{"pmu_kernel", NULL, CELL_WORDS, IN_JSON},
	{"pmu_cpu", NULL, CELL_WORDS, IN_JSON},
	{"pmu_started", NULL, CELL_WORDS, IN_JSON},
	{"variants", NULL, CELL_TABLE, IN_JSON},
};

#define CHANGE_COLUMNS                                                                                                 \
	{"base_instructions", "base", CELL_NUMBER, SUMMED | IN_WIDE, .csv = "base_instructions"},                      \
		{"new_instructions", "new", CELL_NUMBER, SUMMED | IN_WIDE, .csv = "new_instructions"},                 \
		{"change", "change", CELL_NUMBER, IN_JSON | SUMMED | WITH_SIGN | WITH_BAR, .csv = "change"},           \
		{"base_calls", NULL, CELL_NUMBER, 0, .csv = "base_calls", FROM(exact_diff_row, base.calls)},           \
		{"new_calls", NULL, CELL_NUMBER, 0, .csv = "new_calls", FROM(exact_diff_row, new.calls)},              \
		{"change_calls", "calls", CELL_NUMBER, SUMMED | WITH_SIGN},                                            \
		{"change_transferred", "transfers", CELL_NUMBER, SUMMED | WITH_SIGN,                                   \
		 .csv = "change_lines_transferred"},                                                                   \
		{"change_device", "device", CELL_NUMBER, SUMMED | WITH_SIGN, .csv = "change_lines_device"},            \
		{"change_footprint", "footprint", CELL_NUMBER, SUMMED | IN_WIDE | WITH_SIGN,                           \
		 .csv = "change_footprint_lines"},                                                                     \
		{"change_pages", "pages", CELL_NUMBER, SUMMED | IN_WIDE | WITH_SIGN, .csv = "change_footprint_pages"}, \
		{"exact", NULL, CELL_FLAG, IN_JSON, .csv = "exact", FROM(exact_diff_row, exact)},                      \
		{"base", NULL, CELL_OBJECT, IN_JSON},                                                                  \
	{                                                                                                              \
		"new", NULL, CELL_OBJECT, IN_JSON                                                                      \
	}

static const struct column component_changes[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "component", CELL_COMPONENT, IN_JSON | IN_TABLE, FROM(exact_diff_row, name), .csv = "name"},
	{"component", NULL, CELL_WORDS, 0, FROM(exact_diff_row, component), .csv = "component"},
	CHANGE_COLUMNS,
};

static const struct column symbol_changes[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE, FROM(exact_diff_row, name), .csv = "name"},
	{"component", "component", CELL_COMPONENT, IN_JSON | IN_WIDE, FROM(exact_diff_row, component),
	 .csv = "component"},
	CHANGE_COLUMNS,
};

static const struct column side_columns[] = {
	{"id", "variant", CELL_NAME, IN_JSON | IN_TABLE},
	{"nic", "NIC", CELL_WORDS, IN_JSON | IN_TABLE | IN_WIDE, FROM(exact, nic)},
	{"kernel", "kernel", CELL_WORDS, IN_JSON | IN_TABLE | IN_WIDE, FROM(exact, kernel)},
	{"compiler", NULL, CELL_WORDS, IN_JSON},
	{"source", NULL, CELL_WORDS, IN_JSON},
	{"emulator", NULL, CELL_WORDS, IN_JSON, FROM(exact, emulator)},
	{"time", NULL, CELL_WORDS, IN_JSON, FROM(exact, time)},
	COST_COLUMNS,
};

static const struct column diff_columns[] = {
	{"base", NULL, CELL_OBJECT, IN_JSON},
	{"new", NULL, CELL_OBJECT, IN_JSON},
	{"change", NULL, CELL_NUMBER, IN_JSON, .csv = "change"},
	{"base_instructions", NULL, CELL_NUMBER, 0, .csv = "base_instructions"},
	{"new_instructions", NULL, CELL_NUMBER, 0, .csv = "new_instructions"},
	{"sides", "Both sides", CELL_TABLE, IN_TABLE},
	{"base_run", "base", CELL_WORDS, IN_FACTS},
	{"new_run", "new", CELL_WORDS, IN_FACTS},
	{"made_words", "made with", CELL_WORDS, IN_FACTS},
	{"mitigations", NULL, CELL_WORDS, IN_JSON},
	{"footprint_words", "footprint", CELL_WORDS, IN_FACTS},
	{"components", "Components", CELL_TABLE, IN_JSON | IN_TABLE},
	{"symbols", "Functions", CELL_TABLE, IN_JSON | IN_TABLE, "~ depends on state (page pool, slab)"},
	{"source_lines", "Source lines", CELL_TABLE, IN_JSON | IN_TABLE},
	{"alike", "alike", CELL_WORDS, IN_PLAIN},
	{"closure_words", "closure", CELL_WORDS, IN_PLAIN},
	{"source_words", "source", CELL_WORDS, IN_PLAIN},
};

/* ---- counts ------------------------------------------------------------------------------------------ */

static void put_count(struct rows *r, const char *key, double value, const struct exact_cost *c)
{
	if (c->exact)
		rows_number(r, key, value, 3);
	else
		rows_interval(r, key, value, c->residual);
}

/* The columns of loads, stores and lines, also of data structures. */
static const char *const memory_keys[EXACT_MEMORY] = {[EXACT_LOADS] = "loads",
						      [EXACT_STORES] = "stores",
						      [EXACT_LINES_TOUCHED] = "lines_touched",
						      [EXACT_LINES_TRANSFERRED] = "lines_transferred",
						      [EXACT_LINES_DEVICE] = "lines_device",
						      [EXACT_FOOT_LINES] = "footprint_lines",
						      [EXACT_FOOT_PAGES] = "footprint_pages"};

/* terms NULL: all are known. */
static void put_cost(struct rows *r, const struct exact_cost *c, const bool *terms)
{
	static const char *const residuals[EXACT_MEMORY] = {[EXACT_LOADS] = "loads_residual",
							    [EXACT_STORES] = "stores_residual",
							    [EXACT_LINES_TOUCHED] = "lines_touched_residual",
							    [EXACT_LINES_TRANSFERRED] = "lines_transferred_residual",
							    [EXACT_LINES_DEVICE] = "lines_device_residual"};
	static const char *const keys[EXACT_TERMS] = {[EXACT_POLL] = "instructions_per_poll",
						      [EXACT_WAKEUP] = "instructions_per_wakeup",
						      [EXACT_FIXED] = "instructions_per_window"};

	put_count(r, "instructions", c->instructions[EXACT_PACKET], c);
	for (int t = EXACT_POLL; t < EXACT_TERMS; t++)
		rows_number(r, keys[t], terms && !terms[t] ? NAN : c->instructions[t], 0);
	rows_number(r, "calls", c->calls, 3);
	for (int i = 0; i < EXACT_MEMORY; i++) {
		rows_number(r, memory_keys[i], c->memory[i], i < EXACT_FOOT_LINES ? 2 : 0);
		if (residuals[i])
			rows_number(r, residuals[i], c->memory_residual[i], 2);
	}
	rows_value(r, "residual", c->residual);
	rows_value(r, "exact", c->exact);
}

/* ---- a run ------------------------------------------------------------------------------------------- */

/* Functions or components. */
static void counted_rows(struct rows *r, const struct exact_row *rows, size_t n, const bool *terms)
{
	for (size_t i = 0; i < n; i++) {
		rows_add_of(r, &rows[i]);
		put_cost(r, &rows[i].cost, terms);
	}
}

/* The footprint of each window that has one. */
static void put_footprint(struct rows *parent, const struct exact *e, const struct exact_variant *v)
{
	const struct exact_window *single = exact_footprint(v, 1);
	struct rows *r = NULL;
	char words[200];

	if (!exact_footprint_words(e, v, NULL, words, sizeof(words)))
		return;
	if (single)
		snprintf(words + strlen(words), sizeof(words) - strlen(words), "; one by one %" PRIu64 " and %" PRIu64,
			 single->memory_summed[EXACT_FOOT_LINES], single->memory_summed[EXACT_FOOT_PAGES]);
	rows_words(parent, "footprint_words", "%s", words);
	r = rows_table(parent, "footprints", footprint_columns, COUNT(footprint_columns));
	for (size_t i = 0; i < v->nwindows + v->nfootprints; i++)
		if (v->windows[i].memory[EXACT_FOOT_LINES]) {
			rows_add_of(r, &v->windows[i]);
			rows_value(r, "frames", e->footprint_frames);
		}
}

static void put_outside(struct rows *parent, const struct exact_variant *v)
{
	static const char *const names[EXACT_OUTSIDES] = {[EXACT_INTERRUPTS] = "interrupts",
							  [EXACT_SYSTEM_CALLS] = "system calls",
							  [EXACT_WARMUP] = "warm-up",
							  [EXACT_BESIDE] = "consumer",
							  [EXACT_OTHERS] = "other tasks"};
	struct rows *r = rows_table(parent, "excluded", outside_columns, COUNT(outside_columns));
	double all = 0;
	char count[32], beside[80] = "";

	rows_add(r);
	for (int i = 0; i < EXACT_OUTSIDES; i++) {
		rows_value(r, names[i], (double)v->outside[i]);
		all += (double)v->outside[i];
	}
	if (v->outside[EXACT_BESIDE])
		snprintf(beside, sizeof(beside), ", %.0f %% polls of the device that gets the frames",
			 100 * (double)v->outside[EXACT_BESIDE] / all);
	rows_words(parent, "outside_words",
		   "%s instructions ran outside of polls: %.0f %% interrupts, %.0f %% system calls, %.0f %% other "
		   "tasks, %.0f %% warm-up%s",
		   digits_count(all, count, sizeof(count)),
		   all > 0 ? 100 * (double)v->outside[EXACT_INTERRUPTS] / all : 0,
		   all > 0 ? 100 * (double)v->outside[EXACT_SYSTEM_CALLS] / all : 0,
		   all > 0 ? 100 * (double)v->outside[EXACT_OTHERS] / all : 0,
		   all > 0 ? 100 * (double)v->outside[EXACT_WARMUP] / all : 0, beside);
}

static void exact_rows_put_counted(struct rows *r, const struct exact_variant *v)
{
	char a[32], b[32], c[32];
	size_t exact = 0;

	for (size_t i = 0; i < v->nrows; i++)
		exact += v->rows[i].cost.exact;
	rows_words(r, "exact_words", "%zu of %zu functions; the counts of the others depend on state", exact, v->nrows);
	rows_words(r, "counted_words", "%s packets in %s polls, %s wakeups, %zu windows",
		   digits_count((double)v->packets, a, sizeof(a)), digits_count((double)v->polls, b, sizeof(b)),
		   digits_count((double)v->wakeups, c, sizeof(c)), v->nwindows);
	rows_value(r, "closure", (double)v->summed - (double)v->between);
	rows_words(r, "closure_words",
		   "functions sum to %s instructions, between entry and exit of the polls were %s: residual %lld",
		   digits_count((double)v->summed, a, sizeof(a)), digits_count((double)v->between, b, sizeof(b)),
		   (long long)(v->summed - v->between));
	/* The sums over functions against the counts between entry and exit of the polls. */
	static const char *const keys[EXACT_MEMORY] = {[EXACT_LOADS] = "closure_loads",
						       [EXACT_STORES] = "closure_stores",
						       [EXACT_LINES_TOUCHED] = "closure_lines_touched",
						       [EXACT_LINES_TRANSFERRED] = "closure_lines_transferred",
						       [EXACT_LINES_DEVICE] = "closure_lines_device",
						       [EXACT_FOOT_LINES] = "closure_footprint_lines",
						       [EXACT_FOOT_PAGES] = "closure_footprint_pages"};
	char open[512];
	for (int i = 0; i < EXACT_MEMORY; i++)
		rows_value(r, keys[i], v->memory[i] || v->apart[i] ? (double)v->apart[i] : NAN);
	rows_value(r, "closure_places",
		   v->nplaces || v->apart[EXACT_OF_PLACES] ? (double)v->apart[EXACT_OF_PLACES] : NAN);
	if (exact_open_words(v, open, sizeof(open)))
		rows_words(r, "memory_words", "do not sum to an independent count, and are left out: %s", open);
	else if (v->memory[EXACT_LOADS])
		rows_words(r, "memory_words",
			   "each count of functions%s sums to that between entry and exit of the polls: residual 0",
			   v->nplaces ? ", and of data structures," : "");
	rows_value(r, "odd_windows", v->halves[0]);
	rows_value(r, "even_windows", v->halves[1]);
	if (!isnan(v->halves[0]) && !isnan(v->halves[1]))
		rows_words(r, "halves_words",
			   "%.3f and %.3f instructions per packet, by the odd and by the even windows", v->halves[0],
			   v->halves[1]);
}

/* ---- data structures ------------------------------------------------------------------------------------- */

#define MEMORY(key, head) {key, head, CELL_NUMBER, IN_JSON | SUMMED}
#define MEMORY_COLUMNS                                                                                                 \
	MEMORY("loads", "loads"), MEMORY("stores", "stores"), MEMORY("lines_touched", "lines"),                        \
		MEMORY("lines_transferred", "transfers"), MEMORY("lines_device", "device"),                            \
		FOOTPRINT_COLUMNS(IN_JSON | SUMMED)

static const struct column place_columns[] = {
	{"place", "data structure", CELL_NAME, IN_JSON | IN_TABLE},
	MEMORY_COLUMNS,
};

static const struct column spot_columns[] = {
	{"place", "data structure", CELL_NAME, IN_JSON | IN_TABLE},
	{"name", "function", CELL_NAME, IN_JSON | IN_TABLE},
	{"module", NULL, CELL_WORDS, IN_JSON},
	MEMORY_COLUMNS,
};

static void put_place(struct rows *r, const struct exact_place *p)
{
	rows_add(r);
	rows_text(r, "place", p->name);
	for (int m = 0; m < EXACT_MEMORY; m++)
		rows_number(r, memory_keys[m], p->memory[m], m < EXACT_FOOT_LINES ? 2 : 0);
}

static void place_rows(struct rows *parent, const struct exact_variant *v)
{
	struct rows *places, *spots;

	if (!v->nplaces)
		return;
	places = rows_table(parent, "places", place_columns, COUNT(place_columns));
	for (size_t i = 0; i < v->nplaces; i++)
		put_place(places, &v->places[i]);
	spots = rows_table(parent, "spots", spot_columns, COUNT(spot_columns));
	for (size_t i = 0; i < v->nspots; i++) {
		put_place(spots, &v->spots[i]);
		rows_text(spots, "name", v->spots[i].function);
		rows_text(spots, "module", v->spots[i].module);
	}
}

/* ---- source lines of the program under test -------------------------------------------------------------- */

static const struct column line_columns[] = {
	{"instructions", "instructions", CELL_NUMBER, IN_JSON | SUMMED},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE, FROM(exact_line, text)},
	{"file", NULL, CELL_WORDS, IN_JSON, FROM(exact_line, file)},
	{"line", NULL, CELL_COUNT, IN_JSON, FROM(exact_line, number)},
	{"name", "function", CELL_NAME, IN_JSON | IN_WIDE, FROM(exact_line, function)},
	{"residual", NULL, CELL_NUMBER, IN_JSON, FROM(exact_line, cost.residual)},
	{"exact", NULL, CELL_FLAG, IN_JSON, FROM(exact_line, cost.exact)},
};

static const struct column line_change_columns[] = {
	{"mark", "", CELL_MARK, IN_TABLE},
	{"base_instructions", "base", CELL_NUMBER, IN_JSON | SUMMED, FROM(exact_line_change, base_instructions),
	 .decimals = 3},
	{"new_instructions", "new", CELL_NUMBER, IN_JSON | SUMMED, FROM(exact_line_change, new_instructions),
	 .decimals = 3},
	{"change", "change", CELL_NUMBER, IN_JSON | SUMMED | WITH_SIGN | WITH_BAR, FROM(exact_line_change, change),
	 .decimals = 3},
	{"where", "source line", CELL_NAME, IN_TABLE},
	{"text", "source", CELL_WORDS, IN_JSON | IN_TABLE},
	{"base_file", NULL, CELL_WORDS, IN_JSON},
	{"base_line", NULL, CELL_COUNT, IN_JSON},
	{"new_file", NULL, CELL_WORDS, IN_JSON},
	{"new_line", NULL, CELL_COUNT, IN_JSON},
	{"name", "function", CELL_NAME, IN_JSON | IN_WIDE},
	{"exact", NULL, CELL_FLAG, IN_JSON, FROM(exact_line_change, exact)},
};

static const char *last_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static void line_rows(struct rows *parent, const struct exact_variant *v)
{
	char a[32], b[32];
	struct rows *r;

	if (!v->nlines && !v->line_apart)
		return;
	rows_words(
		parent, "source_words", "source lines sum to %s instructions, their functions to %s: residual %llu%s",
		digits_count((double)v->line_summed, a, sizeof(a)), digits_count((double)v->line_counted, b, sizeof(b)),
		(unsigned long long)v->line_apart, v->line_apart ? "; they are left out" : "");
	rows_value(parent, "closure_source", (double)v->line_apart);
	if (!v->nlines)
		return;
	r = rows_table(parent, "source_lines", line_columns, COUNT(line_columns));
	for (size_t i = 0; i < v->nlines; i++) {
		const struct exact_line *l = &v->lines[i];

		rows_add_of(r, l);
		put_count(r, "instructions", l->cost.instructions[EXACT_PACKET], &l->cost);
		rows_words(r, "where", "%s:%u", last_of(l->file), l->number);
	}
}

/* What the functions of v that have source lines execute. */
static double functions_with_lines(const struct exact_variant *v)
{
	double sum = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		size_t k = 0;

		while (k < v->nlines &&
		       (strcmp(v->lines[k].function, v->rows[i].name) || strcmp(v->lines[k].module, v->rows[i].module)))
			k++;
		sum += k < v->nlines ? v->rows[i].cost.instructions[EXACT_PACKET] : 0;
	}
	return sum;
}

static void line_change_rows(struct rows *parent, const struct exact_diff *d)
{
	struct rows *r;
	double sum = 0;

	if (!d->nlines)
		return;
	r = rows_table(parent, "source_lines", line_change_columns, COUNT(line_change_columns));
	for (size_t i = 0; i < d->nlines; i++) {
		const struct exact_line_change *c = &d->lines[i];
		const struct exact_line *l = c->new ? c->new : c->base;

		rows_add_of(r, c);
		rows_last(r)->class = c->change == 0 && c->exact ? "same"
				      : !c->new                  ? "gone"
				      : !c->base                 ? "new"
								 : "changed";
		if (c->change == 0 && c->exact)
			rows_last(r)->hidden = true;
		rows_text(r, "mark", c->exact ? "" : "~");
		rows_words(r, "where", "%s:%u%s", last_of(l->file), l->number, c->new ? "" : " (base)");
		rows_text(r, "text", l->text);
		rows_text(r, "base_file", c->base ? c->base->file : NULL);
		rows_value(r, "base_line", c->base ? c->base->number : NAN);
		rows_text(r, "new_file", c->new ? c->new->file : NULL);
		rows_value(r, "new_line", c->new ? c->new->number : NAN);
		rows_text(r, "name", l->function);
		sum += d->lines[i].change;
	}
	rows_words(parent, "source_words", "changes of all source lines sum to %+.3f, their functions differ by %+.3f",
		   sum, functions_with_lines(d->new) - functions_with_lines(d->base));
}

/* ---- variants -------------------------------------------------------------------------------------------- */

/* Begins a row, and puts where a run was counted. */
static void put_where(struct rows *r, const struct exact *e)
{
	rows_add_of(r, e);
	rows_text(r, "compiler", e->compiler[0] ? e->compiler : NULL);
	rows_text(r, "source", e->source[0] ? e->source : NULL);
}

int exact_rows(struct rows *r, const struct exact *e, const struct exact_variant *only)
{
	rows_init(r, document_columns, COUNT(document_columns));
	put_where(r, e);
	rows_text(r, "pmu_kernel", e->pmu_kernel[0] ? e->pmu_kernel : NULL);
	rows_text(r, "pmu_cpu", e->pmu_cpu[0] ? e->pmu_cpu : NULL);
	rows_text(r, "pmu_started", e->pmu_started[0] ? e->pmu_started : NULL);
	struct rows *of = rows_table(r, "variants", variant_columns, COUNT(variant_columns));
	for (size_t i = 0; i < e->nvariants; i++) {
		const struct exact_variant *v = &e->variants[i];
		struct rows *windows;

		if (only && only != v)
			continue;
		rows_add_of(of, v);
		put_cost(of, &v->total, v->terms);
		/* A total holds functions with state; the rows below show their deviations. */
		rows_number(of, "instructions", v->total.instructions[EXACT_PACKET], 3);
		exact_rows_put_counted(of, v);
		put_footprint(of, e, v);
		char words[300];
		double counted;
		exact_pmu_words(e, v, &counted, words, sizeof(words));
		if (words[0]) {
			rows_interval(of, "pmu_instructions", v->pmu, v->pmu_half);
			rows_value(of, "pmu_counted", counted);
			rows_value(of, "pmu_difference", v->pmu - counted);
			rows_value(of, "pmu_ratio", v->pmu / counted);
			rows_words(of, "pmu_words", "%s", words);
		}
		put_outside(of, v);
		/* Where frames ended that the program passed; no part of any count. */
		struct rows *reasons =
			v->ndrops ? rows_table(of, "drop_reasons", drop_columns, COUNT(drop_columns)) : NULL;
		char drops[512] = "";
		for (size_t k = 0; k < v->ndrops; k++) {
			rows_add_of(reasons, &v->drops[k]);
			listed_add(drops, sizeof(drops), ", ", "%s %u", v->drops[k].reason, v->drops[k].frames);
		}
		if (reasons)
			rows_words(of, "drop_words", "%s; frames that arrived after the windows", drops);
		made_rows_put(of, &(struct made){e->compiler, e->kernel, v->made});
		counted_rows(rows_table(of, "components", component_columns, COUNT(component_columns)), v->components,
			     v->ncomponents, v->terms);
		counted_rows(rows_table(of, "symbols", symbol_columns, COUNT(symbol_columns)), v->rows, v->nrows,
			     v->terms);
		line_rows(of, v);
		place_rows(of, v);
		windows = rows_table(of, "windows", COLUMNS_OF(window_columns));
		for (size_t k = 0; k < v->nwindows; k++)
			rows_add_of(windows, &v->windows[k]);
	}
	return rows_error(r);
}

static void exact_rows_put_side(struct rows *r, const struct exact *e, const struct exact_variant *v)
{
	put_where(r, e);
	rows_text(r, "id", v->id);
	put_cost(r, &v->total, v->terms);
	rows_number(r, "instructions", v->total.instructions[EXACT_PACKET], 3);
}

int exact_overview_rows(struct rows *r, const struct exact *e, const struct exact_variant *only)
{
	rows_init(r, side_columns, COUNT(side_columns));
	for (size_t i = 0; i < e->nvariants; i++)
		if (!only || only == &e->variants[i])
			exact_rows_put_side(r, e, &e->variants[i]);
	return rows_error(r);
}

/* ---- a comparison ------------------------------------------------------------------------------------ */

static void put_object(struct rows *parent, const char *key, const struct exact_cost *c)
{
	struct rows *r = rows_table(parent, key, cost_columns, COUNT(cost_columns));

	rows_add(r);
	put_cost(r, c, NULL);
}

static bool is_alike(const struct exact_diff_row *row)
{
	return row->change == 0 && row->exact && !(fabs(row->footprint) > 0);
}

/* Rows without a change are hidden from people where no other row stands behind them; returns how many. */
static size_t exact_rows_change_rows(struct rows *r, const struct exact_diff_row *rows, size_t n)
{
	size_t alike = 0;

	while (alike < n && is_alike(&rows[n - 1 - alike]))
		alike++;
	for (size_t i = 0; i < n; i++) {
		const struct exact_diff_row *row = &rows[i];

		rows_add_of(r, row);
		rows_last(r)->class = is_alike(row)                                               ? "same"
				      : !row->new.calls && !row->new.instructions[EXACT_PACKET]   ? "gone"
				      : !row->base.calls && !row->base.instructions[EXACT_PACKET] ? "new"
												  : "changed";
		if (i >= n - alike)
			rows_last(r)->hidden = true;
		rows_text(r, "mark", row->exact ? "" : "~");
		rows_number(r, "base_instructions", row->base.instructions[EXACT_PACKET], 3);
		rows_number(r, "new_instructions", row->new.instructions[EXACT_PACKET], 3);
		rows_number(r, "change", row->change, 3);
		rows_number(r, "change_calls", row->new.calls - row->base.calls, 3);
		rows_number(r, "change_transferred",
			    row->new.memory[EXACT_LINES_TRANSFERRED] - row->base.memory[EXACT_LINES_TRANSFERRED], 2);
		rows_number(r, "change_device",
			    row->new.memory[EXACT_LINES_DEVICE] - row->base.memory[EXACT_LINES_DEVICE], 2);
		rows_number(r, "change_footprint", row->footprint, 0);
		rows_number(r, "change_pages", row->new.memory[EXACT_FOOT_PAGES] - row->base.memory[EXACT_FOOT_PAGES],
			    0);
		put_object(r, "base", &row->base);
		put_object(r, "new", &row->new);
	}
	return alike;
}

int exact_diff_rows(struct rows *r, const struct exact_diff *d)
{
	char mitigations[MADE_CONFIG_BYTES], footprint[160];
	double sum = 0;
	size_t alike;

	rows_init(r, diff_columns, COUNT(diff_columns));
	rows_add(r);
	rows_value(r, "change", d->change);
	rows_value(r, "base_instructions", d->base->total.instructions[EXACT_PACKET]);
	rows_value(r, "new_instructions", d->new->total.instructions[EXACT_PACKET]);
	struct rows *both = rows_table(r, "sides", side_columns, COUNT(side_columns));
	struct made made[] = {exact_made(d->base_run, d->base), exact_made(d->new_run, d->new)};
	char line[300];
	exact_rows_put_side(rows_table(r, "base", side_columns, COUNT(side_columns)), d->base_run, d->base);
	exact_rows_put_side(rows_table(r, "new", side_columns, COUNT(side_columns)), d->new_run, d->new);
	exact_rows_put_side(both, d->base_run, d->base);
	rows_last(both)->class = "base";
	exact_rows_put_side(both, d->new_run, d->new);
	rows_last(both)->class = "new";
	exact_words(d->base_run, line, sizeof(line));
	rows_words(r, "base_run", "%s", line);
	exact_words(d->new_run, line, sizeof(line));
	if (d->new_run != d->base_run)
		rows_words(r, "new_run", "%s", line);
	made_rows_change(r, &made[0], d->base->id, &made[1], d->new->id);
	if (exact_diff_footprint(d, footprint, sizeof(footprint)))
		rows_words(r, "footprint_words", "%s", footprint);
	if (exact_diff_mitigations(d, mitigations, sizeof(mitigations)))
		rows_words(r, "mitigations", "%s", mitigations);
	exact_rows_change_rows(rows_table(r, "components", component_changes, COUNT(component_changes)), d->components,
			       d->ncomponents);
	alike = exact_rows_change_rows(rows_table(r, "symbols", symbol_changes, COUNT(symbol_changes)), d->rows,
				       d->nrows);
	line_change_rows(r, d);
	if (alike)
		rows_words(r, "alike", "%zu function%s exactly alike", alike, alike == 1 ? " is" : "s are");
	for (size_t i = 0; i < d->nrows; i++)
		sum += d->rows[i].change;
	rows_words(r, "closure_words", "changes of all functions sum to %+.3f, the totals differ by %+.3f", sum,
		   d->change);
	return rows_error(r);
}
