// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <stdlib.h>
#include "base/sheet/json_out.h"
#include "reports/page/page_map.h"
#include "user/cli/jailed.h"
#include "user/commands/map_costs.h"
#include "user/map/map.h"
#include "user/map/map_draw.h"
#include "user/xdpzoom.h"

struct map_args {
	const char *file, *newer, *format, *output;
	struct opt_list costs;
	bool diff;
};

static int write_json(FILE *out, json_t *o)
{
	struct json_out w = {};

	return json_out_write(&w, json_incref(o), out, JSON_INDENT(2));
}

static bool has_picture(const struct map_args *a)
{
	return !strcmp(a->format, "svg") || !strcmp(a->format, "html");
}

/* The tree on a page is as wide as in a pipe. */
static int write_page(FILE *out, const json_t *map, const char *svg, struct diag *d)
{
	char *tree = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&tree, &size);
	int err = to ? 0 : -ENOMEM;

	if (to) {
		map_text(&(struct text){.out = to, .columns = TEXT_COLUMNS}, map);
		err = fclose(to) ? -ENOMEM : page_map(out, map, svg, tree);
	}
	free(tree);
	return err ? diag_set(d, err, "%s", strerror(-err)) : 0;
}

static int write_map(struct output *o, const struct map_args *a, json_t *map, struct map_drawer *drawer, struct diag *d)
{
	const struct text t = {o->stream, o->colour, o->terminal ? (size_t)o->columns : TEXT_COLUMNS};
	char *svg = NULL;
	int err;

	if (!strcmp(a->format, "json"))
		return write_json(o->stream, map);
	if (has_picture(a)) {
		err = map_draw(drawer, map, &svg, d);
		if (!err && !strcmp(a->format, "html"))
			err = write_page(o->stream, map, svg, d);
		else if (!err)
			fputs(svg, o->stream);
		free(svg);
		return err ? err : render_finish(o->stream);
	}
	if (!strcmp(a->format, "dot"))
		map_dot(o->stream, map);
	else
		map_text(&t, map);
	return render_finish(o->stream);
}

static int write_diff(struct output *o, const struct map_args *a, json_t *diff, bool *differ)
{
	static const struct {
		const char *list, *sign;
	} lists[] = {{"gone", "-"}, {"new", "+"}, {"changed", "~"}};
	const struct text t = {o->stream, o->colour, 0};
	json_t *words;
	size_t i;

	for (size_t k = 0; k < 3; k++) {
		json_t *list = json_object_get(diff, lists[k].list);

		*differ |= json_array_size(list) > 0;
		json_array_foreach (!strcmp(a->format, "text") ? list : NULL, i, words)
			text_styled(&t, TEXT_PLAIN, "%s %s\n", lists[k].sign, json_string_value(words));
	}
	return strcmp(a->format, "text") ? write_json(o->stream, diff) : render_finish(o->stream);
}

/* This machine is read, and the program of a picture started, before the jail closes; files are read after that. */
static int run_map(const struct map_args *a, bool *differ)
{
	bool live = !a->file || (a->diff && !a->newer);
	json_t *here = NULL, *map = NULL, *newer = NULL, *diff;
	struct map_drawer drawer = {.svg = -1};
	struct output o = {};
	struct diag d = {};
	int err = live ? map_read(&here, &d) : 0;

	if (!err && has_picture(a))
		err = map_draw_begin(&drawer, &d);
	if (!err)
		err = a->file || a->costs.n ? jailed_output(&o, a->output, &d) : output_open(&o, a->output, &d);
	if (err)
		goto out;
	if (a->file)
		err = map_load(&map, a->file, &d);
	for (size_t i = 0; i < a->costs.n && !err; i++)
		err = map_costs_add(map ?: here, a->costs.items[i], &d);
	if (!err && a->newer)
		err = map_load(&newer, a->newer, &d);
	if (!err && a->diff) {
		diff = map_diff(map, newer ?: here);
		err = write_diff(&o, a, diff, differ);
		json_decref(diff);
	} else if (!err) {
		err = write_map(&o, a, map ?: here, &drawer, &d);
	}
	err = output_close(&o, err, &d);
out:
	map_draw_release(&drawer);
	json_decref(here);
	json_decref(map);
	json_decref(newer);
	return err ? fail(&d, err) : EXIT_OK;
}

static int check_map(const struct map_args *a)
{
	if (a->newer && !a->diff)
		return complain("two maps need --diff"), -1;
	if (a->diff && !a->file)
		return complain("--diff needs a map: xdpzoom map --diff OLD.json [NEW.json]"), -1;
	if (a->diff && strcmp(a->format, "text") != 0 && strcmp(a->format, "json") != 0)
		return complain("--diff is printed as text or json"), -1;
	if (a->costs.n && a->diff)
		return complain("--cost is for one map; leave --diff out"), -1;
	return 0;
}

int cmd_map(const struct command *c, int argc, char **argv)
{
	struct map_args a = {.format = "text"};
	const struct opt opts[] = {
		{"FILE", 0, OPT_FILE, &a.file, NULL, "a map of --format json instead of this machine",
		 .flags = OPT_ARGUMENT},
		{"NEW", 0, OPT_FILE, &a.newer, NULL,
		 "with --diff: the newer map; without it, this machine as it is now", .flags = OPT_ARGUMENT},
		{"cost", 'c', OPT_LIST, &a.costs, "[NETNS=]RUN",
		 "what packets cost and where they wait: a run directory, or a file of watch -f jsonl",
		 .otherwise = "nothing"},
		{"diff", 0, OPT_FLAG, &a.diff, NULL, "what differs from FILE; exit status 3 when something does"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "how the map is printed",
		 .words = OPT_WORDS("text", "json", "dot", "svg", "html")},
		{"output", 'o', OPT_FILE, &a.output, "FILE", "write to FILE instead of standard output"},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv), status;
	bool differ = false;

	if (parsed)
		return opts_exit(parsed);
	if (check_map(&a))
		return EXIT_USAGE;
	status = run_map(&a, &differ);
	return status == EXIT_OK && differ ? EXIT_GATE : status;
}
