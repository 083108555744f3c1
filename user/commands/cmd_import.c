// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/import/import.h"
#include "user/cli/cli.h"

struct import_args {
	struct import_from from;
	const char *output, *time;
	int cpu;
	bool list, force;
	struct opt_list about;
	char about_text[6][256];
};

static int cmd_import_check(struct import_args *a, struct diag *d)
{
	static const char *const names[] = {"kernel=", "driver=", "nic=", "cpu=", "source=", "date="};
	const char **values[] = {&a->from.kernel,    &a->from.driver, &a->from.nic,
				 &a->from.cpu_model, &a->from.source, &a->from.date};
	struct run_variant v = {};
	int which = -1;

	/* "kernel=6.12,source=A, B and C, 2021": what is no NAME= goes on with the comma of the item before. */
	for (size_t i = 0; i < a->about.n; i++) {
		const char *item = a->about.items[i];
		int named = 5;

		while (named >= 0 && strncmp(item, names[named], strlen(names[named])) != 0)
			named--;
		if (named < 0 && which < 0)
			return diag_set(d, -EINVAL,
					"--about %s: NAME=TEXT with kernel, driver, nic, cpu, source or date", item);
		if (named >= 0) {
			which = named;
			*a->about_text[which] = '\0';
		}
		listed_add(a->about_text[which], sizeof(a->about_text[which]), ",", "%s",
			   named < 0 ? item : item + strlen(names[named]));
		*values[which] = a->about_text[which];
	}
	if (a->list)
		return a->from.file ? 0 : diag_set(d, -EINVAL, "--list needs a FILE");
	if (!a->output || !a->from.variant)
		return diag_set(d, -EINVAL, "--output and --variant are needed");
	if (a->from.pps > 0 && a->from.ns > 0)
		return diag_set(d, -EINVAL, "only one of --pps and --ns");
	if (!a->from.file && !(a->from.pps > 0) && !(a->from.ns > 0))
		return diag_set(d, -EINVAL, "what did a packet cost? give --pps or --ns");
	if (a->from.table && !a->from.file)
		return diag_set(d, -EINVAL, "--table needs a FILE");
	return run_variant_parse(&v, a->from.variant, d);
}

/* perf has to read a perf.data before the jail is closed. misuse: the error is one of the command line. */
static int cmd_import_open_data(struct import_args *a, struct perf_data *data, bool *misuse, struct diag *d)
{
	const struct perf_data_from from = {a->from.file, a->cpu, a->time};
	char words[600], why[sizeof(d->text)];
	int err = a->from.file ? perf_data_open(data, &from, d) : 0;

	if (err) {
		memcpy(why, d->text, sizeof(why));
		return diag_replace(d, err, "%s: %s", a->from.file, why);
	}
	*misuse = !data->text && (a->cpu >= 0 || a->time);
	if (*misuse)
		return diag_set(d, -EINVAL, "--cpu and --time are for a perf.data");
	if (perf_data_words(data, words, sizeof(words)))
		complain("%s: %s", a->from.file, words);
	a->from.data = data;
	return 0;
}

int cmd_import(const struct command *c, int argc, char **argv)
{
	struct import_args a = {.cpu = -1};
	const struct opt opts[] = {
		{"FILE", 0, OPT_FILE, &a.from.file, NULL,
		 "perf report, perf script, perf stat, perf.data, a document with such tables, or rates of xdp-bench "
		 "and others",
		 .otherwise = "none: a rate alone", .flags = OPT_ARGUMENT},
		{"output", 'o', OPT_DIR, &a.output, "DIR", "the run directory to make", .otherwise = "none"},
		{"variant", 'V', OPT_STRING, &a.from.variant, "VARIANT",
		 "what was measured, such as drop/read-data@skb", .otherwise = "none"},
		{"pps", 'p', OPT_NUMBER, &a.from.pps, "N", "packets per second on the CPU of the profile", 1, 1e12},
		{"ns", 0, OPT_NUMBER, &a.from.ns, "N", "or: nanoseconds per packet", 1e-3, 1e9},
		{"list", 0, OPT_FLAG, &a.list, NULL, "only list the tables and measurements of FILE"},
		{"table", 0, OPT_INT, &a.from.table, "N", "which table or measurement of FILE, by --list", 1, 100000,
		 .otherwise = "the only one"},
		{"event", 'e', OPT_STRING, &a.from.event, "NAME",
		 "which event, where the text has several; cycles means cycles:k too", .otherwise = "the only one"},
		{"samples", 0, OPT_INT, &a.from.samples, "N", "number of samples of a table that does not state it", 1,
		 2147483647, .otherwise = "as in the text"},
		{"as-time", 0, OPT_FLAG, &a.from.as_time, NULL,
		 "take shares of an event that is no time as shares of the time"},
		{"cpu", 'C', OPT_INT, &a.cpu, "N", "only this CPU of a perf.data", 0, 65535,
		 .otherwise = "all of them"},
		{"time", 0, OPT_STRING, &a.time, "FROM,TO",
		 "only this time of a perf.data, as perf script --time takes it", .otherwise = "all of it"},
		{"window", 0, OPT_NUMBER, &a.from.window_s, "SECONDS",
		 "the time that perf recorded an event that is no time", 1e-3, 1e9, .otherwise = "not known"},
		{"about", 0, OPT_LIST, &a.about, "LIST",
		 "what is known of it: kernel=, driver=, nic=, cpu= (its model), source=, date=",
		 .otherwise = "what the text contains"},
		{"force", 0, OPT_FLAG, &a.force, NULL, "replace a run directory"},
		{},
	};
	json_t *command = command_line(argc, argv); /* before the parser changes the order of the words */
	struct perf_data data = {};
	struct import m = {};
	struct run_dir dir;
	struct diag d = {};
	int parsed = opts_parse(c, opts, argc, argv), err;
	bool misuse = false;

	if (parsed || cmd_import_check(&a, &d)) {
		json_decref(command);
		if (parsed)
			return opts_exit(parsed);
		return complain_of(&d, -EINVAL), EXIT_USAGE;
	}
	err = cmd_import_open_data(&a, &data, &misuse, &d) ?: jailed_run(&dir, a.list ? NULL : a.output, a.force, &d);
	if (!err && !command)
		err = diag_set(&d, -ENOMEM, "out of memory");
	if (!err)
		err = import_read(&m, &a.from, &d);
	if (*m.undressed)
		complain("the text is read without %s", m.undressed);
	if (!err && a.list)
		import_list(stdout, &m);
	else if (!err)
		err = import_write(&m, &dir, command, &d);
	if (!err && *m.left_out)
		complain("%s", m.left_out);
	json_decref(command);
	import_release(&m);
	perf_data_release(&data);
	if (misuse)
		return complain_of(&d, err), EXIT_USAGE;
	return err ? complain_of(&d, err) : a.list ? opts_exit(OPTS_DONE) : EXIT_OK;
}
