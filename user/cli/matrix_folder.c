// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/matrix_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/complain.h"
#include "base/known.h"

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int add(struct matrix_folder *m, const char *dir, struct diag *d)
{
	struct loaded_run *l = &m->runs[m->nruns];
	struct matrix_measured *list;
	int err = loaded_run_open(l, dir, NULL, &(struct analysis_options){}, d);

	if (err)
		return err;
	m->nruns++;
	list = realloc(m->list, (m->n + l->analysis.nvariants + 1) * sizeof(*list));
	if (!list)
		return diag_set(d, -ENOMEM, "no memory");
	m->list = list;
	for (size_t i = 0; i < l->analysis.nvariants; i++) {
		const struct analysis_variant *v = &l->analysis.variants[i];

		list[m->n++] = (struct matrix_measured){or_empty(l->run.facts.kernel), or_empty(l->run.facts.driver),
							v->variant->id, v->base_ns, v->half_ns};
	}
	return 0;
}

/* By the names of their folders. A run that cannot be read is named, and the others count. */
int matrix_folder_read(struct matrix_folder *m, const char *folder, struct diag *d)
{
	struct dirent **names = NULL;
	char path[5000];
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/" MATRIX_MEASURED, folder);
	n = scandir(path, &names, NULL, by_name);
	m->runs = calloc(n > 0 ? (size_t)n : 1, sizeof(*m->runs));
	if (!m->runs)
		err = diag_set(d, -ENOMEM, "no memory");
	for (int i = 0; i < n; i++) {
		struct diag why = {};

		snprintf(path, sizeof(path), "%s/" MATRIX_MEASURED "/%s", folder, names[i]->d_name);
		if (!err && names[i]->d_name[0] != '.' && add(m, path, &why))
			complain("%s", why.text);
		free(names[i]);
	}
	free(names);
	return err;
}

void matrix_folder_release(struct matrix_folder *m)
{
	for (size_t i = 0; i < m->nruns; i++)
		loaded_run_release(&m->runs[i]);
	free(m->runs);
	free(m->list);
}
