// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "user/cli/output.h"
#include "user/machine/clock.h"
#include "user/selftest/selftest.h"
#include "reports/format/render_checks.h"
#include "user/xdpzoom.h"

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int cmd_selftest_show(const struct selftest *s, const char *format)
{
	struct output out;
	struct diag d = {};
	int err = output_open(&out, NULL, &d);

	if (err)
		return fail(&d, err);
	if (!strcmp(format, "json"))
		err = render_checks_json(out.stream, &s->checks);
	else if (!strcmp(format, "ktap"))
		err = render_checks_ktap(out.stream, &s->checks);
	else
		err = render_checks_text(out.stream, &s->checks, out.colour);
	err = output_close(&out, err, &d);
	if (err)
		return fail(&d, err);
	if (checks_count(&s->checks, CHECK_MISSED))
		return EXIT_GATE;
	return checks_count(&s->checks, CHECK_OPEN) ? EXIT_OPEN : EXIT_OK;
}

static int run_all(struct selftest *s, const char *format)
{
	int status = selftest_stats(s);

	if (!status)
		status = selftest_recordings(s);
	return status ? status : cmd_selftest_show(s, format);
}

int cmd_selftest(const struct command *c, int argc, char **argv)
{
	char temporary[] = "/tmp/xdpzoom-selftest.XXXXXX";
	const char *format = "text";
	struct selftest s = {};
	double max_time_s = 0;
	int parsed, status;

	const struct opt opts[] = {
		{"long", 'l', OPT_FLAG, &s.long_form, NULL,
		 "record longer, and compare 100 times: 20 minutes instead of two"},
		{"max-time", 't', OPT_NUMBER, &max_time_s, "S",
		 "while a bar cannot be told, record longer, for at most so many seconds in all", 0, 86400,
		 .otherwise = "600; with --long 3600"},
		{"format", 0, OPT_WORD, &format, "FORMAT", "how the result is printed",
		 .words = OPT_WORDS("text", "json", "ktap")},
		{"output", 'o', OPT_DIR, &s.dir, "DIR", "keep the recordings in DIR, which must not exist"},
		{"quiet", 'q', OPT_FLAG, &s.quiet, NULL, "no progress"},
		{},
	};

	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (s.dir ? mkdir(s.dir, 0755) : !mkdtemp(temporary))
		return complain("cannot make %s: %s", s.dir ? s.dir : temporary, strerror(errno)), EXIT_FAILED;
	stop_on_signals();
	s.until_ns = now_ns() + (uint64_t)(1e9 * (max_time_s > 0 ? max_time_s : s.long_form ? 3600 : 600));
	if (s.dir) {
		status = run_all(&s, format);
	} else {
		s.dir = temporary;
		status = run_all(&s, format);
		nftw(temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	}
	checks_release(&s.checks);
	return status;
}
