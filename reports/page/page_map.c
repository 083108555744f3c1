// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/page.h"

#include <ctype.h>
#include "base/base.h"

static const struct column cost_columns[] = {
	{"device", "device", CELL_NAME, IN_TABLE},     {"of", "of", CELL_NAME, IN_TABLE},
	{"pps", "packets/s", CELL_RATE, IN_TABLE},     {"ns", "ns/packet", CELL_NUMBER, IN_TABLE},
	{"busy", "% of a CPU", CELL_NUMBER, IN_TABLE},
};
static const struct column queue_columns[] = {
	{"device", "device", CELL_NAME, IN_TABLE},   {"queue", "queue", CELL_WORDS, IN_TABLE},
	{"p50", "median", CELL_COUNT, IN_TABLE},     {"p99", "99 %", CELL_COUNT, IN_TABLE},
	{"most", "most", CELL_COUNT, IN_TABLE},      {"size", "size", CELL_COUNT, IN_TABLE},
	{"unit", "unit", CELL_WORDS, IN_TABLE},      {"full", "% full", CELL_NUMBER, IN_TABLE},
	{"wait", "wait, us", CELL_NUMBER, IN_TABLE}, {"not_known", "not known", CELL_WORDS, IN_TABLE},
};

static void cost_row(struct rows *r, const char *device, const json_t *o)
{
	rows_add(r);
	rows_text(r, "device", device);
	rows_text(r, "of", json_text_of(o, "of"));
	rows_value(r, "pps", json_text_number(o, "pps"));
	rows_interval(r, "ns", json_text_number(o, "ns_per_packet"), json_text_number(o, "ns_per_packet_half"));
	rows_number(r, "busy", json_text_number(o, "busy_pct"), 1);
}

static void queue_row(struct rows *r, const char *device, const json_t *o)
{
	rows_add(r);
	rows_text(r, "device", device);
	rows_words(r, "queue", "%s %.0f", json_text_of(o, "kind"), json_text_number(o, "number"));
	rows_value(r, "p50", json_text_number(o, "p50"));
	rows_value(r, "p99", json_text_number(o, "p99"));
	rows_value(r, "most", json_text_number(o, "most"));
	rows_value(r, "size", json_text_number(o, "size"));
	rows_text(r, "unit", json_text_of(o, "unit"));
	rows_number(r, "full", json_text_number(o, "full_pct"), 1);
	rows_interval(r, "wait", json_text_number(o, "wait_us"), json_text_number(o, "wait_half_us"));
	rows_text(r, "not_known", json_text_of(o, "not_known"));
}

/* What each device has in that list, a row each; no section where none has. */
static int section(FILE *out, const json_t *map, const char *list, const char *title, struct rows *r,
		   void (*row)(struct rows *, const char *, const json_t *))
{
	json_t *device, *o;
	size_t i, k;
	int err;

	json_array_foreach (json_object_get(map, "devices"), i, device)
		json_array_foreach (json_object_get(device, list), k, o)
			row(r, json_text_of(device, "device"), o);
	if (r->nrows) {
		markup(out, "<section><h2>%s</h2>\n", title);
		html_table(out, r, &(struct html_table){.class = "values"});
		markup(out, "</section>\n");
	}
	err = rows_error(r);
	rows_release(r);
	return err;
}

static size_t count(const json_t *map, const char *list)
{
	return json_array_size(json_object_get(map, list));
}

int page_map(FILE *out, const json_t *map, const char *svg, const char *tree)
{
	const struct json_out w = {};
	char title[160];
	struct rows costs, queues;
	int err;

	snprintf(title, sizeof(title), "%zu device%s in %zu network namespace%s, %zu program%s", count(map, "devices"),
		 &"s"[count(map, "devices") == 1], count(map, "namespaces"), &"s"[count(map, "namespaces") == 1],
		 count(map, "programs"), &"s"[count(map, "programs") == 1]);
	html_begin(out, title);
	html_top(out, "map", json_text_of(map, "kernel"));
	markup(out, "<main id=\"content\">\n<h1>%s</h1>\n", title);
	rows_init(&costs, COLUMNS_OF(cost_columns));
	rows_init(&queues, COLUMNS_OF(queue_columns));
	err = section(out, map, "costs", "What packets cost", &costs, cost_row)
		      ?: section(out, map, "queues", "Where they wait", &queues, queue_row);
	/* As the address of an image, in which scripts do not run and which loads nothing. */
	markup(out, "<section><h2>Graph</h2>\n<div class=\"scroll\"><img alt=\"The tree below as a graph\" "
		    "src=\"data:image/svg+xml,");
	for (const char *s = svg; *s; s++)
		fprintf(out, isalnum((unsigned char)*s) ? "%c" : "%%%02X", (unsigned char)*s);
	markup(out, "\"></div>\n</section>\n");
	markup(out, "<section><h2>Tree</h2>\n<pre>%s</pre>\n<p id=\"save\"></p>\n</section>\n</main>\n", tree);
	return err ? err : html_end(out, &w, json_deep_copy(map), HTML_COSTS);
}
