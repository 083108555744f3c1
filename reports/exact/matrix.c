// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/matrix.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct matrix_cell *matrix_at(const struct matrix *m, size_t kernel, size_t driver, size_t variant)
{
	return &m->cells[(kernel * m->ndrivers + driver) * m->nvariants + variant];
}

int matrix_init(struct matrix *m)
{
	m->cells = calloc(m->nkernels * m->ndrivers * m->nvariants + 1, sizeof(*m->cells));
	if (!m->cells)
		return -ENOMEM;
	for (size_t k = 0; k < m->nkernels; k++)
		for (size_t d = 0; d < m->ndrivers; d++)
			for (size_t v = 0; v < m->nvariants; v++) {
				struct matrix_cell *c = matrix_at(m, k, d, v);

				c->kernel = m->kernels[k];
				c->driver = m->drivers[d];
				c->variant = m->variants[v];
				c->instructions = c->change = NAN;
				snprintf(c->why, sizeof(c->why), "not counted yet");
			}
	return 0;
}

void matrix_take(struct matrix *m, size_t kernel, size_t driver, const char *dir, struct facilities *f)
{
	struct diag d = {};
	struct exact e = {};
	int err = exact_read(&e, dir, f, &d);

	for (size_t i = 0; i < m->nvariants; i++) {
		const struct exact_variant *v = exact_find(&e, m->variants[i], NULL);
		struct matrix_cell *c = matrix_at(m, kernel, driver, i);

		if (err || !v) {
			if (err && isnan(c->instructions))
				snprintf(c->why, sizeof(c->why), "%s", d.text);
			continue;
		}
		c->instructions = v->total.instructions[EXACT_PACKET];
		c->why[0] = '\0';
		snprintf(c->release, sizeof(c->release), "%s", e.kernel);
		snprintf(c->compiler, sizeof(c->compiler), "%s", e.compiler);
		snprintf(c->run, sizeof(c->run), "%s", dir);
	}
	exact_release(&e);
}

void matrix_compare(struct matrix *m)
{
	for (size_t d = 0; d < m->ndrivers; d++)
		for (size_t v = 0; v < m->nvariants; v++) {
			const struct matrix_cell *before = NULL;

			for (size_t k = 0; k < m->nkernels; k++) {
				struct matrix_cell *c = matrix_at(m, k, d, v);

				if (isnan(c->instructions))
					continue;
				if (before) {
					c->change = c->instructions - before->instructions;
					c->other_compiler = before->compiler[0] && c->compiler[0] &&
							    strcmp(before->compiler, c->compiler) != 0;
				}
				before = c;
			}
		}
}

void matrix_release(struct matrix *m)
{
	free(m->cells);
	m->cells = NULL;
}
