// SPDX-License-Identifier: GPL-2.0-or-later
/* What waking up costs, from the points of a sweep over rates. sweep.h has the contract. */
#include "reports/sweep/sweep.h"

int sweep_wakeups_find(struct sweep *s, struct diag *d)
{
	size_t p = sweep_parameter(&s->rows[0].point, SWEEP_RATE);
	struct sweep_line l;
	int err;

	for (size_t i = 0; i < s->nrows && p < s->rows[0].point.n; i++) {
		err = sweep_line_from(&l, s, i, p, d);
		if (err == -ENOMEM)
			return err;
		for (size_t k = i; k < s->nrows && !err; k++)
			if (sweep_same_line(&s->rows[k], &s->rows[i], p) && !isnan(s->rows[k].packets_per_poll))
				s->rows[k].wakeups = (struct analysis_wakeups){.points = l.n,
									       .poll_ns = l.b,
									       .poll_half_ns = l.b_half,
									       .full_ns = l.full,
									       .full_half_ns = l.full_half};
	}
	return 0;
}

/* Splits "runs/rates/rate=1000" into the sweep's directory and the point. false: it is no point over rates. */
static bool sweep_wakeups_split(const char *path, char sweep[PATH_MAX], struct sweep_point *point)
{
	size_t end = strlen(path);
	const char *name;

	while (end && path[end - 1] == '/')
		end--;
	if (end + 2 >= PATH_MAX)
		return false;
	snprintf(sweep, PATH_MAX, "./%.*s", path[0] == '/' ? 0 : (int)end, path);
	if (path[0] == '/')
		snprintf(sweep, PATH_MAX, "%.*s", (int)end, path);
	name = strrchr(sweep, '/');
	if (!name || sweep_point_parse(point, name + 1))
		return false;
	sweep[name - sweep] = '\0';
	return sweep_parameter(point, SWEEP_RATE) < point->n;
}

int sweep_wakeups_fill(struct analysis *a, const char *dir, struct diag *d)
{
	char path[PATH_MAX], real[PATH_MAX], name[SWEEP_NAME], of_row[SWEEP_NAME];
	struct sweep_point point;
	struct diag other = {};
	struct sweep s;
	int err;

	/* "." may be a point, and a link to a run may have a point's name */
	if (!sweep_wakeups_split(dir, path, &point) &&
	    (!realpath(dir, real) || !sweep_wakeups_split(real, path, &point)))
		return 0;
	sweep_point_name(&point, name);
	err = sweep_read(&s, path, &other);
	if (err)
		return err == -ENOMEM ? diag_set(d, err, "%s", other.text) : 0;
	/* The rows of a point stand in the order of its variants. */
	for (size_t i = 0, variant = 0; i < s.nrows && variant < a->nvariants; i++) {
		sweep_point_name(&s.rows[i].point, of_row);
		if (!strcmp(of_row, name) && s.rows[i].wakeups.points)
			a->variants[variant].wakeups = s.rows[i].wakeups;
		variant += !strcmp(of_row, name);
	}
	sweep_release(&s);
	return 0;
}
