// SPDX-License-Identifier: GPL-2.0-or-later
/* The screen that `xdpzoom demo`, which needs a lab, ends with, of a run: screen DIR [VARIANT]. */
#include <stdio.h>
#include "reports/format/format.h"

int main(int argc, char **argv)
{
	struct render_options o = {.program = "xdpzoom", .dir = "runs/demo"};
	const struct format screen = {.write = format_summary};
	const struct analysis_variant *only = NULL;
	struct analysis_options ao = {.stacks = true};
	struct components *f = NULL;
	struct diag d = {""};
	struct document doc;
	struct analysis a = {0};
	struct run r = {0};
	int err = argc < 2 || components_read(&f, "tests/synthetic.conf", &d) || run_read(&r, argv[1], &d) ||
		  analysis_build(&a, &r, argv[1], f, &ao, &d);

	if (!err && argc > 2) {
		only = analysis_find(&a, argv[2], &d);
		err = !only;
	}
	if (!err)
		err = format_write(&screen, stdout, &doc, document_of_report(&doc, &a, only), &o);
	if (err)
		fprintf(stderr, "screen: %s\n", d.text);
	analysis_release(&a);
	run_release(&r);
	components_free(f);
	return err != 0;
}
