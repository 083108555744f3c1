// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What `xdpzoom report` and `xdpzoom diff` print, and synthetic runs to print it of, for tests/golden/:
 *   render make DIR KIND           a run directory; kinds are in the table below
 *   render report DIR FORMAT
 *   render diff DIR BASE NEW FORMAT [DIR2]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reports/formats.h"
#include "tests/synthetic.h"

static const struct {
	const char *kind;
	int rounds;
	double busy, overhead_pct;
	bool threaded;
	const char *placements, *ended;
} kinds[] = {
	{"sound", 12, 1, 0.8, true, "", "complete"},
	{"placed", 12, 1, 0.8, true, "nnnffnnmnfnnnnnnnnnnnnffnnnnnnnnnnnn", "complete"},
	{"poor", 3, 0.6, 4, true, "", "interrupted"},
	{"softirq", 6, 0.9, 0.8, false, "", "complete"},
	{"far", 12, 1, 0.8, true, "ffffffffffffffffffffffffffffffffffff", "complete"},
};

/* One of the two runs a diff may need. */
struct side {
	struct run run;
	struct analysis a;
};

static int fail(const char *why)
{
	fprintf(stderr, "render: %s\n", why);
	return 1;
}

static int make(const char *dir, const char *kind)
{
	struct synthetic_options o = synthetic_defaults;
	struct diag d = {""};

	o.variants = synthetic_veth;
	o.nvariants = 3;
	o.window_ms = 250;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (strcmp(kinds[i].kind, kind))
			continue;
		o.rounds = kinds[i].rounds;
		o.busy = kinds[i].busy;
		o.overhead_pct = kinds[i].overhead_pct;
		o.threaded = kinds[i].threaded;
		o.placements = kinds[i].placements;
		o.ended = kinds[i].ended;
		return synthetic_write(dir, &o, &d) ? fail(d.text) : 0;
	}
	return fail("no such kind");
}

static int load(struct side *s, const char *dir, struct facilities *f, double like_ns,
		struct diag *d)
{
	struct analysis_options o;
	int err = run_read(&s->run, dir, d);

	analysis_options_init(&o);
	o.placement_like_ns = like_ns;
	o.stacks = true;
	if (!err)
		err = analysis_build(&s->a, &s->run, dir, f, &o, d);
	return err;
}

static int report(char **argv, struct facilities *f, struct diag *d)
{
	struct render_options o = {0};
	struct side s = {0};
	const struct format *format;
	int err = format_find(&format, argv[3], FORMAT_OF_REPORT, d);

	if (!err)
		err = load(&s, argv[2], f, 0, d);
	if (!err)
		err = format->report(stdout, &s.a, NULL, &o);
	analysis_release(&s.a);
	run_release(&s.run);
	return err;
}

static int diff(int argc, char **argv, struct facilities *f, struct diag *d)
{
	const struct analysis_variant *base, *new = NULL;
	struct side s = {0}, other = {0};
	struct compare c = {0};
	const struct format *format;
	struct render_options o = {0};
	int err = format_find(&format, argv[5], FORMAT_OF_DIFF, d);

	if (!err)
		err = load(&s, argv[2], f, 0, d);
	base = err ? NULL : analysis_find(&s.a, argv[3], d);
	if (base && argc > 6 && !load(&other, argv[6], f, base->placement_ns, d))
		new = analysis_find(&other.a, argv[4], d);
	else if (base)
		new = analysis_find(&s.a, argv[4], d);
	err = base && new ? compare_build(&c, base, new, d) : 1;
	if (!err)
		err = format->diff(stdout, &c, &o);
	compare_release(&c);
	analysis_release(&other.a);
	run_release(&other.run);
	analysis_release(&s.a);
	run_release(&s.run);
	return err;
}

int main(int argc, char **argv)
{
	struct facilities *f = NULL;
	struct diag d = {""};
	int err;

	if (argc == 4 && !strcmp(argv[1], "make"))
		return make(argv[2], argv[3]);
	if (argc < 4 || facilities_read(&f, "tests/synthetic.conf", &d))
		return fail(*d.text ? d.text : "usage");
	err = !strcmp(argv[1], "diff") && argc >= 6 ? diff(argc, argv, f, &d) : report(argv, f, &d);
	facilities_free(f);
	return err ? fail(d.text) : 0;
}
