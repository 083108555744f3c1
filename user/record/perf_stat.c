// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record.h"

static int perf_stat_read_text(struct perfstat *s, const char *path, struct diag *d)
{
	struct linescan lines;
	FILE *f = fopen(path, "re");
	int err;

	if (!f)
		return diag_set(d, -errno, "cannot read the output of perf stat: %s", strerror(errno));
	lines = (struct linescan){.in = f};
	err = perfstat_read(s, &lines, 0, d);
	linescan_release(&lines);
	fclose(f);
	return err;
}

/* Returns 0 if this machine can count the event. */
static int try_event(const char *event, const struct perf_options *o, struct diag *d)
{
	char cpu[16];
	const char *const argv[] = {"perf", "stat", "-j", "-e", event, "-C", cpu, "-o", o->data_path, "true", NULL};
	struct perfstat s;
	bool counted = false;
	int err;

	snprintf(cpu, sizeof(cpu), "%d", o->ncpus ? o->cpus[0] : 0);
	err = perf_run(o, argv, -1, -1);
	if (err)
		return diag_set(d, err < 0 ? err : -EINVAL, "perf cannot count %s; perf list shows all events", event);
	perfstat_init(&s);
	err = perf_stat_read_text(&s, o->data_path, d);
	for (size_t i = 0; i < s.ncounts; i++)
		counted |= s.counts[i].state == PERFSTAT_COUNTED;
	perfstat_release(&s);
	if (!err && !counted)
		err = diag_set(d, -EOPNOTSUPP, "this machine does not count %s%s", event,
			       strstr(PERF_STAT_DEFAULT, event) ? " (a virtual machine without a PMU?)" : "");
	return err;
}

static void perf_stat_add_event(struct perf_stat_plan *p, size_t number, const char *event)
{
	char *group = p->groups[number / PERF_STAT_GROUP];

	if (*group)
		strcat(group, ",");
	strcat(group, event);
	p->ngroups = number / PERF_STAT_GROUP + 1;
}

/*
 * perf parses the names before it counts, so a valid event that this machine cannot count is accepted here.
 */
int perf_stat_check(const char *const *asked, size_t n, struct diag *d)
{
	const struct perf_options quiet = {.keeper_cpu = -1, .stderr_path = "/dev/null"};

	if (n == 1 && !strcmp(asked[0], "none"))
		return 0;
	if (n > PERF_STAT_GROUPS * PERF_STAT_GROUP)
		return diag_set(d, -EINVAL, "--stat-events: more than %d events", PERF_STAT_GROUPS * PERF_STAT_GROUP);
	for (size_t i = 0; i < n; i++) {
		const char *event = asked[i];
		const char *const argv[] = {"perf", "stat", "-o", "/dev/null", "-e", event, "true", NULL};

		if (strlen(event) >= PERF_STAT_NAME)
			return diag_set(d, -EINVAL, "--stat-events: the name of the event %.60s... is too long", event);
		if (perf_run(&quiet, argv, -1, -1) == PERF_USAGE)
			return diag_set(d, -EINVAL, "--stat-events: perf has no event %s; perf list shows all events",
					event);
	}
	return 0;
}

int perf_stat_plan(struct perf_stat_plan *p, const char *const *asked, size_t n, bool has_pmu,
		   const struct perf_options *o, struct diag *d)
{
	char list[] = PERF_STAT_DEFAULT, *rest = list, *event;
	struct diag why = {""};
	size_t counted = 0;
	int err = 0;

	memset(p, 0, sizeof(*p));
	if (n == 1 && !strcmp(asked[0], "none"))
		return 0;
	while (!n && has_pmu && (event = strsep(&rest, ", ")))
		if (*event && !try_event(event, o, &why))
			perf_stat_add_event(p, counted++, event);
	for (size_t i = 0; i < n && !err; i++) {
		perf_stat_add_event(p, i, asked[i]);
		err = try_event(asked[i], o, d);
	}
	remove(o->data_path);
	return err;
}

_Static_assert(sizeof(((struct run_event *)0)->name) == sizeof(((struct perfstat_count *)0)->event) &&
		       sizeof(((struct run_event *)0)->unit) == sizeof(((struct perfstat_count *)0)->unit),
	       "perf_stat_read() copies names and units as a whole");

int perf_stat_read(struct run_window *w, const char *path, struct diag *d)
{
	struct perfstat s;
	int err;

	perfstat_init(&s);
	err = perf_stat_read_text(&s, path, d);
	for (size_t i = 0; i < s.ncounts && !err; i++) {
		const struct perfstat_count *c = &s.counts[i];
		struct run_event *e = run_add_event(w);

		if (!e) {
			err = diag_set(d, -ENOMEM, "no memory");
			break;
		}
		memcpy(e->name, c->event, sizeof(e->name));
		memcpy(e->unit, c->unit, sizeof(e->unit));
		if (c->state != PERFSTAT_COUNTED)
			continue;
		e->count = c->value;
		e->running_pct = c->running_pct;
		/* perf reports the time that the event was counted, and that time as a share of the enabled time. */
		if (c->runtime_ns > 0 && c->running_pct > 0)
			e->enabled_ns = c->runtime_ns * 100 / c->running_pct;
	}
	perfstat_release(&s);
	return err;
}
