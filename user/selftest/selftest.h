/*
 * selftest - measures known costs on this machine and compares the results with them
 *
 * units: in the names
 * law:   each part is recorded for 12 s. Its intervals tell how long its bars need, as they narrow with the root of the
 *        time. Then the part that needs least is recorded for so long, but no longer than its share of the time that
 *        is left; of injected costs, only those that do not hold. Recordings of a part are averaged by their intervals
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
