// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * costs - the ns per packet of each function in the text of perf report, by libperfparse
 * usage: costs NS-PER-PACKET <REPORT
 *
 * cc -o costs costs.c $(pkg-config --cflags --libs perfparse)
 */
#include <stdio.h>
#include <stdlib.h>
#include "perfparse/perfparse.h"

/* Returns 0 or -errno, with a sentence in *why. */
static int print_costs(FILE *in, double base_ns, struct diag *why)
{
	const struct report_filter all = {.cpu = -1};
	struct facilities *rules = NULL;
	struct linescan lines;
	struct profile profile;
	struct cost_table costs;
	int err;

	linescan_init(&lines, in);
	profile_init(&profile);
	cost_table_init(&costs);
	err = facilities_read(&rules, NULL, why); /* NULL: those that come with the library */
	if (!err)
		err = report_read(&profile, &lines, &all, why);
	if (!err)
		err = cost_table_build(&costs, &profile, rules, base_ns, why);
	for (size_t i = 0; i < costs.nrows; i++)
		printf("%6.1f  %-16s %s\n", costs.rows[i].self_ns, facilities_name(rules, costs.rows[i].facility),
		       costs.rows[i].name);
	cost_table_release(&costs);
	profile_release(&profile);
	linescan_release(&lines);
	facilities_free(rules);
	return err;
}

int main(int argc, char **argv)
{
	struct diag why = {0};
	double base_ns = argc == 2 ? strtod(argv[1], NULL) : 0;

	if (!(base_ns > 0)) {
		fprintf(stderr, "usage: costs NS-PER-PACKET <REPORT\n");
		return 2;
	}
	if (print_costs(stdin, base_ns, &why)) {
		fprintf(stderr, "costs: %s\n", why.text);
		return 1;
	}
	return 0;
}
