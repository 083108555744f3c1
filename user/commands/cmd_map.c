// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"
#include "user/map/map.h"

struct map_args {
	const char *file, *format, *output;
	const char *device; /* of which only the way through it is asked for; NULL: the whole machine */
};

/* This machine is read without a jail, a file in one. */
static int run_map(const struct map_args *a)
{
	struct json_out w = {};
	json_t *map = NULL;
	struct output o = {};
	struct diag d = {};
	int err = a->file ? jailed_output(&o, a->output, &d) : map_read(&map, &d) ?: output_open(&o, a->output, &d);

	if (err)
		goto out;
	if (a->file)
		err = map_load(&map, a->file, &d);
	if (!err && a->device)
		err = map_keep_way(map, a->device);
	if (err == -ENODEV || err == -ENOTUNIQ)
		diag_set(&d, err,
			 err == -ENODEV ? "the map has no device %s"
					: "several devices are called %s: name one as NETNS/NAME",
			 a->device);
	if (!err && !strcmp(a->format, "json")) {
		err = json_out_write(&w, json_incref(map), o.stream, JSON_INDENT(2));
	} else if (!err) {
		const struct text t = {o.stream, o.colour, o.terminal ? (size_t)o.columns : TEXT_COLUMNS};

		map_text(&t, map);
		err = render_finish(o.stream);
	}
	err = output_close(&o, err, &d);
out:
	json_decref(map);
	return err ? complain_of(&d, err) : EXIT_OK;
}

int cmd_map(const struct command *c, int argc, char **argv)
{
	struct map_args a = {.format = "text"};
	const struct opt opts[] = {
		{"FILE", 0, OPT_FILE, &a.file, NULL,
		 "a map of --format json instead of this machine; or DEV, [NETNS/]NAME: only the way through this "
		 "device",
		 .flags = OPT_ARGUMENT},
		{"DEV", 0, OPT_STRING, &a.device, NULL, "after a map: only the way through this device of it",
		 .flags = OPT_ARGUMENT},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "how the map is printed",
		 .words = OPT_WORDS("text", "json")},
		{"output", 'o', OPT_FILE, &a.output, "FILE", "write to FILE instead of standard output"},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (a.file && !a.device && access(a.file, F_OK)) { /* what is no file is the name of a device */
		a.device = a.file;
		a.file = NULL;
	}
	return run_map(&a);
}
