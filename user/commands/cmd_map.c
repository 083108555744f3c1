// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/cli/cli.h"
#include "user/map/map.h"

/* The label of the namespace; NULL: the map has none of that name, or no reader's own. */
static const char *find_space(const json_t *map, const char *name, size_t length)
{
	json_t *space;
	size_t i;

	json_array_foreach (json_object_get(map, "namespaces"), i, space) {
		const char *label = json_text_of(space, "namespace");

		if (length ? strlen(label) == length && !strncmp(label, name, length)
			   : json_is_true(json_object_get(space, "here")))
			return label;
	}
	return NULL;
}

static json_t *find_device(const json_t *map, const char *space, const char *name)
{
	json_t *device, *found = NULL;
	size_t i;

	json_array_foreach (json_object_get(map, "devices"), i, device) {
		if (strcmp(json_text_of(device, "namespace"), space) || strcmp(json_text_of(device, "name"), name))
			continue;
		if (found) /* two names that are no UTF-8 look the same: it may be of either */
			return NULL;
		found = device;
	}
	return found;
}

/* Adds to one of the lists of a device, which owns the row then. */
static int add_row(json_t *map, const char *space, const char *device, const char *list, json_t *row)
{
	json_t *to = find_device(map, space, device), *rows = json_object_get(to, list);
	char words[400];

	if (to && !rows) {
		rows = json_array();
		json_object_set_new(to, list, rows);
	} else if (!to) {
		snprintf(words, sizeof(words), "%s of %.64s, which is not one device of %.64s", list, device, space);
		json_decref(row);
		row = json_text_string(words);
		rows = json_object_get(map, "unknown");
	}
	return row && rows && !json_array_append_new(rows, row) ? 0 : -ENOMEM;
}

static json_t *cost_row(const char *of, double pps, double ns, double half, double busy_pct)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o}", "of", json_text_string(of), "pps", json_out_value(pps),
			 "ns_per_packet", json_out_value(ns), "ns_per_packet_half", json_out_value(half), "busy_pct",
			 json_out_value(busy_pct));
}

static int add_run(json_t *map, const char *space, const char *path, size_t *n, struct diag *d)
{
	const struct analysis_options o = {};
	struct loaded_run l;
	int err = loaded_run_open(&l, path, NULL, &o, d);

	if (err)
		return err;
	for (size_t i = 0; i < l.analysis.nvariants && !err; i++) {
		const struct analysis_variant *v = &l.analysis.variants[i];

		if (!v->nused)
			continue;
		err = add_row(map, space, l.run.facts.device ?: "", "costs",
			      cost_row(v->variant->id, v->pps, v->base_ns, v->half_ns, v->busy_pct));
		++*n;
	}
	loaded_run_release(&l);
	return err ? diag_set(d, err, "no memory") : 0;
}

/* The last line of each device by its name, and of queues by "", which no device is called. */
static int read_lines(json_t *last, FILE *in, const char *path, struct diag *d)
{
	size_t size = 0, number = 0;
	char *line = NULL;
	ssize_t length;
	int err = 0;

	while (!err && (length = getline(&line, &size, in)) >= 0) {
		json_t *o = json_loadb(line, (size_t)length, JSON_REJECT_DUPLICATES, NULL);
		const char *schema = json_text_of(o, "schema"), *device = json_text_of(o, "device");

		number++;
		if (!json_is_object(o))
			err = diag_set(d, -EINVAL, "%s: line %zu is no line of watch -f jsonl, and %s is no run", path,
				       number, path);
		else if (!strcmp(schema, "xdpzoom.watch/1") && *device)
			json_object_set(last, device, o);
		else if (!strcmp(schema, "xdpzoom.watch-queues/1") && json_is_array(json_object_get(o, "queues")))
			json_object_set(last, "", o);
		json_decref(o);
	}
	if (!err && ferror(in))
		err = diag_set(d, -EIO, "%s: %s", path, strerror(errno));
	free(line);
	return err;
}

static int add_lines(json_t *map, const char *space, const char *path, size_t *n, struct diag *d)
{
	FILE *in = fopen(path, "re");
	json_t *last = json_object(), *line, *queue;
	const char *device;
	size_t i;
	int err = in ? read_lines(last, in, path, d) : diag_set(d, -errno, "%s: %s", path, strerror(errno));

	json_object_foreach (err ? NULL : last, device, line) {
		if (err || !*device)
			continue;
		err = add_row(map, space, device, "costs",
			      cost_row("watch", json_text_number(line, "pps"), json_text_number(line, "ns_per_packet"),
				       json_text_number(line, "ns_per_packet_half"),
				       json_text_number(line, "busy_pct")));
		++*n;
	}
	json_array_foreach (err ? NULL : json_object_get(json_object_get(last, ""), "queues"), i, queue)
		if (!err && *json_text_of(queue, "device"))
			err = add_row(map, space, json_text_of(queue, "device"), "queues", json_incref(queue));
	if (in)
		fclose(in);
	json_decref(last);
	return err == -ENOMEM ? diag_set(d, err, "no memory") : err;
}

/*
 * [NAMESPACE=]PATH, a run directory, or lines of watch -f jsonl, of which each device's last one counts. Members
 * "costs" and "queues" of the map's devices; what has no device there stands under "unknown".
 */
static int map_costs_add(json_t *map, const char *words, struct diag *d)
{
	const char *equals = strchr(words, '='), *path = words, *space;
	struct stat st;
	size_t n = 0;
	int err;

	/* A path may hold "=", too. */
	if (equals && stat(words, &st))
		path = equals + 1;
	space = find_space(map, words, path == words ? 0 : (size_t)(equals - words));
	if (!space)
		return path == words
			       ? diag_set(d, -ENOENT,
					  "--cost %s: the map does not show the owner of these devices; name them: "
					  "--cost NAMESPACE=%s",
					  words, words)
			       : diag_set(d, -ENOENT, "--cost %s: the map has no namespace %.*s", words,
					  (int)(equals - words), words);
	err = !stat(path, &st) && S_ISDIR(st.st_mode) ? add_run(map, space, path, &n, d)
						      : add_lines(map, space, path, &n, d);
	return !err && !n ? diag_set(d, -ENODATA, "%s: there is no cost of a device in it", path) : err;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

struct map_args {
	const char *file, *newer, *format, *output;
	const char *device; /* of which only the way through it is asked for; NULL: the whole machine */
	struct opt_list costs;
	bool diff;
};

static int write_json(FILE *out, json_t *o)
{
	struct json_out w = {};

	return json_out_write(&w, json_incref(o), out, JSON_INDENT(2));
}

static int write_map(struct output *o, const struct map_args *a, json_t *map)
{
	const struct text t = {o->stream, o->colour, o->terminal ? (size_t)o->columns : TEXT_COLUMNS};

	if (!strcmp(a->format, "json"))
		return write_json(o->stream, map);
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

/* This machine is read before the jail closes; files are read after that. */
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
	if (!err && a->device)
		err = map_keep_way(map ?: here, a->device);
	if (err == -ENODEV || err == -ENOTUNIQ)
		diag_set(&d, err,
			 err == -ENODEV ? "the map has no device %s"
					: "several devices are called %s: name one as NETNS/NAME",
			 a->device);
	if (!err && a->newer)
		err = map_load(&newer, a->newer, &d);
	if (!err && a->diff) {
		diff = map_diff(map, newer ?: here);
		err = write_diff(&o, a, diff, differ);
		json_decref(diff);
	} else if (!err) {
		err = write_map(&o, a, map ?: here);
	}
	err = output_close(&o, err, &d);
out:
	json_decref(here);
	json_decref(map);
	json_decref(newer);
	return err ? complain_of(&d, err) : EXIT_OK;
}

/* What is no file is the name of a device. */
static int check_map(struct map_args *a)
{
	const char **last = a->newer ? &a->newer : &a->file;

	if (!a->diff && *last && access(*last, F_OK)) {
		a->device = *last;
		*last = NULL;
	}
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
		{"FILE", 0, OPT_FILE, &a.file, NULL,
		 "a map of --format json instead of this machine; or DEV, [NETNS/]NAME: only the way through this "
		 "device",
		 .flags = OPT_ARGUMENT},
		{"NEW", 0, OPT_FILE, &a.newer, NULL,
		 "with --diff: the newer map; without it, this machine as it is now; after a map also DEV",
		 .flags = OPT_ARGUMENT},
		{"cost", 0, OPT_LIST, &a.costs, "[NETNS=]RUN",
		 "what packets cost and where they wait: a run directory, or a file of watch -f jsonl",
		 .otherwise = "nothing"},
		{"diff", 0, OPT_FLAG, &a.diff, NULL, "what differs from FILE; exit status 3 when something does"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "how the map is printed",
		 .words = OPT_WORDS("text", "json", "dot")},
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
