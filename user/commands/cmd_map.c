// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/jail.h"
#include "base/sheet/json_out.h"
#include "user/cli/jailed.h"
#include "user/commands/map_costs.h"
#include "user/map/map.h"
#include "user/xdpzoom.h"

struct map_args {
	const char *file, *newer, *format, *output;
	struct opt_list costs;
	bool diff;
};

/* The process of dot reads what anybody may have named a device, and needs nothing of this machine. */
static void draw(int in, int out)
{
	struct diag d = {};

	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (jail_enter(JAIL_STARTS, -1, 0, &d))
		fprintf(stderr, "xdpzoom: %s\n", d.text);
	else
		execlp("dot", "dot", "-Tsvg", (char *)NULL);
	_exit(127);
}

static int map_svg(FILE *out, const json_t *map, struct diag *d)
{
	FILE *words = tmpfile();
	int status = -1;
	pid_t pid;

	if (!words)
		return diag_set(d, -errno, "cannot make a temporary file: %s", strerror(errno));
	map_dot(words, map);
	if (fflush(words) || fflush(out)) {
		fclose(words);
		return diag_set(d, -EIO, "cannot write the map");
	}
	rewind(words);
	pid = fork();
	if (!pid)
		draw(fileno(words), fileno(out));
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	fclose(words);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return diag_set(d, -EOPNOTSUPP,
				"--format svg needs the program dot (Debian: graphviz); --format dot does not");
	return status ? diag_set(d, -EIO, "dot could not draw the map") : 0;
}

static int write_json(FILE *out, json_t *o)
{
	struct json_out w = {};

	return json_out_write(&w, json_incref(o), out, JSON_INDENT(2));
}

static int write_map(struct output *o, const struct map_args *a, json_t *map, struct diag *d)
{
	const struct text t = {o->stream, o->colour, o->terminal ? (size_t)o->columns : TEXT_COLUMNS};

	if (!strcmp(a->format, "json"))
		return write_json(o->stream, map);
	if (!strcmp(a->format, "svg"))
		return map_svg(o->stream, map, d);
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

/* This machine is read before the jail closes, and files after that. */
static int run_map(const struct map_args *a, bool *differ)
{
	bool live = !a->file || (a->diff && !a->newer);
	json_t *here = NULL, *map = NULL, *newer = NULL, *diff;
	struct output o = {};
	struct diag d = {};
	int err = live ? map_read(&here, &d) : 0;

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
		err = write_map(&o, a, map ?: here, &d);
	}
	err = output_close(&o, err, &d);
out:
	json_decref(here);
	json_decref(map);
	json_decref(newer);
	return err ? fail(&d, err) : EXIT_OK;
}

static int check_map(const struct map_args *a)
{
	bool drawn = !strcmp(a->format, "dot") || !strcmp(a->format, "svg");

	if (a->newer && !a->diff)
		return complain("two maps need --diff"), -1;
	if (a->diff && !a->file)
		return complain("--diff needs a map: xdpzoom map --diff OLD.json [NEW.json]"), -1;
	if (a->diff && drawn)
		return complain("--diff is printed as text or json"), -1;
	if (a->costs.n && a->diff)
		return complain("--cost is for one map; leave --diff out"), -1;
	if ((a->file || a->costs.n) && !strcmp(a->format, "svg"))
		return complain("--format svg draws this machine; with files take --format dot, and pipe it to dot "
				"-Tsvg"),
		       -1;
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
		 .words = OPT_WORDS("text", "json", "dot", "svg")},
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
