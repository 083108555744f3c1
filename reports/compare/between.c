// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/compare/compare.h"

struct between between_default(double given_pct)
{
	if (given_pct >= 0)
		return (struct between){BETWEEN_GIVEN, given_pct, 0};
	return (struct between){BETWEEN_ASSUMED, BETWEEN_ASSUMED_PCT, 0};
}

enum between_load between_loads(const struct run *base, const struct run *new, char *words, size_t size)
{
	const char *const texts[][2] = {{or_empty(base->facts.kernel), or_empty(new->facts.kernel)},
					{or_empty(base->facts.kernel_version), or_empty(new->facts.kernel_version)},
					{or_empty(base->facts.machine), or_empty(new->facts.machine)},
					{base->version, new->version}};
	static const char *const text_names[] = {"the kernels are %s and %s", "the kernel's builds are %s and %s",
						 "the machines are %s and %s", "xdpzoom was of version %s and %s"};
	const double numbers[][2] = {{base->facts.load_bytes, new->facts.load_bytes},
				     {base->facts.load_batch, new->facts.load_batch},
				     {base->facts.load_flows, new->facts.load_flows},
				     {base->turn_frames, new->turn_frames}};
	static const char *const number_names[] = {"%.0f and %.0f bytes a frame", "%.0f and %.0f frames a batch",
						   "%.0f and %.0f flows", "%.0f and %.0f frames a turn"};

	snprintf(words, size, "%s", "");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (fabs(numbers[i][0] - numbers[i][1]) > 0) {
			snprintf(words, size, number_names[i], numbers[i][0], numbers[i][1]);
			return LOADS_UNLIKE;
		}
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (*texts[i][0] && *texts[i][1] && strcmp(texts[i][0], texts[i][1])) {
			snprintf(words, size, text_names[i], texts[i][0], texts[i][1]);
			return LOADS_OF_OTHER_CODE;
		}
	return LOADS_ALIKE;
}

bool between_other_machine(const struct run *base, const struct run *new)
{
	const char *was = or_empty(base->facts.machine), *is = or_empty(new->facts.machine);

	return *was && *is && strcmp(was, is) != 0;
}

/*
 * The mean of the logarithms of both references' ratios, over the variants of both runs; chosen: over these two alone.
 */
static double reference_ratio(const struct analysis_variant *base, const struct analysis_variant *new, bool chosen)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < base->of->nvariants; i++) {
		const struct analysis_variant *a = &base->of->variants[i],
					      *b = analysis_find(new->of, a->variant->id, NULL);

		if (!b || !(a->reference_ns > 0 && b->reference_ns > 0) || (chosen && a != base && b != new))
			continue;
		sum += log(b->reference_ns / a->reference_ns);
		n++;
	}
	return sum / n;
}

bool between_references_agree(const struct analysis_variant *base, const struct analysis_variant *new, double ratio[2])
{
	ratio[0] = ratio[1] = NAN;
	for (size_t i = 0; i < base->of->nvariants; i++) {
		const struct analysis_variant *a = &base->of->variants[i],
					      *b = analysis_find(new->of, a->variant->id, NULL);

		if (b && a->reference_ns > 0 && b->reference_ns > 0) {
			ratio[0] = fmin(ratio[0], b->reference_ns / a->reference_ns); /* it ignores a NaN */
			ratio[1] = fmax(ratio[1], b->reference_ns / a->reference_ns);
		}
	}
	return !(ratio[1] > BETWEEN_REFERENCES_APART * ratio[0]);
}

struct between_reference between_find_reference(const struct analysis_variant *base, const struct analysis_variant *new)
{
	struct between_reference r = {.slower = NAN, .at = {1, 1}};
	double base_half = isnan(base->slope_half) ? SPEED_SLOPE_HALF : base->slope_half;
	double new_half = isnan(new->slope_half) ? SPEED_SLOPE_HALF : new->slope_half;
	double ratio[2];
	char why[160];

	if (base->of->run == new->of->run ||
	    between_loads(base->of->run, new->of->run, why, sizeof(why)) != LOADS_ALIKE ||
	    !between_references_agree(base, new, ratio))
		return r;
	r.slower = reference_ratio(base, new, true);
	if (isnan(r.slower))
		r.slower = reference_ratio(base, new, false);
	if (isnan(r.slower))
		return r;
	r.known = true;
	r.at[0] = exp(base->slope * r.slower / 2);
	r.at[1] = exp(-new->slope *r.slower / 2);
	r.apart = hypot(base_half, new_half) * fabs(r.slower) / 2;
	r.error = hypot(r.apart / STATS_Z95, hypot(base->of->speed.error, new->of->speed.error));
	return r;
}

double between_base_like(const struct analysis_variant *v, const struct analysis_variant *like)
{
	struct between_reference r = between_find_reference(like, v);

	return r.known ? v->base_ns * exp(-v->slope * r.slower) : v->base_ns;
}

struct between between_fit(const double *base_ns, const char *const *variant, size_t n, struct between otherwise)
{
	double squares = 0, freedom = 0;
	size_t most = 0;

	for (size_t from = 0, to; from < n; from = to) {
		double sum = 0;

		for (to = from; to < n && !strcmp(variant[to], variant[from]); to++)
			sum += log(base_ns[to]);
		sum /= (double)(to - from);
		for (size_t i = from; i < to; i++)
			squares += (log(base_ns[i]) - sum) * (log(base_ns[i]) - sum);
		freedom += (double)(to - from - 1);
		most = to - from > most ? to - from : most;
	}
	if (most < BETWEEN_RUNS)
		return otherwise;
	return (struct between){BETWEEN_MEASURED, 100 * sqrt(squares / freedom), most};
}

void between_widen(struct compare_overall *h, const struct between *b)
{
	double level_ns = (h->base_ns + h->new_ns) / 2, se = sqrt(2) * b->sd_pct / 100 * level_ns;
	struct stats_difference d = {.delta = h->delta_ns, .se = h->se_ns, .df = h->df};
	double all = hypot(se, h->se_ns);

	if (isnan(h->half_ns) || !(se > 0))
		return;
	if (b->source >= BETWEEN_MEASURED && se <= h->se_ns)
		return;
	if (b->source >= BETWEEN_MEASURED) {
		d.se = se;
		d.df = (double)b->runs - 1;
	} else { /* Satterthwaite: nothing was estimated of the second part */
		d.se = all;
		d.df = h->se_ns > 0 ? h->df * pow(all / h->se_ns, 4) : 1e6;
	}
	d = stats_test(d);
	h->half_ns = d.half;
	h->ci95_ns[0] = d.delta - d.half;
	h->ci95_ns[1] = d.delta + d.half;
	h->p = d.p;
}

const char *between_words(const struct between *b, char *buf, size_t size)
{
	char source[64] = "assumed";

	if (b->source == BETWEEN_MEASURED)
		snprintf(source, sizeof(source), "by %zu runs of the history", b->runs);
	else if (b->source == BETWEEN_SIDES)
		snprintf(source, sizeof(source), "by the runs of both sides");
	else if (b->source == BETWEEN_GIVEN)
		snprintf(source, sizeof(source), "as given");
	snprintf(buf, size, "%.2g %% of the base from run to run (standard deviation), %s", b->sd_pct, source);
	return buf;
}
