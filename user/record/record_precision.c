// SPDX-License-Identifier: GPL-2.0-or-later
/* Looks at the run recorded so far the way a report would; record.h has the contract. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include "reports/compare/precision.h"
#include "user/record/record.h"

int record_precise(struct recorder *r, bool *enough, struct diag *d)
{
	const struct analysis_options plain = {};
	struct precision p;
	struct analysis a;
	int err = 0;

	*enough = false;
	if (!r->facilities)
		err = facilities_read(&r->facilities, NULL, d);
	if (!err)
		err = analysis_build(&a, &r->run, r->dir.at, r->facilities, &plain, d);
	if (err)
		return err;
	err = precision_widest(&p, &a);
	if (err)
		diag_set(d, err, "no memory");
	else
		snprintf(r->widest, sizeof(r->widest), p.base ? "%s less %s" : "%s%s", p.new, p.base ? p.base : "");
	analysis_release(&a);
	if (err)
		return err;
	r->run.precision_reached_pct = isfinite(p.widest_pct) ? p.widest_pct : NAN;
	*enough = p.widest_pct <= r->o->precision_pct;
	return 0;
}
