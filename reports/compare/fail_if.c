// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

static const char *const units[] = {[FAIL_PCT] = "%", [FAIL_NS] = "ns", [FAIL_INSTRUCTIONS] = "instructions"};

#define NUNITS (sizeof(units) / sizeof(*units))

static int fail_if_refuse(const char *words, struct diag *d)
{
	return diag_set(d, -EINVAL,
			"--fail-if %.40s: write slower=LIMIT or different=LIMIT, with a limit such as 2%%, 3ns or "
			"10instructions",
			words);
}

int fail_if_parse(struct fail_if *f, const char *words, struct diag *d)
{
	const char *equals = strchr(words, '=');
	char *end = NULL;
	size_t unit = 0;

	*f = (struct fail_if){.given = true};
	if (!strncmp(words, "different=", 10))
		f->either_way = true;
	else if (strncmp(words, "slower=", 7))
		return fail_if_refuse(words, d);
	if (equals[1] < '0' || equals[1] > '9')
		return fail_if_refuse(words, d);
	f->limit = strtod(equals + 1, &end);
	while (unit < NUNITS && strcmp(end, units[unit]))
		unit++;
	if (unit == NUNITS || !isfinite(f->limit))
		return fail_if_refuse(words, d);
	f->unit = (enum fail_unit)unit;
	return 0;
}

int fail_if_fits(const struct fail_if *f, bool exact, struct diag *d)
{
	if (!f->given || f->unit == FAIL_PCT || (f->unit == FAIL_INSTRUCTIONS) == exact)
		return 0;
	return diag_set(d, -EINVAL, "--fail-if: %s; give the limit in %% or %s",
			exact ? "an exact run counts instructions and no time" : "this run measured time",
			exact ? "instructions" : "ns");
}

/* A limit's unit, as it is said behind n of it. */
static const char *unit_of(const struct fail_if *f, double n)
{
	return f->unit == FAIL_INSTRUCTIONS && n == 1 ? "instruction" : units[f->unit];
}

/* The limit is in the unit of the difference, or a part of the base. */
static bool beyond(const struct fail_if *f, double low, double high, double base)
{
	double limit = f->unit == FAIL_PCT ? f->limit / 100 * base : f->limit;

	return low > limit || (f->either_way && high < -limit);
}

bool fail_if_measured(const struct fail_if *f, const struct compare_overall *h, char *why, size_t size)
{
	double less, more;

	if (!f->given)
		return false;
	if (isnan(h->ci95_ns[0]) || isnan(h->ci95_ns[1])) {
		snprintf(why, size, "inconclusive: no interval of the difference is known, limit %g %s", f->limit,
			 unit_of(f, f->limit));
		return true;
	}
	if (!beyond(f, h->ci95_ns[0], h->ci95_ns[1], h->base_ns))
		return false;
	less = fmin(fabs(h->ci95_ns[0]), fabs(h->ci95_ns[1])); /* both ends are on one side of 0 */
	more = fmax(fabs(h->ci95_ns[0]), fabs(h->ci95_ns[1]));
	snprintf(why, size, "%s by %.4g to %.4g ns per packet (%.3g to %.3g %%), which is beyond %g %s",
		 h->delta_ns > 0 ? "slower" : "faster", less, more, 100 * less / h->base_ns, 100 * more / h->base_ns,
		 f->limit, unit_of(f, f->limit));
	return true;
}

bool fail_if_counted(const struct fail_if *f, double base, double change, char *why, size_t size)
{
	if (!f->given || !beyond(f, change, change, base))
		return false;
	snprintf(why, size, "%+.4g instruction%s per packet (%+.3g %%), which is beyond %g %s", change,
		 fabs(change) == 1 ? "" : "s", 100 * change / base, f->limit, unit_of(f, f->limit));
	return true;
}
