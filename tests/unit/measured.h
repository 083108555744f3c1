/*
 * measured - a run of tests/synthetic.h on disk, read back and analysed
 *
 * in:    what the run is like; folder of unit.h is there
 * out:   struct measured, which owns run, facilities and analysis; its run is in path. measured_release() frees them
 * law:   each run has a directory of its own
 * error: the test fails with the sentence of what failed
 */
#ifndef TESTS_MEASURED_H
#define TESTS_MEASURED_H

#include "reports/analysis/analysis.h"
#include "tests/synthetic.h"
#include "tests/unit/unit.h"

struct measured {
	char path[128];
	struct run run;
	struct facilities *f;
	struct analysis a;
};

static inline struct synthetic_options veth(void)
{
	struct synthetic_options o = synthetic_defaults;

	o.variants = synthetic_veth;
	o.nvariants = 3;
	return o;
}

/* Written and read back, so that a test can change it before it is analysed. */
static inline void measured_record(struct measured *m, const struct synthetic_options *o)
{
	struct diag d = {""};
	static int number; /* of the directory */

	memset(m, 0, sizeof(*m));
	snprintf(m->path, sizeof(m->path), "%s/run%d", folder, number++);
	if (synthetic_write(m->path, o, &d) || run_read(&m->run, m->path, &d) ||
	    facilities_read(&m->f, "tests/synthetic.conf", &d))
		fail_msg("%s", d.text);
}

/* NULL: options that are all zero. */
static inline void measured_analyse(struct measured *m, const struct analysis_options *ao)
{
	struct analysis_options defaults;
	struct diag d = {""};

	defaults = (struct analysis_options){};
	if (analysis_build(&m->a, &m->run, m->path, m->f, ao ? ao : &defaults, &d))
		fail_msg("%s", d.text);
}

static inline void measure_with(struct measured *m, const struct synthetic_options *o,
				const struct analysis_options *ao)
{
	measured_record(m, o);
	measured_analyse(m, ao);
}

static inline void measure(struct measured *m, const struct synthetic_options *o)
{
	measure_with(m, o, NULL);
}

/* The run as breaker() leaves it, without samples: for what rests on counts and clocks. */
static inline void measured_broken(struct measured *m, void (*breaker)(struct run *r))
{
	struct synthetic_options o = veth();

	measured_record(m, &o);
	breaker(&m->run);
	for (size_t i = 0; i < m->run.nblocks; i++)
		m->run.blocks[i].script[0] = '\0';
	measured_analyse(m, NULL);
}

/* What is released may be released once more. */
static inline void measured_release(struct measured *m)
{
	analysis_release(&m->a);
	analysis_release(&m->a);
	facilities_free(m->f);
	run_release(&m->run);
}

static inline const struct analysis_row *row_named(const struct analysis_row *rows, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	fail_msg("no row \"%s\"", name);
	return NULL;
}

#endif
