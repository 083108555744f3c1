// SPDX-License-Identifier: GPL-2.0-or-later
/* The matrix of exact counts as text, JSON and CSV. */
#include "reports/format/format.h"

#include <math.h>
#include <string.h>
#include "base/base.h"
#include "base/printable.h"
#include "base/sheet/sheet.h"

/* Variants of one name, "drop/no-touch", stand side by side with their modes. */
static size_t name_length(const char *variant)
{
	return strcspn(variant, "@");
}

static bool of_one_name(const char *a, const char *b)
{
	return name_length(a) == name_length(b) && !strncmp(a, b, name_length(a));
}

static bool render_matrix_put_row(const struct text *t, const struct matrix *m, size_t kernel, size_t driver,
				  size_t first, size_t width)
{
	int blanks = 0; /* to come before the next column, so that no line ends with some */
	bool others = false;

	fputs("  ", t->out);
	text_name(t, m->names[kernel], width);
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

			if (!of_one_name(c->variant, m->variants[first]) || !c->why[0] || !matrix_was_tried(c))
				continue;
			snprintf(line, sizeof(line), "%s: %s", c->variant, c->why);
			text_fact(t, m->names[k], text_width(m->names[k]), line);
		}
}

static double percent(const struct matrix_change *c)
{
	return 100 * c->change / c->from->instructions;
}

void render_matrix_sentence(const struct matrix_change *c, char *line, size_t size)
{
	bool source = c->causes == MATRIX_SOURCE;

	snprintf(line, size, "%s: %+.1f instructions (%+.1f %%)%s%s%s%s", c->title, c->change, percent(c),
		 source ? "" : ", by ", source ? "" : matrix_cause_words(c), c->parts[0] ? ": " : "", c->parts);
}

void render_matrix_followers(const struct matrix *m, const struct matrix_change *c, char *line, size_t size)
{
	char variant[RUN_ID_BYTES];

	line[0] = '\0';
	for (size_t i = c->leader + 1; i < m->nchanges && m->changes[i].leader == c->leader; i++)
		listed_add(line, size, ", ", "%s%s %s %+.1f (%+.1f %%)", *line ? "" : "; the same on ",
			   m->changes[i].to->driver,
			   matrix_variant_words(m, m->changes[i].to->variant, variant, sizeof(variant)),
			   m->changes[i].change, percent(&m->changes[i]));
}

static bool row_was_tried(const struct matrix *m, size_t kernel, size_t driver, size_t first)
{
	for (size_t v = first; v < m->nvariants; v++)
		if (of_one_name(m->variants[v], m->variants[first]) &&
		    matrix_was_tried(matrix_at(m, kernel, driver, v)))
			return true;
	return false;
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
		if (row_was_tried(m, k, driver, first))
			others |= render_matrix_put_row(t, m, k, driver, first, width);
	put_reasons(t, m, driver, first);
	return others;
}

static bool table_was_tried(const struct matrix *m, size_t driver, size_t first)
{
	for (size_t k = 0; k < m->nkernels; k++)
		if (row_was_tried(m, k, driver, first))
			return true;
	return false;
}

/* Two kernels whose configurations differ, "6.17.13 to 6.18.15"; "": they do not, or a former change has these two. */
static void configured(const struct matrix *m, const struct matrix_change *c, char *kernels, size_t size)
{
	bool known = !c->config[0];

	for (const struct matrix_change *before = m->changes; before < c; before++)
		known |= !strcmp(before->from->kernel, c->from->kernel) && !strcmp(before->to->kernel, c->to->kernel);
	snprintf(kernels, size, "%.*s", known ? 0 : (int)strcspn(c->title, ","), c->title);
}

static void put_configurations(const struct text *t, const struct matrix *m)
{
	char kernels[300];
	size_t width = 0;

	for (size_t i = 0; i < m->nchanges; i++) {
		configured(m, &m->changes[i], kernels, sizeof(kernels));
		width = text_width(kernels) > width ? text_width(kernels) : width;
	}
	fputs(width ? "configurations differ, as far as both kernels have an option\n" : "", t->out);
	for (size_t i = 0; i < m->nchanges; i++) {
		configured(m, &m->changes[i], kernels, sizeof(kernels));
		if (kernels[0])
			text_fact(t, kernels, width, m->changes[i].config);
	}
	fputs(width ? "\n" : "", t->out);
}

/* The largest changes, in words. */
static void put_changes(const struct text *t, const struct matrix *m)
{
	char line[2 * SENTENCE_BYTES];
	size_t told = 0;

	for (size_t i = 0; i < m->nchanges && told < RENDER_SYMBOLS; i++) {
		if (m->changes[i].leader != i)
			continue;
		if (!m->changes[i].parts[0])
			break;
		render_matrix_sentence(&m->changes[i], line, SENTENCE_BYTES);
		render_matrix_followers(m, &m->changes[i], line + strlen(line), SENTENCE_BYTES);
		text_labelled(t, TEXT_PLAIN, "-", line);
		told++;
	}
	fputs(told ? "\n" : "", t->out);
	put_configurations(t, m);
}

int render_matrix_text(FILE *out, const struct matrix *m)
{
	const struct text t = {.out = out};
	bool others = false, begun = false;
	size_t width = 0;

	for (size_t k = 0; k < m->nkernels; k++) {
		size_t n = text_width(m->names[k]);

		width = n > width ? n : width;
	}

	put_changes(&t, m);
	for (size_t d = 0; d < m->ndrivers; d++)
		for (size_t v = 0; v < m->nvariants; v++) {
			size_t first = 0;

			while (!of_one_name(m->variants[first], m->variants[v]))
				first++;
			if (first != v || !table_was_tried(m, d, first))
				continue;
			fputs(begun ? "\n" : "", out);
			begun = true;
			others |= render_matrix_put_table(&t, m, d, first, width);
		}
	if (others)
		fputs("\n* another compiler than that of the kernel above\n", out);
	return text_finish(&t);
}

/* ---- what other programs read ------------------------------------------------------------------------ */

static const char *release_of(const struct matrix_cell *c)
{
	return c->run ? c->run->kernel : "";
}

static const char *compiler_of(const struct matrix_cell *c)
{
	return c->run ? c->run->compiler : "";
}

static json_t *cell_json(struct json_out *w, const struct matrix_cell *c)
{
	json_t *o = json_object();

	json_out_text(w, o, "kernel", c->kernel);
	json_out_put(w, o, "release", json_out_known(release_of(c)));
	json_out_put(w, o, "compiler", json_out_known(compiler_of(c)));
	json_out_text(w, o, "driver", c->driver);
	json_out_text(w, o, "variant", c->variant);
	json_out_number(w, o, "instructions", c->instructions);
	json_out_number(w, o, "deviation", c->counted ? c->counted->total.residual : NAN);
	json_out_number(w, o, "change", c->change);
	json_out_put(w, o, "other_compiler", json_boolean(c->other_compiler));
	json_out_put(w, o, "run", json_out_known(c->dir));
	json_out_put(w, o, "why", json_out_known(c->why));
	return o;
}

static json_t *rows_json(struct json_out *w, const struct exact_diff_row *rows, size_t n, bool component)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n && fabs(rows[i].change) >= MATRIX_LEAST; i++) { /* the largest come first */
		json_t *o = json_object();

		json_out_text(w, o, "name", rows[i].name);
		if (component)
			json_out_text(w, o, "component", rows[i].component);
		json_out_number(w, o, "base_instructions", rows[i].base.instructions[EXACT_PACKET]);
		json_out_number(w, o, "new_instructions", rows[i].new.instructions[EXACT_PACKET]);
		json_out_number(w, o, "change", rows[i].change);
		json_out_put(w, o, "exact", json_boolean(rows[i].exact));
		json_out_add(w, list, o);
	}
	return list;
}

static json_t *change_json(struct json_out *w, const struct matrix *m, const struct matrix_change *c)
{
	json_t *o = json_object();

	json_out_text(w, o, "id", c->id);
	json_out_put(w, o, "same_as",
		     c == &m->changes[c->leader] ? json_null() : json_string(m->changes[c->leader].id));
	json_out_text(w, o, "base_kernel", c->from->kernel);
	json_out_text(w, o, "new_kernel", c->to->kernel);
	json_out_text(w, o, "driver", c->to->driver);
	json_out_text(w, o, "variant", c->to->variant);
	json_out_number(w, o, "base_instructions", c->from->instructions);
	json_out_number(w, o, "new_instructions", c->to->instructions);
	json_out_number(w, o, "change", c->change);
	json_out_number(w, o, "change_pct", percent(c));
	json_out_number(w, o, "least_pct", 100 * c->size);
	json_out_number(w, o, "sure", c->sure);
	json_out_text(w, o, "cause", matrix_cause_words(c));
	json_out_put(w, o, "configuration", json_out_known(c->config));
	json_out_text(w, o, "parts", c->parts);
	json_out_put(w, o, "components", rows_json(w, c->diff.components, c->diff.ncomponents, false));
	json_out_put(w, o, "symbols", rows_json(w, c->diff.rows, c->diff.nrows, true));
	return o;
}

json_t *render_matrix_object(struct json_out *w, const struct matrix *m)
{
	json_t *root = json_object(), *cells = json_array(), *changes = json_array();

	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++)
		json_out_add(w, cells, cell_json(w, &m->cells[i]));
	for (size_t i = 0; i < m->nchanges; i++)
		json_out_add(w, changes, change_json(w, m, &m->changes[i]));
	json_out_text(w, root, "schema", MATRIX_SCHEMA);
	json_out_put(w, root, "cells", cells);
	json_out_put(w, root, "changes", changes);
	return root;
}

int render_matrix_json(FILE *out, const struct matrix *m)
{
	struct json_out w = {};

	return json_out_write(&w, render_matrix_object(&w, m), out, JSON_INDENT(2));
}

/* The digits of JSON. */
static void put_csv_number(FILE *out, double v)
{
	fputc(',', out);
	if (!isnan(v))
		fprintf(out, "%.*g", JSON_OUT_DIGITS, v);
}

int render_matrix_csv(FILE *out, const struct matrix *m)
{
	fputs("kernel,release,compiler,driver,variant,instructions,deviation,change,other_compiler,run,why\n", out);
	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++) {
		const struct matrix_cell *c = &m->cells[i];
		const char *const texts[] = {c->kernel, release_of(c), compiler_of(c), c->driver, c->variant};

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++) {
			fputs(k ? "," : "", out);
			csv_text(out, texts[k]);
		}
		put_csv_number(out, c->instructions);
		put_csv_number(out, c->counted ? c->counted->total.residual : NAN);
		put_csv_number(out, c->change);
		fprintf(out, ",%d", c->other_compiler);
		fputc(',', out);
		csv_text(out, c->dir);
		fputc(',', out);
		csv_text(out, c->why);
		fputs("\n", out);
	}
	return render_finish(out);
}
