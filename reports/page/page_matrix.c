// SPDX-License-Identifier: GPL-2.0-or-later
/* A matrix of exact counts as one page: what changed, the table, each driver over time; and a feed of the changes. */
#include "reports/page/page.h"

#define FIRST 12   /* changes that are read without opening anything */
#define SHOWN 0.05 /* instructions per packet of a component that has a row */

/* ---- changes ----------------------------------------------------------------------------------------- */

/* Calls itself for those that are the same. */
static void change_item(FILE *out, const struct document *d, size_t at)
{
	const struct rows *changes = rows_in(&d->rows, 0, "changes");
	const struct matrix *m = d->matrix;
	const struct matrix_change *c = &m->changes[at];
	char side[1200], base[4900], new[3300]; /* words for a shell */
	char others[SENTENCE_BYTES];

	markup(out,
	       "<li id=\"%s\"><details><summary>%s: <span class=\"answer %s\"><span class=\"n\">%+.1f "
	       "instructions</span></span> (%+.1f %%)",
	       c->id, c->title, c->change < 0 ? "less" : "more", c->change, 100 * c->change / c->from->instructions);
	if (c->causes != MATRIX_SOURCE)
		markup(out, " <span class=\"tag changed\">%s</span>", matrix_cause_words(c));
	matrix_followers(m, c, others, sizeof(others));
	if (c->parts[0] && c->leader == at)
		markup(out, "<span class=\"parts\">%s%s</span>", c->parts, others);
	markup(out,
	       "</summary>\n<p class=\"how\">From %.2f to %.2f instructions per packet; %+.1f of the change are "
	       "beyond what counts of both sides deviate. ~ depends on state (page pool, slab). ",
	       c->from->instructions, c->to->instructions, c->sure);
	if (c->causes & MATRIX_COMPILER)
		markup(out, "The compilers differ: %s and %s. ", c->from->run->compiler, c->to->run->compiler);
	if (c->config[0])
		markup(out, "The configurations differ: %s. ", c->config);
	if (!(c->causes & MATRIX_SOURCE))
		markup(out, "Both kernels are one version: no change of the source. ");
	snprintf(side, sizeof(side), "%s:%s", c->from->dir, c->to->variant);
	shell_word(base, sizeof(base), side);
	shell_word(new, sizeof(new), c->to->dir);
	markup(out,
	       "The whole comparison, with call paths, in the folder of this page: <code>xdpzoom diff %s %s "
	       "-f html -o diff.html</code></p>\n",
	       base, new);
	html_table(out, rows_in(changes, at, "symbols"), &(struct html_table){.class = "changes"});
	if (others[0] && c->leader == at)
		markup(out, "<ol class=\"deltas\">\n");
	for (size_t i = at + 1; i < m->nchanges && m->changes[i].leader == at; i++)
		change_item(out, d, i);
	markup(out, others[0] && c->leader == at ? "</ol></details></li>\n" : "</details></li>\n");
}

static void changes_section(FILE *out, const struct document *d)
{
	const struct matrix *m = d->matrix;
	size_t n = 0, leaders = 0;

	for (size_t i = 0; i < m->nchanges; i++)
		leaders += m->changes[i].leader == i;
	markup(out,
	       "<section id=\"changes\"><h2>What changed</h2>\n<p class=\"how\">From each kernel to the next one that "
	       "has a count. First what is the largest part of its packet's cost, less all deviations; what a compiler "
	       "alone changed is at the end. Where at least half of two changes is in the same functions, they are "
	       "one. Each opens the functions.</p>\n");
	if (!leaders)
		markup(out, "<p class=\"lead\">Nothing yet: there are no two kernels with a count.</p>\n");
	for (size_t i = 0; i < m->nchanges; i++) {
		if (m->changes[i].leader != i)
			continue;
		if (n == FIRST)
			markup(out, "</ol>\n<details class=\"more\"><summary>%zu smaller changes</summary>\n",
			       leaders - FIRST);
		if (n == 0 || n == FIRST)
			markup(out, "<ol class=\"deltas\">\n");
		n++;
		change_item(out, d, i);
	}
	if (leaders)
		markup(out, leaders > FIRST ? "</ol></details>\n" : "</ol>\n");
	markup(out, "</section>\n");
}

/* ---- the table --------------------------------------------------------------------------------------- */

/* Three steps up and down, by the change as a part of what it was before. Below 0.5 % there is no colour. */
static const char *tint(const struct matrix_cell *c)
{
	static const char *const tints[2][3] = {{"up1", "up2", "up3"}, {"down1", "down2", "down3"}};
	double part = c->change / (c->instructions - c->change);

	if (isnan(part) || fabs(part) < 0.005)
		return "";
	return tints[part < 0][fabs(part) < 0.03 ? 0 : fabs(part) < 0.1 ? 1 : 2];
}

static void matrix_cell(FILE *out, const struct matrix_cell *c)
{
	if (!c->run) {
		markup(out, "<td class=\"r unknown\" title=\"%s\">-</td>", c->why);
		return;
	}
	markup(out, "<td class=\"r %s\" data-v=\"%.10g\">%.1f", tint(c), c->instructions, c->instructions);
	if (!isnan(c->change))
		markup(out, "<small>%+.1f%s</small>", c->change, c->other_compiler ? "*" : "");
	markup(out, "</td>");
}

static void matrix_heads(FILE *out, const struct matrix *m)
{
	char words[RUN_ID_BYTES];

	markup(out, "<thead><tr><th rowspan=\"2\" scope=\"col\">kernel</th>");
	for (size_t d = 0; d < m->ndrivers; d++)
		markup(out, "<th class=\"of\" colspan=\"%zu\" scope=\"colgroup\">%s</th>", m->nvariants, m->drivers[d]);
	markup(out, "</tr>\n<tr>");
	for (size_t d = 0; d < m->ndrivers; d++)
		for (size_t v = 0; v < m->nvariants; v++)
			markup(out, "<th class=\"r\" scope=\"col\">%s</th>",
			       matrix_variant_words(m, m->variants[v], words, sizeof(words)));
	markup(out, "</tr></thead><tbody>\n");
}

static void reasons(FILE *out, const struct matrix *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++)
		n += m->cells[i].why[0] && matrix_was_tried(&m->cells[i]);
	if (!n)
		return;
	markup(out, "<details class=\"more\"><summary>Why %zu cell%s no count</summary>\n<dl class=\"facts\">\n", n,
	       n == 1 ? " has" : "s have");
	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++)
		if (m->cells[i].why[0] && matrix_was_tried(&m->cells[i]))
			markup(out, "<dt>%s, %s %s</dt><dd>%s</dd>\n", m->names[i / (m->ndrivers * m->nvariants)],
			       m->cells[i].driver, m->cells[i].variant, m->cells[i].why);
	markup(out, "</dl></details>\n");
}

/* ---- components over time ---------------------------------------------------------------------------- */

static double instructions_of(const struct matrix_cell *c, const char *component)
{
	if (!c->run || !component)
		return c->instructions;
	for (size_t i = 0; i < c->counted->ncomponents; i++)
		if (!strcmp(c->counted->components[i].name, component))
			return c->counted->components[i].cost.instructions[EXACT_PACKET];
	return 0;
}

/* A row: one component, or all; a column: one kernel that has a count. */
static void component_row(struct rows *r, const struct matrix *m, size_t driver, size_t variant, const char *component)
{
	size_t column = 1;

	rows_add(r);
	rows_class(r, component ? NULL : "total");
	rows_text(r, "name", component ? component : "all");
	for (size_t k = 0; k < m->nkernels; k++)
		if (matrix_at(m, k, driver, variant)->run)
			rows_number(r, r->columns[column++].key,
				    instructions_of(matrix_at(m, k, driver, variant), component), 1);
}

/* Components in the order of the first kernel that has a count, then those that later ones add. */
static void page_matrix_component_rows(struct rows *r, const struct matrix *m, size_t driver, size_t variant)
{
	for (size_t k = 0; k < m->nkernels; k++) {
		const struct matrix_cell *c = matrix_at(m, k, driver, variant);

		for (size_t i = 0; c->run && i < c->counted->ncomponents; i++) {
			const struct exact_row *f = &c->counted->components[i];
			size_t at = 0;

			while (at < r->nrows && strcmp(rows_cell(r, at, "name")->text, f->name))
				at++;
			if (fabs(f->cost.instructions[EXACT_PACKET]) >= SHOWN && at == r->nrows)
				component_row(r, m, driver, variant, f->name);
		}
	}
}

static int trend_table(FILE *out, const struct matrix *m, size_t driver, size_t variant, struct column *columns)
{
	char words[RUN_ID_BYTES];
	struct rows r;
	size_t n = 1;
	int err;

	columns[0] = (struct column){"name", "component", CELL_COMPONENT, IN_TABLE};
	for (size_t k = 0; k < m->nkernels; k++)
		if (matrix_at(m, k, driver, variant)->run)
			columns[n++] = (struct column){m->names[k], m->names[k], CELL_NUMBER, IN_TABLE};
	if (n == 1)
		return 0;
	rows_init(&r, columns, n);
	component_row(&r, m, driver, variant, NULL);
	page_matrix_component_rows(&r, m, driver, variant);
	markup(out, "<h3>%s</h3>\n", matrix_variant_words(m, m->variants[variant], words, sizeof(words)));
	html_table(out, &r, &(struct html_table){.class = "trend", .chart = "trend"});
	err = rows_error(&r);
	rows_release(&r);
	return err;
}

static bool has_counts(const struct matrix *m, size_t driver)
{
	size_t n = 0;

	for (size_t k = 0; k < m->nkernels; k++)
		for (size_t v = 0; v < m->nvariants; v++)
			n += matrix_at(m, k, driver, v)->run != NULL;
	return n > 0;
}

static int driver_section(FILE *out, const struct matrix *m, size_t driver)
{
	struct column *columns = calloc(m->nkernels + 1, sizeof(*columns));
	int err = columns ? 0 : -ENOMEM;

	markup(out, "<section class=\"pair\" id=\"driver-%s\"><h2>%s, component by component</h2>\n",
	       m->drivers[driver], m->drivers[driver]);
	for (size_t v = 0; v < m->nvariants && !err; v++)
		err = trend_table(out, m, driver, v, columns);
	markup(out, "</section>\n");
	free(columns);
	return err;
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static int by_words(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "QEMU 10.0.2, QEMU 7.2.22" */
static void put_emulators(FILE *out, const struct matrix *m)
{
	const char **names = calloc(m->nruns + 1, sizeof(*names));

	for (size_t i = 0; names && i < m->nruns; i++)
		names[i] = m->runs[i]->emulator;
	if (names)
		qsort(names, m->nruns, sizeof(*names), by_words);
	for (size_t i = 0; names && i < m->nruns; i++)
		if (!i || strcmp(names[i], names[i - 1]) != 0)
			markup(out, "%s%s", i ? ", " : "", names[i]);
	free(names);
}

int html_matrix(FILE *out, const struct document *d)
{
	const struct matrix *m = d->matrix;
	const struct matrix_change *c = m->nchanges ? m->changes : NULL;
	struct json_out w = {};
	int err = 0;

	html_begin(out, "Instructions per packet, kernel by kernel");
	html_top(out, "matrix", d->answer.before);
	markup(out, "<main id=\"content\">\n");
	if (c) /* the first change is the title */
		markup(out, "<h1 class=\"answer %s\">%s: <span class=\"n\">%+.1f instructions</span> per packet</h1>\n",
		       c->change < 0 ? "less" : "more", c->title, c->change);
	else
		markup(out, "<h1>What a packet costs in instructions, kernel by kernel</h1>\n");
	if (c && c->parts[0])
		markup(out, "<p class=\"parts\">%s.</p>\n", c->parts);
	markup(out, "<nav aria-label=\"Sections\"><ul><li><a href=\"#changes\">Changes</a></li><li><a "
		    "href=\"#table\">Table</a></li>");
	for (size_t d = 0; d < m->ndrivers; d++)
		if (has_counts(m, d))
			markup(out, "<li><a href=\"#driver-%s\">%s</a></li>", m->drivers[d], m->drivers[d]);
	markup(out, "<li><a href=\"#made\">Commands</a></li></ul></nav>\n");
	changes_section(out, d);
	markup(out, "<section id=\"table\"><h2>Every kernel and every driver</h2>\n<p class=\"how\">Instructions per "
		    "packet, "
		    "and the change against the kernel above; orange is more, blue is less; * another compiler.</p>\n"
		    "<div class=\"scroll\"><table class=\"matrix\">");
	matrix_heads(out, m);
	for (size_t k = 0; k < m->nkernels; k++) {
		markup(out, "<tr><th scope=\"row\">%s</th>", m->names[k]);
		for (size_t i = 0; i < m->ndrivers * m->nvariants; i++)
			matrix_cell(out, matrix_at(m, k, 0, i));
		markup(out, "</tr>\n");
	}
	markup(out, "</tbody></table></div>\n");
	reasons(out, m);
	markup(out, "</section>\n");
	for (size_t d = 0; d < m->ndrivers && !err; d++)
		if (has_counts(m, d))
			err = driver_section(out, m, d);
	markup(out, "<section id=\"made\"><h2>What was counted</h2>\n<p class=\"how\">Counted by ");
	put_emulators(out, m);
	markup(out, ". Beside this page: <a href=\"" MATRIX_JSON "\">JSON</a>, <a href=\"" MATRIX_CSV
		    "\">CSV</a>, <a href=\"" MATRIX_FEED
		    "\">a feed of the changes</a>, and the run directory of each cell.</p>\n<dl class=\"facts\">\n");
	for (size_t k = 0; k < m->nkernels; k++) {
		const struct exact *run = NULL;

		for (size_t i = 0; i < m->ndrivers * m->nvariants && !run; i++)
			run = matrix_at(m, k, 0, i)->run;
		markup(out, "<dt>%s</dt><dd>%s%s%s</dd>\n", m->kernels[k], run ? run->kernel : "no count",
		       run && run->compiler[0] ? ", built by " : "", run ? run->compiler : "");
	}
	markup(out, "</dl>\n");
	html_page_command(out, &(struct render_options){});
	return err ? err : html_end(out, &w, document_json(&w, d), HTML_COUNTS);
}

/* ---- the feed ---------------------------------------------------------------------------------------- */

/* When the later one of both sides was counted. */
static const char *time_of(const struct matrix_change *c)
{
	const char *a = c->from->run->time, *b = c->to->run->time;

	return strcmp(a, b) > 0 ? a : b;
}

static int page_matrix_by_time(const void *a, const void *b)
{
	const struct matrix_change *x = *(const struct matrix_change *const *)a;
	const struct matrix_change *y = *(const struct matrix_change *const *)b;

	return strcmp(time_of(y), time_of(x)) ?: ORDER(x, y);
}

static void page_matrix_put_entry(FILE *out, const struct matrix_change *c)
{
	bool source = c->causes == MATRIX_SOURCE;
	char line[SENTENCE_BYTES];

	snprintf(line, sizeof(line), "%s: %+.1f instructions (%+.1f %%)%s%s%s%s", c->title, c->change,
		 100 * c->change / c->from->instructions, source ? "" : ", by ", source ? "" : matrix_cause_words(c),
		 c->parts[0] ? ": " : "", c->parts);
	markup(out,
	       "<entry>\n<id>urn:xdpzoom:matrix:%s</id>\n<title>%s: %+.1f instructions</title>\n"
	       "<updated>%s</updated>\n<link href=\"" MATRIX_PAGE "#%s\"/>\n<content type=\"text\">%s</content>\n"
	       "</entry>\n",
	       c->id, c->title, c->change, time_of(c), c->id, line);
}

int matrix_feed(FILE *out, const struct matrix *m)
{
	const struct matrix_change **list = calloc(m->nchanges + 1, sizeof(*list));
	size_t n = 0;

	if (!list)
		return -ENOMEM;
	for (size_t i = 0; i < m->nchanges; i++)
		if (m->changes[i].parts[0])
			list[n++] = &m->changes[i];
	qsort(list, n, sizeof(*list), page_matrix_by_time);
	markup(out,
	       "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n"
	       "<id>urn:xdpzoom:matrix</id>\n<title>Instructions per packet, kernel by kernel</title>\n"
	       "<updated>%s</updated>\n<author><name>xdpzoom</name></author>\n"
	       "<link rel=\"self\" href=\"" MATRIX_FEED "\"/>\n<link href=\"" MATRIX_PAGE "\"/>\n",
	       n ? time_of(list[0]) : "1970-01-01T00:00:00Z");
	for (size_t i = 0; i < n; i++)
		page_matrix_put_entry(out, list[i]);
	markup(out, "</feed>\n");
	free(list);
	return render_finish(out);
}
