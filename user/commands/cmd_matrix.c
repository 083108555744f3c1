// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "reports/format/render_matrix.h"
#include "reports/run/run.h"
#include "user/cli/output.h"
#include "user/commands/matrix_jobs.h"
#include "user/xdpzoom.h"

static void otherwise(struct opt_list *l, const char *const *words)
{
	for (size_t i = 0; words[i] && (i || !l->n); i++)
		l->items[l->n++] = words[i];
}

static int cmd_matrix_check(const struct opt_list *kernels, const struct opt_list *variants, struct diag *d)
{
	struct run_variant v;
	int err = 0;

	for (size_t i = 0; i < variants->n && !err; i++)
		err = run_variant_parse(&v, variants->items[i], d);
	for (size_t i = 0; i < kernels->n && !err; i++)
		for (size_t k = 0; k < i && !err; k++)
			if (!strcmp(kernels->items[i], kernels->items[k]))
				err = diag_set(d, -EINVAL, "kernel %s is named twice", kernels->items[i]);
	return err;
}

int cmd_matrix(const struct command *c, int argc, char **argv)
{
	struct opt_list kernels = {}, drivers = {}, variants = {};
	struct matrix_options o = {.jobs = 1};
	const char *format = "text", *file = NULL;
	struct matrix m = {};
	struct output out;
	struct diag d = {};
	size_t failed = 0;
	int parsed, err;
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &o.out_dir, "DIR",
		 "the folder of all runs; what is there is not counted again", .flags = OPT_REQUIRED},
		{"kernels", 'k', OPT_LIST, &kernels, "LIST",
		 "kernels, the oldest first: words as of exact, files, trees", .otherwise = "6.1,newest"},
		{"nics", 'n', OPT_LIST, &drivers, "LIST", "drivers that receive",
		 .words = OPT_WORDS("veth", "virtio_net", "vmxnet3", "e1000", "e1000e", "igb"),
		 .otherwise = "veth,virtio_net,vmxnet3"},
		{"variants", 'V', OPT_LIST, &variants, "LIST", "what to count",
		 .otherwise = "drop/no-touch@native,drop/no-touch@skb"},
		{"jobs", 'j', OPT_INT, &o.jobs, "N", "virtual machines at a time", 1, 64},
		{"memory", 0, OPT_FLAG, &o.memory, NULL, "count loads, stores and lines too: three times as long"},
		{"build", 0, OPT_FLAG, &o.build, NULL, "build what is missing or old in trees"},
		{"look", 0, OPT_FLAG, &o.look, NULL, "count nothing, print what is there"},
		{"format", 'f', OPT_WORD, &format, "FORMAT", "how the table is printed",
		 .words = OPT_WORDS("text", "json", "csv")},
		{"table", 't', OPT_FILE, &file, "FILE", "where to write the table", .otherwise = "standard output"},
		{"quiet", 'q', OPT_FLAG, &o.quiet, NULL, "no progress"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	stop_on_signals();
	otherwise(&kernels, OPT_WORDS("6.1", "newest"));
	otherwise(&drivers, OPT_WORDS("veth", "virtio_net", "vmxnet3"));
	otherwise(&variants, OPT_WORDS("drop/no-touch@native", "drop/no-touch@skb"));
	if (cmd_matrix_check(&kernels, &variants, &d))
		return complain("%s", d.text), EXIT_USAGE;
	m = (struct matrix){kernels.items, drivers.items, variants.items, kernels.n, drivers.n, variants.n, NULL};
	err = matrix_init(&m);
	if (!err)
		err = matrix_jobs_run(&m, &o, &failed, &d);
	matrix_compare(&m);
	if (!err)
		err = output_open(&out, file, &d);
	if (!err)
		err = output_close(&out,
				   (*format == 't'   ? render_matrix_text
				    : *format == 'j' ? render_matrix_json
						     : render_matrix_csv)(out.stream, &m),
				   &d);
	matrix_release(&m);
	return err ? fail(&d, err) : failed ? EXIT_FAILED : EXIT_OK;
}
