// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix of exact counts as text, JSON and CSV. */
#include "reports/format/render_matrix.h"

#include <math.h>
#include <string.h>
#include "base/json_text.h"
#include "base/printable.h"
#include "base/sheet/csv.h"
#include "base/sheet/json_out.h"
#include "base/sheet/text.h"

#define MATRIX_SCHEMA "xdpzoom.matrix/1"

/* Variants of one name, "drop/no-touch", stand side by side with their modes. */
static size_t name_length(const char *variant)
{
	return strcspn(variant, "@");
}

static bool of_one_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && !strncmp(a, b, name_length(a));
}

/* The kernel's release, of the first cell in the row that knows it; else its name. */
static const char *kernel_name(const struct matrix *m, size_t kernel, size_t driver)
{
	for (size_t v = 0; v < m->nvariants; v++)
		if (matrix_at(m, kernel, driver, v)->release[0])
			return matrix_at(m, kernel, driver, v)->release;
	return m->kernels[kernel];
}

static size_t widest(const struct matrix *m)
{
	size_t most = 0;

	for (size_t k = 0; k < m->nkernels; k++)
		for (size_t d = 0; d < m->ndrivers; d++) {
			size_t n = text_width(kernel_name(m, k, d));

			most = n > most ? n : most;
		}
	return most;
}

static bool render_matrix_put_row(const struct text *t, const struct matrix *m, size_t kernel, size_t driver,
				  size_t first, size_t width)
{
	int blanks = 0; /* to come before the next column, so that no line ends with some */
	bool others = false;

	fputs("  ", t->out);
	text_name(t, kernel_name(m, kernel, driver), width);
	for (size_t v = first; v < m->nvariants; v++) {
		const struct matrix_cell *c = matrix_at(m, kernel, driver, v);

		if (!of_one_name(c->variant, m->variants[first]))
			continue;
		text_number(t, c->instructions, blanks + 12, 2, false);
		blanks = isnan(c->change) ? 12 : !c->other_compiler;
		if (!isnan(c->change))
			text_number(t, c->change, 11, 2, true);
		fputs(c->other_compiler ? "*" : "", t->out);
		others |= c->other_compiler;
	}
	fputc('\n', t->out);
	return others;
}

static void put_reasons(const struct text *t, const struct matrix *m, size_t driver, size_t first)
{
	char line[1000];

	for (size_t k = 0; k < m->nkernels; k++)
		for (size_t v = first; v < m->nvariants; v++) {
			const struct matrix_cell *c = matrix_at(m, k, driver, v);

			if (!of_one_name(c->variant, m->variants[first]) || !c->why[0])
				continue;
			snprintf(line, sizeof(line), "%s: %s", c->variant, c->why);
			text_fact(t, c->kernel, text_width(c->kernel), line);
		}
}

/* One driver, and the variants of the name that the first has. */
static bool render_matrix_put_table(const struct text *t, const struct matrix *m, size_t driver, size_t first,
				    size_t width)
{
	bool others = false;
	int blanks = 0;

	printable_printf(t->out, "%.*s on %s, instructions per packet\n", (int)name_length(m->variants[first]),
			 m->variants[first], m->drivers[driver]);
	fprintf(t->out, "  %*s", (int)width, "");
	for (size_t v = first; v < m->nvariants; v++)
		if (of_one_name(m->variants[v], m->variants[first])) {
			printable_printf(t->out, "%*s%11s", blanks + 12, m->variants[v] + name_length(m->variants[v]),
					 "change");
			blanks = 1;
		}
	fputc('\n', t->out);
	for (size_t k = 0; k < m->nkernels; k++)
		others |= render_matrix_put_row(t, m, k, driver, first, width);
	put_reasons(t, m, driver, first);
	return others;
}

int render_matrix_text(FILE *out, const struct matrix *m)
{
	const struct text t = {.out = out};
	bool others = false, begun = false;
	size_t width = widest(m);

	for (size_t d = 0; d < m->ndrivers; d++)
		for (size_t v = 0; v < m->nvariants; v++) {
			size_t first = 0;

			while (!of_one_name(m->variants[first], m->variants[v]))
				first++;
			if (first != v)
				continue;
			fputs(begun ? "\n" : "", out);
			begun = true;
			others |= render_matrix_put_table(&t, m, d, first, width);
		}
	if (others)
		fputs("\n* another compiler than that of the kernel above\n", out);
	return text_finish(&t);
}

static json_t *known_text(const char *text)
{
	return text[0] ? json_text_string(text) : json_null();
}

int render_matrix_json(FILE *out, const struct matrix *m)
{
	json_t *root = json_object(), *cells = json_array();
	struct json_out w = {};

	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++) {
		const struct matrix_cell *c = &m->cells[i];
		json_t *o = json_object();

		json_out_text(&w, o, "kernel", c->kernel);
		json_out_put(&w, o, "release", known_text(c->release));
		json_out_put(&w, o, "compiler", known_text(c->compiler));
		json_out_text(&w, o, "driver", c->driver);
		json_out_text(&w, o, "variant", c->variant);
		json_out_number(&w, o, "instructions", c->instructions);
		json_out_number(&w, o, "change", c->change);
		json_out_put(&w, o, "other_compiler", json_boolean(c->other_compiler));
		json_out_put(&w, o, "run", known_text(c->run));
		json_out_put(&w, o, "why", known_text(c->why));
		json_out_add(&w, cells, o);
	}
	json_out_text(&w, root, "schema", MATRIX_SCHEMA);
	json_out_put(&w, root, "cells", cells);
	return json_out_write(&w, root, out, JSON_INDENT(2));
}

int render_matrix_csv(FILE *out, const struct matrix *m)
{
	fputs("kernel,release,compiler,driver,variant,instructions,change,other_compiler,run,why\n", out);
	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++) {
		const struct matrix_cell *c = &m->cells[i];
		const char *const texts[] = {c->kernel, c->release, c->compiler, c->driver, c->variant};

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			fputs(k ? "," : "", out);
			csv_text(out, texts[k]);
		}
		csv_number(out, c->instructions, !isnan(c->instructions));
		csv_number(out, c->change, !isnan(c->change));
		fprintf(out, ",%d,", c->other_compiler);
		csv_text(out, c->run);
		fputc(',', out);
		csv_text(out, c->why);
		fputs("\n", out);
	}
	return render_finish(out);
}
