// SPDX-License-Identifier: GPL-2.0-or-later
/* perfparse: perf's text in, nanoseconds per packet out. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/complain.h"
#include "base/opts.h"
#include "perfparse/filter.h"

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
	static char name[] = "perfparse";
	struct diag d = {""};
	struct options o;
	int parsed;

	program_invocation_short_name = name; /* messages and usage name the program even if a link started it */
	parsed = options_read(&o, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (run(&o, &d)) {
		complain("%s%s%s", o.file ? o.file : "", o.file ? ": " : "", d.text);
		return EXIT_FAILED;
	}
	return EXIT_OK;
}
