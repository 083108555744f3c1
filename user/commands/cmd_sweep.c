// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include "reports/format/render_sweep.h"
#include "user/cli/command_line.h"
#include "user/cli/jailed.h"
#include "user/cli/output.h"
#include "user/xdpzoom.h"

static int render(FILE *out, const struct sweep *s, const char *format, const struct render_options *o)
{
	if (!strcmp(format, "html"))
		return render_sweep_html(out, s, o);
	if (!strcmp(format, "csv"))
		return render_sweep_csv(out, s);
	return !strcmp(format, "jsonl") ? render_sweep_jsonl(out, s) : render_sweep_text(out, s);
}

static int run_sweep(const char *dir, const char *format, struct output *out, const struct render_options *o)
{
	struct diag d = {}, left_out = {};
	struct sweep s;
	int err = sweep_read(&s, dir, &d);

	if (err)
		return fail(&d, err);
	if (sweep_left_out(dir, &left_out))
		complain("%s", left_out.text);
	err = output_close(out, render(out->stream, &s, format, o), &d);
	sweep_release(&s);
	return err ? fail(&d, err) : EXIT_OK;
}

int cmd_sweep(const struct command *c, int argc, char **argv)
{
	const char *dir = NULL, *format = "text", *output = NULL;
	const struct opt opts[] = {
		{"DIR", 0, OPT_DIR, &dir, NULL, "the directory that record --sweep made",
		 .flags = OPT_ARGUMENT | OPT_REQUIRED},
		{"format", 'f', OPT_WORD, &format, "NAME", "how it is written",
		 .words = OPT_WORDS("text", "csv", "jsonl", "html")},
		{"output", 'o', OPT_FILE, &output, "FILE", "where it is written", .otherwise = "standard output"},
		{},
	};
	char command[4096];
	const struct render_options o = {.command = command};
	struct output out;
	struct diag d = {};
	int parsed, err;

	command_line_words(command, sizeof(command), argc, argv);
	parsed = opts_parse(c, opts, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	if (output_check(output, &d))
		return complain("%s", d.text), EXIT_USAGE;
	err = jailed_output(&out, output, &d);
	if (err)
		return fail(&d, err);
	return run_sweep(dir, format, &out, &o);
}
