// SPDX-License-Identifier: GPL-2.0-or-later
/* What pages have around their sections; how far to trust the numbers (gates); where they were measured. */
#include "reports/page/page.h"

/* ---- what all pages have around their sections ------------------------------------------------------- */

void html_begin(FILE *out, const char *title, const char *what, const char *line)
{
	markup(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
	/* Digests are the build's own text, so nothing in them is escaped. */
	fprintf(out, "style-src '%s'; script-src '%s'", html_page_css.digest, html_page_js.digest);
	markup(out,
	       "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	       "<meta name=\"generator\" content=\"xdpzoom %s\">\n<link rel=\"icon\" "
	       "href=\"data:,\">\n<title>%s</title>\n",
	       XDPZOOM_VERSION, title);
	fprintf(out, "<style>%s</style>\n</head>\n<body>\n", html_page_css.text);
	markup(out, "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
	markup(out, "<header class=\"top\"><p><b>xdpzoom %s</b> &nbsp;%s</p></header>\n", what, line);
}

void html_page_command(FILE *out, const struct render_options *o)
{
	if (o->command)
		markup(out, "<h3>Page</h3>\n<pre><code>%s</code></pre>\n", o->command);
	markup(out, "<p id=\"save\"></p>\n</section>\n</main>\n");
}

/* The digest allows this script to run, and nothing that a name may have brought along. */
int html_end(FILE *out, const struct json_out *w, json_t *data, const char *words)
{
	int err = w->failed || !data ? -ENOMEM : 0;

	if (!err) {
		markup(out, "<script type=\"application/json\" id=\"data\">");
		/* no "<", ">" or "&" in it */
		err = json_text_write(data, out, JSON_COMPACT | JSON_REAL_PRECISION(JSON_OUT_DIGITS), "<>&");
		markup(out, "</script>\n");
	}
	json_decref(data);
	markup(out, "<footer>xdpzoom %s. %s</footer>\n", XDPZOOM_VERSION, words);
	fprintf(out, "<script>%s</script>\n</body>\n</html>\n", html_page_js.text);
	return err ? err : render_finish(out);
}

/* ---- gates ------------------------------------------------------------------------------------------- */

/* The gates of section number i of a document; NULL: it has none. */
static const struct quality *gates_of(const struct document *d, size_t i)
{
	if (!d->explain)
		return d->sections[i].gates;
	return i ? &d->explain->variants[i - 1].measured->quality : &d->explain->measured->quality;
}

static size_t count_gates(const struct document *d, enum quality_verdict verdict)
{
	size_t n = 0;

	for (size_t i = 0; i < d->nsections; i++) {
		const struct quality *q = gates_of(d, i);

		for (size_t k = 0; q && k < q->nrows; k++)
			n += quality_verdict(&q->rows[k]) == verdict;
	}
	return n;
}

void html_gates_verdict(FILE *out, const struct document *d)
{
	size_t failed = count_gates(d, QUALITY_FAILS), open = count_gates(d, QUALITY_CANNOT_TELL);
	size_t all = failed + open + count_gates(d, QUALITY_HOLDS);

	if (failed)
		markup(out,
		       "<p class=\"verdict\"><span class=\"failed\">✗ %zu of %zu checks failed.</span> "
		       "<a href=\"#checks\">What that means for these numbers</a></p>\n",
		       failed, all);
	else if (open)
		markup(out,
		       "<p class=\"verdict\"><span class=\"unknown\">%zu of %zu checks inconclusive; none "
		       "failed.</span> <a href=\"#checks\">What was checked</a></p>\n",
		       open, all);
	else
		markup(out,
		       "<p class=\"verdict\"><span class=\"ok\">✓ All %zu checks are ok.</span> "
		       "<a href=\"#checks\">What was checked</a></p>\n",
		       all);
}

static void gate_row(FILE *out, const struct quality_row *row)
{
	static const struct {
		const char *class, *words;
	} verdicts[] = {
		[QUALITY_FAILS] = {"failed", "✗ failed"},
		[QUALITY_CANNOT_TELL] = {"unknown", "inconclusive"},
		[QUALITY_HOLDS] = {"ok", "✓ ok"},
		[QUALITY_NOT_KNOWN] = {"unknown", "not available"},
	};
	enum quality_verdict verdict = quality_verdict(row);

	markup(out, "<tr><td class=\"%s\">%s</td><th scope=\"row\">%s</th><td>%s%s</td>", verdicts[verdict].class,
	       verdicts[verdict].words, row->gate, row->side, row->variant);
	if (isnan(row->value))
		markup(out, "<td class=\"r\">-</td>");
	else
		markup(out, "<td class=\"r\" data-v=\"%.10g\">%.4g</td>", row->value, row->value);
	markup(out, "<td class=\"wide\">%s</td><td class=\"wide r\">%s %.4g</td><td>%s</td></tr>\n", row->unit,
	       row->at_least ? "≥" : "≤", row->limit, row->note);
}

static void gates_table(FILE *out, const struct document *d, const enum quality_verdict *order, size_t n)
{
	markup(out, "<div class=\"scroll\"><table class=\"checks\"><thead><tr><th scope=\"col\">verdict</th>"
		    "<th scope=\"col\">check</th><th scope=\"col\">variant</th><th class=\"r\" scope=\"col\">value</th>"
		    "<th class=\"wide\" scope=\"col\">unit</th><th class=\"wide r\" scope=\"col\">limit</th>"
		    "<th scope=\"col\">detail</th></tr></thead><tbody>\n");
	for (size_t at = 0; at < n; at++)
		for (size_t i = 0; i < d->nsections; i++) {
			const struct quality *q = gates_of(d, i);

			for (size_t k = 0; q && k < q->nrows; k++)
				if (quality_verdict(&q->rows[k]) == order[at])
					gate_row(out, &q->rows[k]);
		}
	markup(out, "</tbody></table></div>\n");
}

/* Failed checks are in sight, the others folded. */
void html_gates_section(FILE *out, const struct document *d)
{
	static const enum quality_verdict order[] = {QUALITY_FAILS, QUALITY_CANNOT_TELL, QUALITY_HOLDS,
						     QUALITY_NOT_KNOWN};

	markup(out, "<section id=\"checks\"><h2>Checks</h2>\n<p class=\"how\">Can a number be trusted? Failed "
		    "checks first, with what to do.</p>\n");
	if (count_gates(d, QUALITY_FAILS))
		gates_table(out, d, order, 1);
	markup(out, "<details class=\"fold\"><summary>%zu passed, %zu inconclusive, %zu not available</summary>\n",
	       count_gates(d, QUALITY_HOLDS), count_gates(d, QUALITY_CANNOT_TELL), count_gates(d, QUALITY_NOT_KNOWN));
	gates_table(out, d, order + 1, 3);
	markup(out, "</details>\n</section>\n");
}

/* ---- environment ------------------------------------------------------------------------------------- */

static void json_value(FILE *out, const json_t *value)
{
	const char *name;
	json_t *member;

	switch (json_typeof(value)) {
	case JSON_OBJECT:
		markup(out, "<dl class=\"facts\">\n");
		json_object_foreach ((json_t *)value, name, member) {
			markup(out, "<dt>%s</dt><dd>", name);
			json_value(out, member);
			markup(out, "</dd>\n");
		}
		markup(out, "</dl>\n");
		break;
	case JSON_ARRAY:
		for (size_t i = 0; i < json_array_size(value); i++) {
			markup(out, "%s", i ? " " : "");
			json_value(out, json_array_get(value, i));
		}
		break;
	case JSON_STRING:
		markup(out, "%s", json_string_value(value));
		break;
	case JSON_INTEGER:
	case JSON_REAL:
		markup(out, "%.10g", json_number_value(value));
		break;
	case JSON_TRUE:
		markup(out, "yes");
		break;
	case JSON_FALSE:
		markup(out, "no");
		break;
	case JSON_NULL:
		markup(out, "-");
	}
}

void html_environment(FILE *out, const struct run *r)
{
	const struct {
		const char *title;
		const json_t *o;
	} parts[] = {{"Device", r->device}, {"Load", r->load}, {"Machine", r->environment}};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!json_object_size(parts[i].o))
			continue;
		markup(out, "<h3>%s</h3>\n", parts[i].title);
		json_value(out, parts[i].o);
	}
}
