/*
 * selftest - measures known costs on this machine and compares the results with them
 *
 * units: in the names
 * law:   each part is measured once. Those with bars that cannot be told are then measured again, three times as long,
 *        first the one that had the shortest time for each of these bars, while there is time; of an injected cost,
 *        only those that cannot be told. The last row of a bar counts
 */
#ifndef USER_SELFTEST_H
#define USER_SELFTEST_H

#include "base/base.h"
#include "reports/analysis/analysis.h"
#include "user/cli/cli.h"

struct selftest {
	bool quiet;
	const char *dir;
	uint64_t until_ns; /* on now_ns()'s clock: recordings go on until then while a bar cannot be told */
	struct checks checks;
};

int selftest_recordings(struct selftest *s); /* adds rows; an exit status */

#endif
