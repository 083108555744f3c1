// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <argz.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include "reports/exact/exact.h"
#include "vm/plugin/plugin.h"

#define VM_SECONDS        "3600"
#define MAX_COMMAND_FILES 16
#define MAX_NAME          127 /* bytes of the name of a function */
#define MAX_COUNT         1000000000
#define MAX_LINES_BYTES   (1 << 20) /* of windows.jsonl: 64 variants have 640 lines */
/* The windows of one variant: without and with memory. */
#define VARIANT_S        0.6
#define MEMORY_VARIANT_S 1.3

struct host {
	const struct host_options *o;
	struct run_dir dir;
	/* A machine's guest sees share as /share; its plugin writes into counts, which the guest has not. */
	char share[PATH_MAX + 128], counts[PATH_MAX + 128];
	char wire_dir[PATH_MAX + 128], wire_end[PATH_MAX + 160]; /* where the NIC's wire ends */
	struct vm vm;
	struct wire wire;
	struct steps steps;
	size_t taken;     /* windows */
	json_t *left_out; /* variants that the kernel or the driver lacks, and why */
	struct diag *d;
};

/* The machines that count at the same time, and the list of their windows in run.json. */
static const struct machine {
	const char *cpus, *windows;
} alone = {"1", "windows"}, shared = {"2", "shared_windows"};

/* A process that runs a machine while this one runs the other. */
struct companion {
	pid_t pid;        /* 0: there is none */
	struct diag *why; /* it shares this memory */
};

/* NICs by their drivers, and as vm/run names them. */
static const struct nic {
	const char *driver, *word;
} nics[] = {{"veth", "none"},       {"tun", "none"},    {"virtio_net", "virtio"}, {"virtio_net-dma", "virtio-dma"},
	    {"vmxnet3", "vmxnet3"}, {"e1000", "e1000"}, {"e1000e", "e1000e"},     {"igb", "igb"}};

static const char *host_word_of(const char *driver)
{
	for (size_t i = 0; i < sizeof(nics) / sizeof(*nics); i++)
		if (!strcmp(nics[i].driver, driver))
			return nics[i].word;
	return driver;
}

static size_t host_add_words(const char **argv, size_t n, const char *const *words)
{
	while (*words)
		argv[n++] = *words++;
	argv[n] = NULL;
	return n;
}

/* What the guest sees of this machine's files. */
struct shown {
	const char *paths[2 * OPT_LIST_MAX + MAX_COMMAND_FILES + 4]; /* frames, programs, what commands name */
	size_t n;
	struct run_own own[OPT_LIST_MAX];
	char *commands;
};

static int find_shown(const struct host *h, struct shown *s)
{
	static const char *const guests[] = {"/proc/", "/sys/", "/dev/", "/share/", "/vm/", "/run/"};
	const struct guest_options *what = &h->o->what;
	const char *setup = what->own.setup, *teardown = what->own.teardown;
	struct run_variant v;
	struct diag d = {};
	char *rest, *word;
	struct stat st;

	s->paths[s->n++] = h->vm.program;
	for (size_t i = 0; i < h->o->frames->list.n; i++)
		if (frames_names_file(h->o->frames->list.items[i]))
			s->paths[s->n++] = h->o->frames->list.items[i];
	for (size_t i = 0; i < what->nvariants && i < OPT_LIST_MAX; i++)
		if (!run_variant_parse(&v, what->variants[i], &d) && run_variant_is_own(&v) &&
		    !run_own_parse(&s->own[i], v.target, &d) && s->own[i].kind == RUN_OWN_FILE &&
		    !access(s->own[i].path, R_OK))
			s->paths[s->n++] = s->own[i].path;
	if (!setup && !teardown)
		return 0;
	/* Commands see the folder in which they were given, and files that they name from the root on. */
	s->paths[s->n++] = ".";
	if (asprintf(&s->commands, "%s %s", setup ?: "", teardown ?: "") < 0)
		return -ENOMEM;
	word = strtok_r(s->commands, " \t\n;&|()<>'\"", &rest);
	for (size_t n = 0; word && n < MAX_COMMAND_FILES; word = strtok_r(NULL, " \t\n;&|()<>'\"", &rest)) {
		bool shown = word[0] == '/' && !stat(word, &st) && S_ISREG(st.st_mode) && !access(word, R_OK);

		for (size_t i = 0; i < sizeof(guests) / sizeof(*guests); i++)
			shown &= strncmp(word, guests[i], strlen(guests[i])) != 0; /* the guest has its own */
		if (!shown)
			continue;
		s->paths[s->n++] = word;
		n++;
	}
	return 0;
}

static int count_in_guest(struct host *h, const struct machine *m)
{
	struct shown shown = {};
	char plugin[sizeof(h->vm.plugin) + 32];
	const char *const machine[] = {"run", "-s",    "-k", h->vm.word, "-n", host_word_of(h->o->what.nic),
				       "-c",  m->cpus, "-t", VM_SECONDS, "-x", h->share,
				       "-p",  plugin,  "-o", h->counts,  NULL};
	const char *const wire[] = {"-w", h->wire_end, NULL}, *const booted[] = {"-b", h->o->append, NULL};
	const char *const self[] = {h->vm.program, "exact", GUEST_FLAG, h->o->what.nic, NULL};
	const char **argv;
	size_t n = 0;
	int err;

	n = argz_count(h->o->words, h->o->words_bytes);
	argv = find_shown(h, &shown) ? NULL : calloc(n + 2 * shown.n + 48, sizeof(*argv));
	if (!argv)
		return diag_set(h->d, -ENOMEM, "no memory");
	snprintf(plugin, sizeof(plugin), "%s%s%s", h->vm.plugin, h->o->what.memory ? ",memory=on" : "",
		 h->o->what.memory && h->vm.wire && !h->o->what.frames ? ",device=on" : "");
	n = host_add_words(argv, 0, machine);
	for (size_t i = 0; i < shown.n; i++) {
		argv[n++] = "-f";
		argv[n++] = shown.paths[i];
	}
	if (h->vm.wire)
		n = host_add_words(argv, n, wire);
	if (h->o->append[0])
		n = host_add_words(argv, n, booted);
	argv[n++] = "--";
	n = host_add_words(argv, n, self);
	argz_extract(h->o->words, h->o->words_bytes, (char **)(argv + n));
	setenv("TMPDIR", h->dir.at, 1); /* vm/run has its files there, and removes them */
	err = vm_run(&h->vm, argv);
	free(argv);
	free(shown.commands);
	return err;
}

/* The run directory. What the guest wrote is a stranger's, so each name and number is checked. */

/* A size of the program that the guest tells; null: it tells none that a program can have. */
static json_t *size_of(const json_t *facts, const char *name)
{
	json_t *o = json_object_get(facts, name);
	json_int_t n = json_is_integer(o) ? json_integer_value(o) : -1;

	return n >= 0 && n <= MADE_MOST ? json_integer(n) : json_null();
}

/* By the name that the user gave, or by that of run.json, which is UTF-8. */
static json_t *host_find_variant(json_t *variants, const char *name)
{
	json_t *id = json_text_string(name), *v, *found = NULL;
	size_t i;

	json_array_foreach (variants, i, v)
		if (json_equal(json_object_get(v, "id"), id))
			found = v;
	json_decref(id);
	return found;
}

static bool is_asked(const struct host *h, const char *id)
{
	bool asked = false;

	for (size_t i = 0; i < h->o->what.nvariants && !asked; i++) {
		json_t *word = json_text_string(h->o->what.variants[i]);

		asked = word && !strcmp(json_string_value(word), id);
		json_decref(word);
	}
	return asked;
}

/* The kernel's name for a function or a program of BPF. */
static bool is_function(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len && len <= MAX_NAME &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") == len;
}

static bool is_count(const json_t *facts, const char *name)
{
	const json_t *n = json_object_get(facts, name);

	return json_is_integer(n) && json_integer_value(n) >= 0 && json_integer_value(n) <= MAX_COUNT;
}

/* The plugin's file of window number n becomes blocks/N.paths. */
static int take_file(struct host *h, size_t n)
{
	char from[sizeof(h->counts) + 32], to[sizeof(h->dir.at) + 64];
	struct diag why = {};
	FILE *file;
	int err;

	snprintf(from, sizeof(from), "%s/window.%zu", h->counts, n);
	snprintf(to, sizeof(to), "%s/blocks/%zu.paths", h->dir.at, h->taken);
	err = foreign_file_open(&file, AT_FDCWD, from, true, FOREIGN_MAX_BYTES, &why);
	if (!err) {
		fclose(file);
		err = rename(from, to) ? -errno : 0;
	}
	if (err)
		return diag_set(h->d, err, "the emulator wrote no counts for window %zu: %s", n, strerror(-err));
	return 0;
}

/* Where the frames of a variant ended once more, after all windows. */
static int take_drops(struct host *h, json_t *v, json_t *reasons)
{
	json_t *list = json_array(), *frames;
	const char *reason;
	bool good = v;

	json_object_foreach (reasons, reason, frames) {
		good &= is_function(reason) && is_count(reasons, reason);
		json_array_append_new(list, json_pack("{s:s, s:O}", "reason", reason, "frames", frames));
	}
	json_object_set_new(v, "drop_reasons", list);
	return good ? 0 : diag_set(h->d, -EIO, "the virtual machine traced what nobody asked for");
}

/* A line of facts: of window number *n of the plugin, which becomes an element of run.json, or of what is left out. */
static int take_window(struct host *h, const struct machine *m, json_t *variants, const char *line, size_t *n)
{
	json_t *facts = json_loads(line, 0, NULL), *v = NULL, *list;
	const char *id = json_string_value(json_object_get(facts, "variant"));
	const char *program = json_string_value(json_object_get(facts, "program"));
	json_t *left_out = json_object_get(facts, "left_out"), *drops = json_object_get(facts, "drop_reasons");
	const char *why = json_string_value(left_out);
	char text[EXACT_WHY_BYTES];
	int err = 0;

	if (id && !left_out && !drops && is_function(program) && is_count(facts, "batch") &&
	    is_count(facts, "packets") && is_count(facts, "sent")) {
		v = host_find_variant(variants, id);
		if (!v && is_asked(h, id)) {
			v = json_pack("{s:s, s:s, s:o, s:o}", "id", id, "program", program, "program_instructions",
				      size_of(facts, "program_instructions"), "program_bytes",
				      size_of(facts, "program_bytes"));
			json_array_append_new(variants, v);
		}
	}
	if (v) {
		err = take_file(h, (*n)++);
	} else if (id && left_out) {
		if (!is_asked(h, id) || !why) {
			err = diag_set(h->d, -EIO, "the virtual machine left out what nobody asked for");
		} else if (!host_find_variant(h->left_out, id)) { /* both machines lack the same */
			snprintf(text, sizeof(text), "%s", why);
			printable_in_place(text);
			json_array_append_new(h->left_out,
					      json_pack("{s:s, s:o}", "id", id, "why", json_text_string(text)));
		}
	} else if (id && drops) {
		err = take_drops(h, host_find_variant(variants, id), drops);
	} else {
		err = diag_set(h->d, -EIO, "the virtual machine wrote a line that is no window of what was asked for");
	}
	if (v && !err) {
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

static void use_folders(struct host *h, const struct machine *m)
{
	snprintf(h->share, sizeof(h->share), "%s/share.%s", h->dir.at, m->cpus);
	snprintf(h->counts, sizeof(h->counts), "%s/counts.%s", h->dir.at, m->cpus);
}

static int make_folders(struct host *h, const struct machine *m)
{
	use_folders(h, m);
	if (mkdir(h->share, 0777))
		return diag_set(h->d, -errno, "%s: %s", h->share, strerror(errno));
	return mkdir(h->counts, 0777) ? diag_set(h->d, -errno, "%s: %s", h->counts, strerror(errno)) : 0;
}

/* Folders that a machine wrote into go with all that is in them, whatever that is. */
static int remove_folders(struct host *h, const struct machine *m, int err)
{
	const char *const paths[] = {h->share, h->counts};

	use_folders(h, m);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		int removed = tree_discard(paths[i]);

		if (!err && removed)
			err = diag_set(h->d, removed, "cannot remove what the virtual machine wrote into %s: %s",
				       paths[i], strerror(-removed));
	}
	return err;
}

static int open_wire(struct host *h)
{
	if (!strcmp(host_word_of(h->o->what.nic), "none"))
		return 0;
	snprintf(h->wire_dir, sizeof(h->wire_dir), "%s/wire", h->dir.at);
	snprintf(h->wire_end, sizeof(h->wire_end), "%s:host", h->wire_dir);
	if (mkdir(h->wire_dir, 0777))
		return diag_set(h->d, -errno, "%s: %s", h->wire_dir, strerror(errno));
	h->vm.wire = &h->wire;
	return wire_open(&h->wire, h->wire_dir, h->o->what.frames, h->d);
}

/* Takes what a machine wrote. */
static int host_take(struct host *h, const struct machine *m, json_t *variants)
{
	char path[sizeof(h->share) + 32], line[4096];
	size_t n = 0;
	FILE *in;
	int err;

	use_folders(h, m);
	snprintf(path, sizeof(path), "%s/windows.jsonl", h->share);
	err = foreign_file_open(&in, AT_FDCWD, path, true, MAX_LINES_BYTES, h->d);
	while (!err && fgets(line, sizeof(line), in))
		err = take_window(h, m, variants, line, &n);
	if (in)
		fclose(in);
	for (size_t i = 0; i < h->o->what.nvariants && !err; i++) {
		const char *asked = h->o->what.variants[i];
		const json_t *v = host_find_variant(variants, asked);

		if (strncmp(asked, "layer:", 6) != 0 && !json_object_get(v, m->windows) &&
		    !host_find_variant(h->left_out, asked))
			err = diag_set(h->d, -EIO, "%s: the virtual machine counted no window", asked);
	}
	if (!err && !json_array_size(variants))
		err = diag_set(h->d, -EIO, "the virtual machine counted no window");
	return err;
}

/* A companion that fails ends the machine of this process, too. */
static int start_beside(struct host *h, const struct machine *m, struct companion *c)
{
	pid_t parent = getpid();
	int err;

	c->why = mmap(NULL, sizeof(*c->why), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (c->why == MAP_FAILED)
		return diag_set(h->d, -errno, "no memory");
	c->pid = child_fork(SIGTERM);
	if (c->pid < 0)
		return diag_set(h->d, -errno, "cannot start a process: %s", strerror(errno));
	if (c->pid)
		return 0;
	h->d = h->vm.d = c->why;
	h->steps.quiet = true;
	use_folders(h, m);
	err = count_in_guest(h, m);
	if (err && err != -EINTR)
		kill(parent, SIGTERM);
	_exit(-err);
}

/* Waits for the companion's end; err: this process has failed, and the companion is to end now. */
static int end_beside(struct host *h, struct companion *c, int err)
{
	int status = 0, its;

	if (c->pid <= 0)
		return err;
	if (err)
		kill(c->pid, SIGTERM);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		kill(c->pid, SIGTERM);
	its = WIFEXITED(status) ? -WEXITSTATUS(status) : -EIO;
	if (!its || (err && its == -EINTR))
		return err;
	stop_requested = 0; /* the companion asked for the end, and this is why */
	return diag_replace(h->d, its, "%s",
			    c->why->text[0] ? c->why->text : "the process of the second machine was killed");
}

static int find_kernel(struct host *h)
{
	const char *kernel = h->o->kernel, *modules = NULL, *colon = strrchr(kernel, ':');
	char file[PATH_MAX];
	struct stat st;
	int err = 0;

	if (!stat(kernel, &st) && S_ISDIR(st.st_mode)) {
		err = vm_tree(&h->vm, kernel, h->o->what.nic, h->o->build);
		kernel = h->vm.image;
		modules = h->vm.modules[0] ? h->vm.modules : NULL;
	} else if (h->o->build) {
		return diag_set(h->d, -EINVAL, "--build is for a tree of Linux, and %s is none", kernel);
	} else if (stat(kernel, &st) && colon && !stat(colon + 1, &st) && S_ISDIR(st.st_mode)) { /* FILE:DIR */
		snprintf(file, sizeof(file), "%.*s", (int)(colon - kernel), kernel);
		kernel = file;
		modules = colon + 1;
	}
	return err ? err : vm_fetch(&h->vm, kernel, modules);
}

static int count_of_host(struct host *h)
{
	/* Lines of another CPU need a sender there; frames for a NIC come from no CPU of the machine. */
	bool both =
		!strcmp(h->o->what.nic, SOURCE_VETH) && h->o->what.memory && h->o->what.layers < h->o->what.nvariants;
	json_t *variants = json_array();
	struct companion beside = {};
	int err = make_folders(h, &alone);

	if (!err && both)
		err = make_folders(h, &shared);
	if (!err)
		err = find_kernel(h) ?: open_wire(h);
	if (!err && both)
		err = start_beside(h, &shared, &beside);
	use_folders(h, &alone);
	if (!err)
		err = count_in_guest(h, &alone);
	static const char *const names[] = {"ask", "rx"};
	char end[sizeof(h->wire_dir) + 8];
	wire_release(&h->wire);
	for (int i = 0; i < 2 && h->vm.wire; i++) {
		snprintf(end, sizeof(end), "%s/%s", h->wire_dir, names[i]);
		unlink(end);
	}
	if (h->vm.wire)
		rmdir(h->wire_dir);
	err = end_beside(h, &beside, err);
	if (!err)
		err = host_take(h, &alone, variants);
	if (!err && both)
		err = host_take(h, &shared, variants);
	if (!err) {
		char path[sizeof(h->dir.at) + 16], now[32], *rest;
		json_t *options =
			h->vm.options[0] ? json_array() : json_null(); /* null: nothing tells the configuration */
		time_t t = time(NULL);
		json_t *root, *v;
		FILE *out;
		size_t i;

		for (char *o = strtok_r(h->vm.options, "\n", &rest); o; o = strtok_r(NULL, "\n", &rest))
			json_array_append_new(options, json_string(o));
		strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", gmtime(&t));
		snprintf(path, sizeof(path), "%s/" EXACT_FILE, h->dir.at);
		root = json_pack("{s:s, s:s, s:s, s:O, s:o, s:o*, s:o, s:o, s:o, s:O, s:s, s:o, s:i, s:O, s:O}",
				 "schema", EXACT_SCHEMA, "made_by", "xdpzoom " XDPZOOM_VERSION, "time", now, "command",
				 h->o->command, "kernel", json_text_string(h->vm.kernel), "source",
				 h->vm.source[0] ? json_text_string(h->vm.source) : NULL, "compiler",
				 h->vm.compiler[0] ? json_text_string(h->vm.compiler) : json_null(), "configuration",
				 options, "append", json_text_string(h->o->append), "mitigations", h->vm.mitigations,
				 "nic", h->o->what.nic, "emulator", json_text_string(h->vm.emulator),
				 "footprint_frames", h->o->what.memory ? FOOTPRINT_FRAMES : 0, "variants", variants,
				 "left_out", h->left_out);
		json_array_foreach (h->o->pmu ? variants : NULL, i, v)
			json_object_update(v, json_object_get(json_object_get(h->o->pmu, "variants"),
							      json_string_value(json_object_get(v, "id"))));
		if (h->o->pmu)
			json_object_update_missing(root, h->o->pmu);
		if (!root)
			err = diag_set(h->d, -ENOMEM, "no memory for %s", path);
		out = err ? NULL : fopen(path, "wex");
		if (!err && (!out || json_text_write(root, out, JSON_INDENT(1), "") || fflush(out)))
			err = diag_set(h->d, -EIO, "cannot write %s: %s", path, strerror(errno));
		if (out)
			fclose(out);
		json_decref(root);
	}
	json_decref(variants);
	err = remove_folders(h, &alone, err);
	return remove_folders(h, &shared, err);
}

int host_count(const struct host_options *o, struct diag *d)
{
	struct host h = {.o = o, .d = d, .vm.d = d};
	int err;

	h.left_out = json_array();
	h.vm.mitigations = json_object();
	h.vm.steps = &h.steps;
	h.steps =
		(struct steps){.slower = 1, .quiet = o->quiet, .variant_s = VARIANT_S, .nvariants = o->what.nvariants};
	if (o->what.memory)
		h.steps.variant_s = MEMORY_VARIANT_S;
	if (o->what.own.setup || o->what.own.teardown)
		h.vm.patience_s = o->what.own.patience_s;
	h.vm.verbose = o->what.own.verbose;
	wire_init(&h.wire);
	run_dir_init(&h.dir);
	err = vm_find(&h.vm) ?: run_dir_begin(&h.dir, o->out_dir, o->force, d);
	if (!err)
		err = count_of_host(&h);
	json_decref(h.left_out);
	json_decref(h.vm.mitigations);
	run_dir_tell(&h.dir, d);
	if (!err)
		err = run_dir_commit(&h.dir, d);
	run_dir_abort(&h.dir);
	return err;
}
