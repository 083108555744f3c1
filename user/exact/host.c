// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/host.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "reports/exact/exact.h"
#include "reports/run/run.h"
#include "user/exact/source.h"
#include "user/exact/vm.h"

#define VM_SECONDS "3600"
/* The windows of one variant (steps.h): without and with memory; and in the machine that counts transfers. */
#define VARIANT_S        0.4
#define MEMORY_VARIANT_S 3.7
#define SHARED_VARIANT_S 4.5

struct host {
	const struct host_options *o;
	struct run_dir dir;
	char share[PATH_MAX + 128];                              /* what the guest sees as /share */
	char wire_dir[PATH_MAX + 128], wire_end[PATH_MAX + 160]; /* where the NIC's wire ends */
	struct vm vm;
	struct wire wire;
	struct steps steps;
	size_t taken; /* windows */
	struct diag *d;
};

/* The machines that count one after the other, and the list of their windows in run.json. */
static const struct machine {
	const char *cpus, *windows;
} alone = {"1", "windows"}, shared = {"2", "shared_windows"};

/* NICs by their drivers, and as vm/run names them. */
static const struct nic {
	const char *driver, *word;
} nics[] = {{"veth", "none"},   {"virtio_net", "virtio"}, {"vmxnet3", "vmxnet3"},
	    {"e1000", "e1000"}, {"e1000e", "e1000e"},     {"igb", "igb"}};

static const char *word_of(const char *driver)
{
	for (size_t i = 0; i < sizeof(nics) / sizeof(*nics); i++)
		if (!strcmp(nics[i].driver, driver))
			return nics[i].word;
	return driver;
}

/* A shell that starts its first argument beside, and becomes the others. The machine ends when they have ended. */
#define BESIDE "sh -c \"$0\" >/dev/null 2>&1 & exec \"$@\""

static size_t add_words(const char **argv, size_t n, const char *const *words)
{
	while (*words)
		argv[n++] = *words++;
	argv[n] = NULL;
	return n;
}

static int count_in_guest(struct host *h, const struct machine *m)
{
	char plugin[sizeof(h->vm.plugin) + 32];
	const char *const machine[] = {"run", "-s",    "-k", h->vm.word, "-n", word_of(h->o->what.nic),
				       "-c",  m->cpus, "-t", VM_SECONDS, "-x", h->share,
				       "-p",  plugin,  NULL};
	const char *const wire[] = {"-w", h->wire_end, NULL}, *const beside[] = {"sh", "-c", BESIDE, h->o->beside,
										 NULL};
	const char *const self[] = {h->vm.program, "exact", GUEST_FLAG, NULL};
	const char **argv;
	size_t n = 0;
	int err;

	while (h->o->words[n])
		n++;
	argv = calloc(n + 32, sizeof(*argv));
	if (!argv)
		return diag_set(h->d, -ENOMEM, "no memory");
	snprintf(plugin, sizeof(plugin), "%s%s%s", h->vm.plugin, h->o->what.memory ? ",memory=on" : "",
		 h->o->what.memory && h->vm.wire && !h->o->what.frames ? ",device=on" : "");
	n = add_words(argv, 0, machine);
	if (h->vm.wire)
		n = add_words(argv, n, wire);
	argv[n++] = "--";
	if (h->o->beside)
		n = add_words(argv, n, beside);
	n = add_words(argv, n, self);
	add_words(argv, n, (const char *const *)h->o->words);
	setenv("TMPDIR", h->dir.at, 1); /* vm/run has its files there, and removes them */
	err = vm_run(&h->vm, argv);
	free(argv);
	return err;
}

/* The run directory */

static json_t *variant_of(json_t *variants, const char *id, const char *program)
{
	json_t *v;
	size_t i;

	json_array_foreach (variants, i, v)
		if (!strcmp(json_string_value(json_object_get(v, "id")), id))
			return v;
	v = json_pack("{s:s, s:s}", "id", id, "program", program);
	json_array_append_new(variants, v);
	return v;
}

/* Window number n of the plugin becomes blocks/N.paths, its line of facts an element of run.json. */
static int take_window(struct host *h, const struct machine *m, json_t *variants, const char *line, size_t n)
{
	char from[sizeof(h->share) + 32], to[sizeof(h->dir.at) + 64];
	json_t *facts = json_loads(line, 0, NULL);
	const char *id = json_string_value(json_object_get(facts, "variant"));
	const char *program = json_string_value(json_object_get(facts, "program"));
	json_t *v, *list;
	int err = 0;

	snprintf(from, sizeof(from), "%s/window.%zu", h->share, n);
	snprintf(to, sizeof(to), "%s/blocks/%zu.paths", h->dir.at, h->taken);
	if (!id || !program)
		err = diag_set(h->d, -EIO, "the virtual machine wrote a line that is no window");
	else if (rename(from, to))
		err = diag_set(h->d, -errno, "the emulator wrote no counts for window %zu: %s", n, strerror(errno));
	if (!err) {
		v = variant_of(variants, id, program);
		list = json_object_get(v, m->windows);
		if (!list && !json_object_set_new(v, m->windows, json_array()))
			list = json_object_get(v, m->windows);
		json_array_append_new(list, json_pack("{s:I, s:O, s:O, s:O}", "file", (json_int_t)h->taken++, "batch",
						      json_object_get(facts, "batch"), "packets",
						      json_object_get(facts, "packets"), "sent",
						      json_object_get(facts, "sent")));
	}
	json_decref(facts);
	return err;
}

static int write_run(struct host *h, json_t *variants)
{
	char path[sizeof(h->dir.at) + 16], now[32];
	time_t t = time(NULL);
	json_t *root;
	int err = 0;

	strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
	snprintf(path, sizeof(path), "%s/" EXACT_FILE, h->dir.at);
	root = json_pack("{s:s, s:s, s:s, s:O, s:s, s:s, s:s, s:O}", "schema", EXACT_SCHEMA, "made_by",
			 "xdpzoom " XDPZOOM_VERSION, "time", now, "command", h->o->command, "kernel", h->vm.kernel,
			 "nic", h->o->what.nic, "emulator", h->vm.emulator, "variants", variants);
	if (!root || json_dump_file(root, path, JSON_INDENT(1)))
		err = diag_set(h->d, -EIO, "cannot write %s: %s", path, strerror(errno));
	json_decref(root);
	return err;
}

static int take_windows(struct host *h, const struct machine *m, json_t *variants)
{
	char path[sizeof(h->share) + 32], line[512];
	size_t n = 0;
	int err = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/windows.jsonl", h->share);
	in = fopen(path, "r");
	if (!in)
		err = diag_set(h->d, -errno, "%s: %s", path, strerror(errno));
	while (!err && fgets(line, sizeof(line), in))
		err = take_window(h, m, variants, line, n++);
	if (in)
		fclose(in);
	return err;
}

static void remove_share(const struct host *h)
{
	static const char *const names[] = {"symbols", "windows.jsonl", "places", "lines"};
	char path[sizeof(h->share) + 32];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", h->share, names[i]);
		unlink(path);
	}
	rmdir(h->share);
}

static int open_wire(struct host *h)
{
	if (!strcmp(h->o->what.nic, SOURCE_VETH))
		return 0;
	snprintf(h->wire_dir, sizeof(h->wire_dir), "%s/wire", h->dir.at);
	snprintf(h->wire_end, sizeof(h->wire_end), "%s:host", h->wire_dir);
	if (mkdir(h->wire_dir, 0777))
		return diag_set(h->d, -errno, "%s: %s", h->wire_dir, strerror(errno));
	h->vm.wire = &h->wire;
	return wire_open(&h->wire, h->wire_dir, h->o->what.frames, h->d);
}

static void close_wire(struct host *h)
{
	static const char *const names[] = {"ask", "host", "rx"};
	char path[sizeof(h->wire_dir) + 8];

	wire_release(&h->wire);
	for (int i = 0; i < 3 && h->vm.wire; i++) {
		snprintf(path, sizeof(path), "%s/%s", h->wire_dir, names[i]);
		unlink(path);
	}
	if (h->vm.wire)
		rmdir(h->wire_dir);
}

/* Counts in one machine, and takes what it wrote. */
static int count_in(struct host *h, const struct machine *m, json_t *variants)
{
	int err = count_in_guest(h, m);

	return err ? err : take_windows(h, m, variants);
}

/* Lines that come from another CPU need a sender on another CPU; frames for a NIC come from no CPU of the machine. */
static int count(struct host *h)
{
	bool lab = !strcmp(h->o->what.nic, SOURCE_VETH);
	json_t *variants = json_array();
	int err = 0;

	snprintf(h->share, sizeof(h->share), "%s/share", h->dir.at);
	if (mkdir(h->share, 0777))
		err = diag_set(h->d, -errno, "%s: %s", h->share, strerror(errno));
	if (!err)
		err = vm_fetch(&h->vm, h->o->kernel, h->o->modules);
	if (!err)
		err = open_wire(h);
	if (!err)
		err = count_in(h, &alone, variants);
	close_wire(h);
	h->steps.variant_s = SHARED_VARIANT_S;
	h->steps.later_s = 0;
	if (!err && lab && h->o->what.memory && h->o->what.rungs < h->o->what.nvariants)
		err = count_in(h, &shared, variants);
	if (!err)
		err = write_run(h, variants);
	json_decref(variants);
	remove_share(h);
	return err;
}

int host_count(const struct host_options *o, struct diag *d)
{
	struct host h = {.o = o, .d = d, .vm.d = d};
	int err;

	h.vm.steps = &h.steps;
	h.steps = (struct steps){.quiet = o->quiet, .variant_s = VARIANT_S, .nvariants = o->what.nvariants};
	if (o->what.memory) {
		h.steps.variant_s = MEMORY_VARIANT_S;
		size_t shared_variants = o->what.nvariants - o->what.rungs;

		h.steps.later_s = !strcmp(o->what.nic, SOURCE_VETH) && shared_variants
					  ? steps_machine_s() + SHARED_VARIANT_S * (double)shared_variants
					  : 0;
	}
	if (o->what.own.setup || o->what.own.teardown)
		h.vm.patience_s = o->what.own.patience_s;
	h.vm.verbose = o->what.own.verbose;
	wire_init(&h.wire);
	run_dir_init(&h.dir);
	err = vm_find(&h.vm);
	if (!err)
		err = run_dir_begin(&h.dir, o->out_dir, o->force, d);
	if (err)
		return err;
	err = count(&h);
	run_dir_tell(&h.dir, d);
	if (!err)
		err = run_dir_commit(&h.dir, d);
	run_dir_abort(&h.dir);
	return err;
}
