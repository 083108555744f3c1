// SPDX-License-Identifier: GPL-2.0-or-later
/* perfparse: perf's text in, nanoseconds per packet out. */
#include <errno.h>
#include <string.h>
#include "perfparse/filter.h"

enum { EXIT_OK, EXIT_FAILED, EXIT_USAGE };

static int write_out(struct filter *f)
{
	const char *path = f->o->output;
	FILE *out = path ? fopen(path, "we") : stdout;
	int err;

	if (!out)
		return diag_set(f->d, -errno, "%s: %s", path, strerror(errno));
	err = filter_render(f, out);
	errno = 0;
	if (fflush(out) && !err)
		err = errno ? -errno : -EIO;
	if (path && fclose(out) && !err)
		err = -EIO;
	return err ? diag_set(f->d, err, "%s: %s", path ? path : "stdout", strerror(-err)) : 0;
}

static int run(const struct options *o, struct diag *d)
{
	struct filter f;
	int err;

	filter_init(&f, o, d);
	err = filter_read(&f);
	if (!err)
		err = write_out(&f);
	filter_release(&f);
	return err;
}

int main(int argc, char **argv)
{
	struct diag d = {""};
	struct options o;

	if (options_read(&o, argc, argv, &d)) {
		fprintf(stderr, "perfparse: %s\nperfparse --help lists the options\n", d.text);
		return EXIT_USAGE;
	}
	if (o.help > 0) {
		options_print_help(stdout);
		return EXIT_OK;
	}
	if (o.version > 0) {
		puts("perfparse " XDPZOOM_VERSION);
		return EXIT_OK;
	}
	if (run(&o, &d)) {
		fprintf(stderr, "perfparse: %s%s%s\n", o.file ? o.file : "", o.file ? ": " : "", d.text);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
