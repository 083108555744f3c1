// SPDX-License-Identifier: GPL-2.0-or-later
/* Any result as one page: what its document holds, in the order in which people ask. */
#include "reports/page/page.h"

#define PARTS 5 /* components that the sentence below a title names */

struct page {
	FILE *out;
	const struct document *d;
	const struct render_options *o;
	bool ladder;
	struct matches pairs; /* each is a section */
};

/* ---- flames ------------------------------------------------------------------------------------------ */

/* err: what building it came to. */
static int put_flame(FILE *out, struct flame *f, int err)
{
	if (!err)
		html_flame_figure(out, f);
	flame_release(f);
	return err;
}

/* ---- a comparison ------------------------------------------------------------------------------------ */

static void page_answer(FILE *out, const char *element, const struct document *d)
{
	double change = d->compare ? d->compare->overall.delta_ns : d->exact_diff->change;
	double half = d->compare ? d->compare->overall.half_ns : 0;
	char parts[400] = "";

	markup(out, "<%s class=\"answer %s\">", element,
	       !(fabs(change) > half) ? "even"
	       : change < 0           ? "less"
				      : "more");
	markup(out, "%s<span class=\"n\">%s</span>%s</%s>\n", d->answer.before, d->answer.number, d->answer.after,
	       element);
	if (d->compare)
		sentence_of_parts(d->compare, PARTS, parts, sizeof(parts));
	if (*parts)
		markup(out, "<p class=\"parts\">%s.</p>\n", parts);
}

/* By components, symbols and call paths. */
static int by_functions(FILE *out, const struct document *d)
{
	const struct rows *symbols = rows_in(&d->rows, 0, "symbols");
	const char *base, *new;
	struct flame f = {};
	struct rows r;
	int err;

	err = diff_step_rows(&r, d->compare, d->sides[0], d->sides[1]);
	html_table(out, &r, &(struct html_table){.class = "steps waterfall", .names = d->sides, .chart = "waterfall"});
	rows_release(&r);
	if (err || !d->compare->nsymbols)
		return err;
	markup(out, "<h3>What a packet is made of</h3>\n");
	sentence_sides(d->compare->base->variant->id, d->compare->new->variant->id, &base, &new);
	markup(out,
	       "<figure data-chart=\"made\"><figcaption class=\"how\">%s: %.1f ns, and %s: %.1f ns, by component; the "
	       "table above has the numbers.</figcaption></figure>\n",
	       base, d->compare->overall.base_ns, new, d->compare->overall.new_ns);
	markup(out, "<h3>Symbol by symbol</h3>\n<p class=\"how\">Own cost of each function in ns/packet. new and gone "
		    "are on one side only; ~ marks a change that chance explains (q ≥ 0.05).</p>\n");
	err = html_changes_table(out, &d->rows, d->sides);
	if (symbols->note)
		markup(out, "<p class=\"how\">%s</p>\n", symbols->note);
	return err ? err : put_flame(out, &f, flame_build_difference(&f, d->compare, d->sides));
}

/* number: of the section. */
static int difference(FILE *out, const struct document *d, size_t number)
{
	static const char *const counted[] = {"events", "counters", NULL};
	const struct compare *c = d->compare;
	int err = 0;

	if (!c) {
		/* Where the difference of counts goes: components, functions, source lines, call paths. */
		static const char *const keys[] = {"components", "symbols", "source_lines", NULL};
		struct flame f = {};

		html_tables(out, &d->rows, 0, keys, d->sides);
		html_facts(out, &d->rows, 0, IN_PLAIN);
		return put_flame(out, &f, flame_build_exact_difference(&f, d->exact_diff, d->sides));
	}
	if (!c->base->nused || !c->new->nused) {
		markup(out, "<p class=\"lead\">Not known where: one of the two saw no packets.</p>\n");
		return 0;
	}
	if (!c->base->samples || !c->new->samples) {
		markup(out, "<p class=\"lead\">Not known where: one of the two was not profiled.</p>\n");
	} else {
		markup(out,
		       "<h3>From %s to %s, component by component</h3>\n<p class=\"how\">First what %s does not pay "
		       "any more, then what it pays in addition. Lines are 95 %% intervals; pale bars are changes that "
		       "chance explains.</p>\n",
		       d->sides[0], d->sides[1], d->sides[1]);
		err = by_functions(out, d);
		c = c->stage;
		if (!err && c) {
			/* What happens behind the program, on another CPU: by the samples of its task alone. */
			char delta[64], base[64], new[64];
			struct document stage;

			err = document_of_diff(&stage, c);
			if (!err) {
				markup(out,
				       "<div id=\"consumer-%zu\"><h3>The consumer</h3>\n<p class=\"how\">What happens "
				       "to a frame behind the program, on another CPU: %s%s ns per frame, from %s to "
				       "%s. It is no part of the difference above.</p>\n",
				       number, c->overall.delta_ns > 0 ? "+" : "",
				       digits_interval(c->overall.delta_ns, c->overall.half_ns, delta, sizeof(delta)),
				       digits_interval(c->overall.base_ns, c->base->half_ns, base, sizeof(base)),
				       digits_interval(c->overall.new_ns, c->new->half_ns, new, sizeof(new)));
				err = by_functions(out, &stage);
				markup(out, "</div>\n");
			}
			document_release(&stage);
		}
	}
	html_tables(out, &d->rows, 0, counted, d->sides);
	return err;
}

/* ---- pairs of a run, steps of a ladder --------------------------------------------------------------- */

static int pair_section(struct page *p, const struct match *pair)
{
	struct document d;
	int err = p->d->exact ? document_of_exact_diff(&d, &pair->exact) : document_of_diff(&d, &pair->compare);

	markup(p->out, "<section class=\"pair\" id=\"%s-%zu\"><h2>", p->ladder ? "step" : "pair", pair->number);
	if (!p->ladder && p->d->analysis)
		markup(p->out, "%s</h2>\n", p->d->overview.rows[pair->number].name);
	else
		markup(p->out, p->ladder ? "From %s to %s</h2>\n" : "%s beside %s</h2>\n", d.ids[0], d.ids[1]);
	if (!err) {
		if (p->ladder || pair != p->pairs.list) /* the title of other pages is about the first one */
			page_answer(p->out, "p", &d);
		html_table(p->out, rows_in(&d.rows, 0, "sides"),
			   &(struct html_table){.class = d.exact_diff ? "steps sides" : "sides", .sides = d.sides});
		html_facts(p->out, &d.rows, 0, IN_FACTS);
		fputs(p->ladder || pair != p->pairs.list ? "<details class=\"fold\">" : "<details class=\"fold\" open>",
		      p->out);
		markup(p->out, "<summary>%s, components and functions</summary>\n",
		       p->ladder ? "The step" : "The difference");
		err = difference(p->out, &d, pair->number);
		markup(p->out, "</details>\n");
	}
	markup(p->out, "</section>\n");
	document_release(&d);
	return err;
}

/* ---- heads ------------------------------------------------------------------------------------------- */

/* Is any of the layers shown like this? */
static bool any(const struct document *d, bool (*like)(const struct run_variant *v))
{
	for (size_t i = 0; i < d->analysis->nvariants; i++)
		if ((!d->only || d->only == &d->analysis->variants[i]) && like(d->analysis->variants[i].variant))
			return true;
	return false;
}

static bool has_stage(const struct run_variant *v)
{
	return v->stage != RUN_STAGE_NONE;
}

static int head(struct page *p)
{
	if (p->ladder) {
		const struct document *d = p->d;
		struct rows r;
		int err;

		markup(p->out,
		       "<h1>What each %s</h1>\n<section id=\"layers\">\n<p class=\"how\">Bars are ns/packet of the %s, "
		       "lines their 95 %% intervals. Each step leads to the functions that it consists of. Frames skip "
		       "a layer that is a branch: the next one is compared with the layer before it.%s</p>\n",
		       any(d, run_layer_is_tcp)     ? "way of reading or relaying a TCP segment costs"
		       : any(d, run_layer_sends)    ? "way of sending a packet costs"
		       : any(d, run_layer_forwards) ? "way of forwarding a packet costs"
						    : "place costs that drops a packet",
		       any(d, run_layer_sends) ? "sender" : "receiver",
		       any(d, has_stage)
			       ? " A thin bar is what another CPU does for a frame of the layer above it, such as a "
				 "thread that reads the socket. It is no part of that layer's bar, and its step is to "
				 "that of the layer that the layer's own step begins at."
			       : "");
		err = ladder_rows(&r, d, &p->pairs);
		html_table(p->out, &r,
			   &(struct html_table){.class = "steps layers", .chart = "layers", .link = "step_ns"});
		rows_release(&r);
		markup(p->out, "</section>\n");
		return err;
	}
	if (p->d->analysis || p->d->exact) {
		static const char *const names[OVERVIEW_KINDS][2] = {
			{"native, ns", "generic, ns"}, {"before, ns", "after, ns"}, {"ns/packet", "-"}};
		const struct document *d = p->d;
		const char *what = d->exact ? "What a packet costs in instructions" : "What a packet costs";
		const char *only = d->only ? d->only->variant->id : d->exact_only ? d->exact_only->id : NULL;
		struct document first;
		struct rows r;
		int err = 0;

		if (p->pairs.n) {
			err = d->exact ? document_of_exact_diff(&first, &p->pairs.list->exact)
				       : document_of_diff(&first, &p->pairs.list->compare);
			if (!err)
				page_answer(p->out, "h1", &first);
			document_release(&first);
		} else {
			markup(p->out, "<h1>%s%s%s</h1>\n", what, only ? ": " : "", only ? only : "");
		}
		for (int kind = 0; kind < OVERVIEW_KINDS && d->analysis; kind++)
			html_table(p->out, rows_in(&d->rows, 0, overview_keys[kind]),
				   &(struct html_table){.class = "overview", .names = names[kind], .link = "name"});
		if (d->analysis)
			return err;
		if (err || (p->pairs.n == 1 && d->exact->nvariants == 2)) /* its section has the same table */
			return err;
		err = exact_overview_rows(&r, d->exact, d->exact_only);
		if (!err)
			html_table(p->out, &r, &(struct html_table){.class = "steps sides"});
		if (!err)
			rows_release(&r);
		return err;
	}
	if (p->d->explain) {
		markup(p->out, "<h1>%s</h1>\n", p->d->answer.before);
		html_facts(p->out, &p->d->rows, 0, IN_FACTS);
		return 0;
	}
	page_answer(p->out, "h1", p->d);
	html_table(p->out, rows_in(&p->d->rows, 0, "sides"),
		   &(struct html_table){.class = p->d->exact_diff ? "steps sides" : "sides", .sides = p->d->sides});
	html_facts(p->out, &p->d->rows, 0, IN_FACTS);
	return 0;
}

/* ---- measured over counted --------------------------------------------------------------------------- */

/* The script draws it from the table of functions, that of variant number n. */
static void scatter(FILE *out, const struct explain *e, size_t number)
{
	const struct explain_variant *v = &e->variants[number];
	double slope = e->fit.terms[EXPLAIN_INSTRUCTIONS].value;
	size_t n = 0, off = 0;

	for (size_t i = 0; i < v->nrows; i++) {
		n += !isnan(v->rows[i].x[EXPLAIN_INSTRUCTIONS]);
		off += !isnan(v->rows[i].x[EXPLAIN_INSTRUCTIONS]) && !v->rows[i].fits;
	}
	markup(out, "<figure data-chart=\"scatter\" data-table=\"#variants details:nth-of-type(%zu) .functions\"",
	       number + 1);
	if (!isnan(slope))
		markup(out, " data-slope=\"%.6g\"", slope);
	markup(out,
	       "><figcaption>%s: measured ns over instructions of %zu functions, %zu of which do not fit; the tables "
	       "below have the numbers</figcaption></figure>\n",
	       v->measured->variant->id, n, off);
}

/* ---- variants ---------------------------------------------------------------------------------------- */

/* The variants of a report, of exact counts or of an explanation, which are the sections of its document. */
static int variants(FILE *out, const struct document *d, bool open)
{
	int err = 0;

	for (size_t i = 1; i < d->nsections && !err; i++) {
		const struct section *s = &d->sections[i];
		const struct analysis_variant *v = d->explain ? NULL : s->measured;
		const struct exact_variant *e = d->explain ? NULL : s->counted;
		char cost[64] = "";
		struct flame f = {};

		if (v && v->nused)
			digits_interval(v->base_ns, v->half_ns, cost, sizeof(cost));
		else if (v)
			snprintf(cost, sizeof(cost), "no block with a base");
		else if (e)
			snprintf(cost, sizeof(cost), "%.3f instructions", e->total.instructions[EXACT_PACKET]);
		fputs(open ? "<details open>" : "<details>", out);
		markup(out, "<summary>%s <span class=\"r\">%s</span></summary>\n", s->title, cost);
		if (!s->empty) {
			html_facts(out, s->rows, s->row, IN_FACTS);
			html_tables(out, s->rows, s->row, NULL, NULL);
			if (v || e)
				err = put_flame(out, &f, v ? flame_build(&f, v) : flame_build_exact(&f, e));
			if (v && v->stage.task && !err)
				err = put_flame(out, &f, flame_build(&f, v->stage.task));
		}
		markup(out, "</details>\n");
	}
	return err;
}

static int variants_section(struct page *p)
{
	const struct document *d = p->d;
	const struct compare *c = d->compare;
	int err = 0;

	markup(p->out, "<section id=\"variants\"><h2>%s</h2>\n",
	       d->explain  ? "Function by function"
	       : p->ladder ? "Each layer alone"
			   : "Each variant alone");
	if (!c && !d->exact_diff)
		err = variants(p->out, d, d->only || d->explain || (d->exact && !p->pairs.n));
	/* A comparison shows the variants of the results that it compares. */
	for (int new = 0; new < 2 && !err && (c || d->exact_diff); new ++) {
		struct document one;

		if (c)
			err = document_of_report(&one, new ? c->new->of : c->base->of, new ? c->new : c->base);
		else if (new)
			err = document_of_exact(&one, d->exact_diff->new_run, d->exact_diff->new);
		else
			err = document_of_exact(&one, d->exact_diff->base_run, d->exact_diff->base);
		if (!err)
			err = variants(p->out, &one, false);
		document_release(&one);
	}
	markup(p->out, "</section>\n");
	return err;
}

/* ---- the page ---------------------------------------------------------------------------------------- */

/* Where the runs were measured, and the commands: the run directories are one, or those of two sides. */
static void last_sections(struct page *p)
{
	static const char *const sides[] = {"base", "new"};
	const struct document *d = p->d;
	const struct exact *first = d->exact ? d->exact : d->exact_diff ? d->exact_diff->base_run : NULL;
	const struct exact *second = d->exact_diff && d->exact_diff->new_run != first ? d->exact_diff->new_run : NULL;
	const struct run *runs[2] = {d->analysis  ? d->analysis->run
				     : d->compare ? d->compare->base->of->run
						  : NULL,
				     d->compare ? d->compare->new->of->run : NULL};
	size_t n = runs[0] ? 1 + (runs[1] && runs[1] != runs[0]) : 0;

	if (KIND(d->kind) & OF_MEASURED) {
		fputs("<section id=\"environment\"><h2>Environment</h2>\n<details "
		      "class=\"fold\"><summary>All</summary>\n",
		      p->out);
		for (size_t i = 0; i < n; i++) {
			if (n > 1)
				markup(p->out, "<p class=\"lead key-%s\">%s: run of %s</p>\n", sides[i], sides[i],
				       runs[i]->started);
			const struct {
				const char *title;
				const json_t *o;
			} parts[] = {{"Device", runs[i]->device},
				     {"Load", runs[i]->load},
				     {"Machine", runs[i]->environment}};

			for (size_t k = 0; k < sizeof(parts) / sizeof(parts[0]); k++) {
				if (!json_object_size(parts[k].o))
					continue;
				markup(p->out, "<h3>%s</h3>\n", parts[k].title);
				html_json(p->out, parts[k].o);
			}
		}
		markup(p->out, "</details>\n</section>\n");
	}
	markup(p->out, "<section id=\"made\"><h2>How this page was made</h2>\n");
	for (size_t i = 0; i < n; i++) {
		json_t *word;
		size_t k;

		markup(p->out, "<h3>Recorded %s by xdpzoom %s with</h3>\n<pre><code>", runs[i]->started,
		       runs[i]->version);
		json_array_foreach (runs[i]->command, k, word)
			markup(p->out, "%s%s", k ? " " : "", json_string_value(word) ?: "?");
		markup(p->out, "</code></pre>\n");
	}
	if (first)
		markup(p->out, "<p class=\"how\">Counted by %s%s%s.</p>\n", first->made_by, second ? ", and by " : "",
		       second ? second->made_by : "");
	if (d->explain)
		markup(p->out, "<p class=\"how\">Measured by xdpzoom %s, counted by %s.</p>\n",
		       d->explain->measured->run->version, d->explain->counted->made_by);
	html_page_command(p->out, p->o);
}

/* A kind without sections of its own shows the answer, all facts and all tables. */
static int plain_body(struct page *p)
{
	const struct sentence *answer = &p->d->answer;
	const struct matrix *m = p->d->matrix;

	markup(p->out, "<h1>%s%s%s</h1>\n", answer->before, answer->number, answer->after);
	html_facts(p->out, &p->d->rows, 0, IN_FACTS);
	if (p->d->sweep)
		html_sweep(p->out, p->d->sweep);
	markup(p->out, "<section id=\"difference\">\n");
	html_tables(p->out, &p->d->rows, 0, NULL, NULL);
	markup(p->out, "</section>\n");
	if (m) { /* every change has its functions, closed */
		const struct rows *changes = rows_in(&p->d->rows, 0, "changes");

		markup(p->out, "<section id=\"changes\"><h2>Functions of each change</h2>\n<p "
			       "class=\"how\">Instructions per packet; ~ depends on state (page pool, slab).</p>\n");
		for (size_t i = 0; i < m->nchanges; i++) {
			markup(p->out, "<details id=\"%s\"><summary>%s</summary>\n", m->changes[i].id,
			       m->changes[i].title);
			html_table(p->out, rows_in(changes, i, "symbols"), &(struct html_table){.class = "changes"});
			markup(p->out, "</details>\n");
		}
		markup(p->out, "</section>\n");
	}
	if (p->d->sections[0].gates)
		html_gates_section(p->out, p->d);
	html_page_command(p->out, p->o);
	return 0;
}

static int body(struct page *p)
{
	bool run = KIND(p->d->kind) & OF_MEASURED && !p->ladder, alone = p->d->only != NULL;
	int err = head(p);

	if (!(KIND(p->d->kind) & OF_EXACT))
		html_gates_verdict(p->out, p->d);
	static const struct {
		const char *id, *word;
		unsigned int of;
	} sections[] = {
		{"difference", "Difference", OF_DIFFS | KIND(DOCUMENT_EXPLAIN)},
		{"functions", "Plot", KIND(DOCUMENT_EXPLAIN)},
		{"run", "Run", OF_MEASURED},
		{"polls", "Polls", OF_MEASURED},
		{"variants", "Variants", OF_ALL},
		{"checks", "Checks", OF_MEASURED | KIND(DOCUMENT_EXPLAIN)},
		{"environment", "Environment", OF_MEASURED},
		{"made", "Commands", OF_ALL},
	};
	const struct document *d = p->d;

	markup(p->out, "<nav aria-label=\"Sections\"><ul>");
	for (size_t i = 0; i < p->pairs.n && !p->ladder; i++) {
		size_t number = p->pairs.list[i].number;
		char name[RUN_ID_BYTES];

		if (d->exact)
			snprintf(name, sizeof(name), "%.*s", (int)strcspn(d->exact->variants[number].id, "@"),
				 d->exact->variants[number].id);
		markup(p->out, "<li><a href=\"#pair-%zu\">%s</a></li>", number,
		       d->exact ? name : p->d->overview.rows[number].name);
	}
	if (p->ladder)
		markup(p->out, "<li><a href=\"#layers\">Ladder</a></li>");
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (KIND(d->kind) & sections[i].of && (strcmp(sections[i].id, "polls") || html_has_polls(d)) &&
		    !(p->ladder && (!strcmp(sections[i].id, "run") || !strcmp(sections[i].id, "polls"))))
			markup(p->out, "<li><a href=\"#%s\">%s</a></li>", sections[i].id, sections[i].word);
	markup(p->out, "</ul></nav>\n");
	for (size_t i = 0; i < p->pairs.n && !err; i++)
		err = pair_section(p, &p->pairs.list[i]);
	if (p->d->explain) {
		static const char *const keys[] = {"parts", "changes", "misfits", NULL};
		const struct explain *e = p->d->explain;

		markup(p->out, "<section id=\"difference\">\n");
		html_tables(p->out, &p->d->rows, 0, keys, NULL);
		markup(p->out,
		       "</section>\n<section id=\"functions\"><h2>Measured over counted</h2>\n<p class=\"how\">Each "
		       "dot is a function; its colour is its component. The line is what its instructions cost at %.3f "
		       "ns each%s. Functions with a vertical line, their 95 %% interval, do not fit.</p>\n",
		       e->fit.terms[EXPLAIN_INSTRUCTIONS].value, "; transferred lines and calls lift a dot above it");
		for (size_t i = 0; i < e->nvariants; i++)
			scatter(p->out, e, i);
		markup(p->out, "</section>\n");
	}
	if (!err && (p->d->compare || p->d->exact_diff)) {
		markup(p->out, "<section id=\"difference\"><h2>Where the difference goes</h2>\n");
		err = difference(p->out, p->d, 0);
		markup(p->out, "</section>\n");
	}
	if (!err && alone)
		err = variants_section(p);
	if (!err && run)
		err = html_run_sections(p->out, p->d);
	if (!err && !alone)
		err = variants_section(p);
	if (!(KIND(p->d->kind) & OF_EXACT))
		html_gates_section(p->out, p->d);
	last_sections(p);
	return err;
}

static int write_page(struct page *p)
{
	const struct document *d = p->d;
	unsigned int kind = KIND(d->kind);
	char title[SENTENCE_BYTES];
	struct json_out w = {};
	json_t *data;
	int err = matches_build(&p->pairs, d, p->ladder ? MATCHES_LAYERS : MATCHES_MEASURED);

	if (err) {
		matches_release(&p->pairs);
		return err;
	}
	if (p->ladder)
		snprintf(title, sizeof(title), "A ladder of ns/packet");
	else if (d->analysis)
		snprintf(title, sizeof(title), "%s: ns/packet on %.64s",
			 d->only ? d->only->variant->id : "native and generic XDP",
			 known(d->analysis->run->facts.device));
	else if (d->exact)
		snprintf(title, sizeof(title), "%s: instructions/packet on %.32s",
			 d->exact_only ? d->exact_only->id : "exact counts", d->exact->nic);
	else
		snprintf(title, sizeof(title), "%s%s%s", d->answer.before, d->answer.number, d->answer.after);
	markup(p->out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		       "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
	/* Digests are the build's own text, so nothing in them is escaped. */
	fprintf(p->out, "style-src '%s'; script-src '%s'", html_page_css.digest, html_page_js.digest);
	markup(p->out,
	       "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	       "<meta name=\"generator\" content=\"xdpzoom %s\">\n<link rel=\"icon\" "
	       "href=\"data:,\">\n<title>%s</title>\n",
	       XDPZOOM_VERSION, title);
	fprintf(p->out, "<style>%s</style>\n</head>\n<body>\n", html_page_css.text);
	markup(p->out,
	       "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n"
	       "<header class=\"top\"><p><b>xdpzoom %s</b> &nbsp;%s</p></header>\n",
	       p->ladder                     ? "ladder"
	       : d->kind == DOCUMENT_EXPLAIN ? "report --exact"
					     : document_names[d->kind],
	       d->line[0]);
	if (*d->line[1])
		markup(p->out, "<header class=\"top\"><p><b>%s</b> &nbsp;%s</p></header>\n", d->second ?: "against",
		       d->line[1]);
	markup(p->out, "<main id=\"content\">\n");
	err = kind & (OF_BOTH | KIND(DOCUMENT_EXPLAIN)) ? body(p) : plain_body(p);
	matches_release(&p->pairs);
	if (err)
		return err;
	/* The data of the page, for those who want to go on with it: no "<", ">" or "&" in it. */
	data = document_json(&w, d);
	err = w.failed || !data ? -ENOMEM : 0;
	if (!err) {
		markup(p->out, "<script type=\"application/json\" id=\"data\">");
		err = json_text_write(data, p->out, JSON_COMPACT | JSON_REAL_PRECISION(JSON_OUT_DIGITS), "<>&");
		markup(p->out, "</script>\n");
	}
	json_decref(data);
	markup(p->out, "<footer>xdpzoom %s. %s</footer>\n", XDPZOOM_VERSION,
	       d->units                                    ? d->units
	       : kind & (OF_EXACT | KIND(DOCUMENT_MATRIX)) ? HTML_COUNTS
							   : HTML_COSTS);
	/* The digest allows this script to run, and nothing that a name may have brought along. */
	fprintf(p->out, "<script>%s</script>\n</body>\n</html>\n", html_page_js.text);
	return err ? err : render_finish(p->out);
}

int format_html(FILE *out, const struct document *d, const struct render_options *o)
{
	return write_page(&(struct page){.out = out, .d = d, .o = o});
}

int format_ladder_html(FILE *out, const struct document *d, const struct render_options *o)
{
	return write_page(&(struct page){.out = out, .d = d, .o = o, .ladder = true});
}
