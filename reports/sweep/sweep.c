// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/sweep/sweep.h"

#include <dirent.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

/* ---- points ------------------------------------------------------------------------------------------ */

int sweep_point_parse(struct sweep_point *p, const char *name)
{
	char again[SWEEP_NAME], value[32];
	const char *at = name;

	*p = (struct sweep_point){};
	for (;;) {
		size_t length = strcspn(at, ","), word = strcspn(at, "=,");

		if (p->n == SWEEP_PARAMETERS || !word || word >= sizeof(p->names[0]) || at[word] != '=' ||
		    length - word > sizeof(value))
			return -EINVAL;
		snprintf(p->names[p->n], sizeof(p->names[0]), "%.*s", (int)word, at);
		snprintf(value, sizeof(value), "%.*s", (int)(length - word - 1), at + word + 1);
		if (number_parse(value, 0, 1e15, &p->values[p->n++]))
			return -EINVAL;
		if (!at[length])
			break;
		at += length + 1;
	}
	sweep_point_name(p, again);
	return strcmp(name, again) ? -EINVAL : 0;
}

void sweep_point_name(const struct sweep_point *p, char name[SWEEP_NAME])
{
	size_t length = 0;

	name[0] = '\0';
	for (size_t i = 0; i < p->n && length < SWEEP_NAME; i++)
		length += (size_t)snprintf(name + length, SWEEP_NAME - length, "%s%s=%.10g", i ? "," : "", p->names[i],
					   p->values[i]);
}

size_t sweep_parameter(const struct sweep_point *point, const char *name)
{
	size_t i = 0;

	while (i < point->n && strcmp(point->names[i], name))
		i++;
	return i;
}

static int by_values(const void *one, const void *other)
{
	const struct sweep_point *a = one, *b = other;

	for (size_t i = 0; i < a->n && i < b->n; i++)
		if (a->values[i] != b->values[i])
			return ORDER(a->values[i], b->values[i]);
	return 0;
}

size_t sweep_components(const struct sweep *s, const char *variant, const char *names[SWEEP_COMPONENTS])
{
	size_t n = 0;

	for (size_t i = 0; i < s->nrows; i++)
		for (size_t k = 0; k < s->rows[i].ncomponents; k++) {
			const char *name = s->rows[i].components[k].name;
			size_t at = 0;

			while (at < n && strcmp(names[at], name))
				at++;
			if (at == n && n < SWEEP_COMPONENTS && (!variant || !strcmp(s->rows[i].variant, variant)))
				names[n++] = name;
		}
	return n;
}

size_t sweep_axis(const struct sweep *s)
{
	size_t axis = 0, most = 0;

	for (size_t p = 0; p < s->rows[0].point.n; p++) {
		size_t values = 0;

		for (size_t i = 0; i < s->nrows; i++) {
			size_t k = 0;

			while (k < i && s->rows[k].point.values[p] != s->rows[i].point.values[p])
				k++;
			values += k == i;
		}
		axis = values > most ? p : axis;
		most = values > most ? values : most;
	}
	return axis;
}

/* ---- the directory ----------------------------------------------------------------------------------- */

/* The points that the directory's names say, sorted. The caller frees *points. */
static int list_points(struct sweep_point **points, size_t *n, const char *dir, struct diag *d)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	struct sweep_point point, *added;
	int err = 0;

	if (!folder)
		return diag_set(d, -errno, "cannot read %s: %s", dir, strerror(errno));
	while (!err && (entry = readdir(folder))) {
		if (sweep_point_parse(&point, entry->d_name))
			continue;
		added = array_add(points, n, sizeof(**points));
		if (!added) {
			err = diag_set(d, -ENOMEM, "no memory");
			break;
		}
		*added = point;
		bool same = point.n == (*points)->n;
		for (size_t i = 0; i < point.n && same; i++)
			same = !strcmp(point.names[i], (*points)->names[i]);
		if (!same)
			err = diag_set(d, -EINVAL, "%s: the points have different parameters, as %s shows", dir,
				       entry->d_name);
	}
	closedir(folder);
	if (err)
		return err;
	if (!*n)
		return diag_set(d, -ENOENT, "%s has no points of a sweep, which are run directories such as %s/size=64",
				dir, dir);
	qsort(*points, *n, sizeof(**points), by_values);
	return 0;
}

void sweep_others(const struct sweep_row *row, size_t p, char name[SWEEP_NAME])
{
	struct sweep_point others = {};

	for (size_t i = 0; i < row->point.n; i++) {
		if (i == p)
			continue;
		strcpy(others.names[others.n], row->point.names[i]);
		others.values[others.n++] = row->point.values[i];
	}
	sweep_point_name(&others, name);
}

bool sweep_is(const char *dir)
{
	struct sweep_point *points = NULL;
	char path[4096];
	size_t n = 0;
	int err;

	if (snprintf(path, sizeof(path), "%s/run.json", dir) >= (int)sizeof(path) || !access(path, F_OK))
		return false;
	err = list_points(&points, &n, dir, NULL);
	free(points);
	return !err || (err == -EINVAL && n > 0);
}

bool sweep_left_out(const char *dir, struct diag *d)
{
	DIR *folder = opendir(dir);
	struct dirent *entry;
	struct sweep_point point;
	char path[4096], names[320] = "";

	while (folder && (entry = readdir(folder))) {
		const char *name = entry->d_name;

		/* what a recorder is writing, or was when it was killed, is "size=64.tmp-123" */
		if (!strchr(name, '=') || strstr(name, ".tmp-") || !sweep_point_parse(&point, name) ||
		    snprintf(path, sizeof(path), "%s/%s/run.json", dir, name) >= (int)sizeof(path) ||
		    access(path, F_OK))
			continue;
		listed_add(names, sizeof(names), ", ", "%s", name);
	}
	if (folder)
		closedir(folder);
	return *names && diag_set(d, -EINVAL,
				  "left out: %s; a point is called NAME=NUMBER, such as size=64, and its number is not "
				  "negative and written as short as it can be",
				  names);
}

static int sweep_add_rows(struct sweep *s, const struct sweep_point *point, const struct analysis *a)
{
	for (size_t i = 0; i < a->nvariants; i++) {
		const struct analysis_variant *v = &a->variants[i];
		struct sweep_row *row = array_add(&s->rows, &s->nrows, sizeof(*row));

		if (!row)
			return -ENOMEM;
		row->point = *point;
		/*
		 * Where the sweep injected the cost, "drop/no-touch+chain50+observer:tc@native" becomes
		 * "drop/no-touch+observer:tc@native"; where it gave the socket its frames, "layer:xsk-copy:256" becomes
		 * "layer:xsk-copy".
		 */
		struct run_variant usual = *v->variant;
		bool injected = usual.inject && sweep_parameter(point, SWEEP_INJECT) < point->n;
		if (sweep_parameter(point, SWEEP_UMEM) < point->n)
			run_variant_set_umem(&usual, RUN_UMEM_FRAMES, NULL);
		const char *plus = injected ? strchr(usual.id, '+') : NULL;
		const char *after = plus ? plus + 1 + strcspn(plus + 1, "+@") : "";
		snprintf(row->variant, sizeof(row->variant), "%.*s%s",
			 plus ? (int)(plus - usual.id) : (int)sizeof(usual.id), usual.id, after);
		snprintf(row->ended, sizeof(row->ended), "%s", a->run->ended);
		row->base_ns = v->base_ns;
		row->half_ns = v->half_ns;
		row->pps = v->pps;
		row->packets_per_poll = v->packets_per_poll;
		row->busy_cpus = v->busy_pct / 100 * (double)a->run->nrx_cpus;
		row->gates_failed = quality_failed(&v->quality);
		row->components = calloc(v->ncomponents + 1, sizeof(*row->components));
		if (!row->components)
			return -ENOMEM;
		for (size_t k = 0; k < v->ncomponents; k++) {
			struct sweep_component *c = &row->components[row->ncomponents];

			if (!(v->components[k].self_ns > 0))
				continue;
			snprintf(c->name, sizeof(c->name), "%s", v->components[k].name);
			c->self_ns = v->components[k].self_ns;
			row->ncomponents++;
		}
	}
	return 0;
}

int sweep_read(struct sweep *s, const char *dir, struct diag *d)
{
	struct sweep_point *points = NULL;
	struct components *components = NULL;
	size_t n = 0;
	int err;

	*s = (struct sweep){};
	err = list_points(&points, &n, dir, d) ?: components_read(&components, NULL, d);
	for (size_t i = 0; i < n && !err; i++) {
		const struct analysis_options plain = {};
		struct analysis a = {};
		struct run run;
		char name[SWEEP_NAME], path[4096];

		run_init(&run);
		sweep_point_name(&points[i], name);
		if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
			err = diag_set(d, -ENAMETOOLONG, "%s: the name is too long", dir);
		else
			err = run_read(&run, path, d) ?: analysis_build(&a, &run, path, components, &plain, d);
		if (!err && sweep_add_rows(s, &points[i], &a))
			err = diag_set(d, -ENOMEM, "no memory");
		analysis_release(&a);
		run_release(&run);
	}
	components_free(components);
	free(points);
	if (!err && !s->nrows)
		err = diag_set(d, -ENOENT, "%s: no point has a variant", dir);
	if (!err)
		err = sweep_wakeups_find(s, d);
	if (err)
		sweep_release(s);
	return err;
}

bool sweep_is_first(const struct sweep *s, size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (!strcmp(s->rows[i].variant, s->rows[row].variant))
			return false;
	return true;
}

void sweep_release(struct sweep *s)
{
	for (size_t i = 0; i < s->nrows; i++)
		free(s->rows[i].components);
	free(s->rows);
	*s = (struct sweep){};
}

/* ---- lines ------------------------------------------------------------------------------------------- */

/* The half-width of a coefficient, var: its variance by the weights. */
static double sweep_half_width(double var, bool known, double sum_of_squares, size_t n)
{
	double by_points = known ? sqrt(var) : NAN, df = (double)n - 2;

	return n > 2 ? fmax(by_points, stats_t95(df) * sqrt(sum_of_squares / df * var)) : by_points;
}

bool sweep_same_line(const struct sweep_row *a, const struct sweep_row *b, size_t p)
{
	bool same = !strcmp(a->variant, b->variant);

	for (size_t i = 0; i < a->point.n && same; i++)
		same = i == p || a->point.values[i] == b->point.values[i];
	return same;
}

int sweep_line_from(struct sweep_line *l, const struct sweep *s, size_t first, size_t p, struct diag *d)
{
	const double x_full = 1.0 / ANALYSIS_FULL_POLL;
	double *x = calloc(3 * s->nrows, sizeof(*x)), *y = x + s->nrows, *weights = y + s->nrows;
	double var_a, cov, var_b, squares;
	size_t *at = calloc(s->nrows, sizeof(*at)), n = 0;
	bool taken = false, known = true; /* known: the weights come from half-widths */
	int err;

	for (size_t i = 0; i < s->nrows && x && at; i++) {
		const struct sweep_row *row = &s->rows[i];

		const char *name = row->point.names[p];
		x[n] = !strcmp(name, SWEEP_RATE)    ? 1 / row->packets_per_poll
		       : !strcmp(name, SWEEP_BATCH) ? 1 / row->point.values[p]
						    : row->point.values[p];
		if (!sweep_same_line(row, &s->rows[first], p) || isnan(row->base_ns) || isnan(x[n]))
			continue;
		taken |= i < first;
		known &= row->half_ns > 0;
		y[n] = row->base_ns;
		weights[n] = 1 / (row->half_ns * row->half_ns);
		at[n++] = i;
	}
	err = !x || !at ? -ENOMEM : taken || !n || gsl_stats_min(x, 1, n) == gsl_stats_max(x, 1, n) ? -ERANGE : 0;
	for (size_t i = 0; i < n && !known; i++)
		weights[i] = 1;
	if (!err) {
		*l = (struct sweep_line){.n = n};
		gsl_fit_wlinear(x, 1, weights, 1, y, 1, n, &l->a, &l->b, &var_a, &cov, &var_b, &squares);
		l->a_half = sweep_half_width(var_a, known, squares, n);
		l->b_half = sweep_half_width(var_b, known, squares, n);
		l->full = l->a + l->b * x_full;
		l->full_half = sweep_half_width(var_a + 2 * x_full * cov + x_full * x_full * var_b, known, squares, n);
	}
	for (size_t i = 0, far = 0; i < n && !err; i++) {
		double above = y[i] - l->a - l->b * x[i];

		far = fabs(above) > fabs(l->far_y) ? i : far;
		l->far = at[far];
		l->far_y = fabs(above) > fabs(l->far_y) ? above : l->far_y;
	}
	free(x);
	free(at);
	return err == -ENOMEM ? diag_set(d, err, "no memory") : err;
}
