// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record.h"

#define KNOWN  0.5        /* of the budget: an interval that counts as much as what was known before */
#define SPREAD (1 / 12.0) /* there are at least two of them for any rate between the two limits */

static double within(double hz, double lowest, double highest)
{
	return fmax(lowest, fmin(highest, hz));
}

double sampling_affordable_hz(double cost_ns, double budget_pct)
{
	return cost_ns > 0 ? within(budget_pct / 100 * 1e9 / cost_ns, SAMPLING_LOWEST, SAMPLING_HIGHEST)
			   : SAMPLING_HIGHEST;
}

double sampling_cost_ns(double cost_ns, double pct, double half_pct, double hz, double budget_pct)
{
	double ns = 1e9 / 100 / hz, known = KNOWN * budget_pct;

	if (!(half_pct > 0 && hz > 0)) /* nothing is known */
		return cost_ns;
	cost_ns = within(cost_ns, fmax(0, pct - half_pct) * ns, fmax(0, pct + half_pct) * ns);
	return cost_ns + (fmax(0, pct) * ns - cost_ns) * known * known / (known * known + half_pct * half_pct);
}

double sampling_needed_hz(const struct sampling_seen *seen, size_t n, double seconds, double hz, double after_s)
{
	const double z = STATS_Z95 / SAMPLING_HALF;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double wanted = z * z * (1 - seen[i].part) / seen[i].part * seen[i].effect;

		if (seen[i].part > 0 && seen[i].samples > 0)
			most = fmax(most, hz * wanted / seen[i].samples * seconds / after_s);
	}
	return most;
}

double sampling_next_hz(double hz, double needed_hz, double affordable_hz)
{
	double next = needed_hz > 0 ? fmin(needed_hz, affordable_hz) : affordable_hz;

	return within(within(next, hz / 2, hz * 2), SAMPLING_LOWEST, SAMPLING_HIGHEST);
}

static bool is_prime(int n)
{
	for (int i = 2; i * i <= n; i++)
		if (n % i == 0)
			return false;
	return n > 1;
}

int sampling_round_hz(double target_hz, int round)
{
	int low = (int)ceil(target_hz * (1 - SPREAD)), high = (int)(target_hz * (1 + SPREAD)), n = 0, at;

	for (int hz = low; hz <= high; hz++)
		n += is_prime(hz);
	/* Every second one, and then those between, so that successive rates are further apart than neighbours are. */
	at = n ? 2 * (round % n) : 0;
	at -= at < n ? 0 : (n - 1) | 1;
	for (int hz = low; hz <= high; hz++)
		if (is_prime(hz) && !at--)
			return hz;
	return (int)target_hz;
}
