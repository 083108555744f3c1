// SPDX-License-Identifier: GPL-2.0-or-later
#include <argz.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include "user/commands/commands.h"

struct exact_args {
	struct host_options host;
	struct opt_list kernels, nics, variants, appends;
	/* Each kernel with each of its ways to boot: "6.12+srso"; what it consists of. */
	struct booted {
		char name[256];
		const char *kernel, *append;
	} booted[OPT_LIST_MAX];
	struct run_variant *parsed; /* whose names, spelled out, are those in variants */
	const char *ladder;         /* NULL: none */
	struct ladder_words words;
	struct frame_source frames;
	struct exact_against against;
	int jobs;
	bool cells;
	struct new_run chosen;
	char scratch[32], scratch_run[40]; /* a folder for a run that is not kept, and the run; "": none */
};

/* A layer whose frames a device receives, or an AF_XDP socket sends. */
static bool is_counted(const struct run_variant *v)
{
	return (!run_layer_sends(v) || sender_kinds[v->layer].poll) && v->layer != RUN_LAYER_TEST_RUN;
}

/* What a program sends or redirects has to arrive at a device of the lab. */
static int check_variant(const struct run_variant *v, const char *nic, struct diag *d)
{
	if (v->observer)
		return diag_set(d, -EINVAL, "%s: exact counts know no observers; record measures what they cost",
				v->id);
	if (run_variant_is_layer(v)) {
		if (is_counted(v) && !strcmp(nic, SOURCE_VETH))
			return 0;
		return diag_set(d, -EINVAL,
				run_layer_sends(v) ? "%s: not counted of what sends: generators, zero-copy, GSO, TCP"
				: v->layer == RUN_LAYER_TEST_RUN
					? "%s: exact counts are of what receives, and this layer is the generator's own"
					: "%s: layers are for the lab; leave --nic out",
				v->id);
	}
	if (v->stage == RUN_STAGE_SOCKET && (!strcmp(nic, SOURCE_VETH) || !strcmp(nic, SOURCE_TUN)))
		return diag_set(d, -EINVAL,
				"%s: sockets are counted on NICs (-n igb, -n virtio_net); on the lab count "
				"layer:xsk-copy",
				v->id);
	if (v->stage == RUN_STAGE_CPU || (v->stage == RUN_STAGE_DEVICE && v->target[0]))
		return diag_set(d, -EINVAL, "%s: exact counts of redirects work to the lab's own device: redirect",
				v->id);
	if ((v->stage == RUN_STAGE_DEVICE || v->action == RUN_ACTION_TX || v->mode >= RUN_MODE_NETKIT) &&
	    strcmp(nic, SOURCE_VETH) != 0)
		return diag_set(d, -EINVAL, "%s: a NIC's frames go nowhere here; leave --nic out", v->id);
	return 0;
}

static int take_variants(struct exact_args *a, struct diag *d)
{
	bool counted = !a->against.variant[0];
	struct run_variant *variants;
	int err = 0;

	if (a->ladder && a->variants.n)
		return diag_set(d, -EINVAL, "--ladder names the variants already; leave --variants out");
	if (a->ladder)
		ladder_words_fill(&a->words, a->ladder, is_counted, &a->variants);
	if (!a->variants.n && a->against.variant[0]) {
		a->variants.items[a->variants.n++] = a->against.variant;
	} else if (!a->variants.n) {
		a->variants.items[a->variants.n++] = "drop/no-touch@native";
		a->variants.items[a->variants.n++] = "drop/no-touch@skb";
	}
	a->host.what.variants = a->variants.items;
	a->host.what.nvariants = a->variants.n;
	/* What --bisect is for has to be counted: else no commit could be tested. */
	for (size_t i = 0; i < a->variants.n && !counted; i++)
		counted = !strcmp(a->variants.items[i], a->against.variant);
	if (!counted)
		return diag_set(d, -EINVAL, "--bisect %s: this variant is not among those that are counted",
				a->against.variant);
	variants = a->parsed = calloc(a->variants.n, sizeof(*variants));
	if (!variants)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < a->variants.n && !err; i++) {
		err = run_variant_to_measure(&variants[i], a->variants.items[i], d);
		for (size_t n = 0; n < a->nics.n && !err; n++)
			err = check_variant(&variants[i], a->nics.items[n], d);
		if (!err && run_variant_is_layer(&variants[i]) && a->frames.list.n)
			err = diag_set(d, -EINVAL, "%s: layers are counted with the generator's own frames",
				       variants[i].id);
		a->host.what.layers += !err && run_variant_is_layer(&variants[i]);
		a->variants.items[i] = variants[i].id;
	}
	if (!err)
		err = own_options_check(&a->host.what.own, variants, a->variants.n, d);
	return err;
}

/* From here on a kernel's name says how it is booted, too. */
static int take_kernels(struct exact_args *a, struct diag *d)
{
	const struct opt_list kernels = a->kernels;
	size_t n = 0;

	for (size_t k = 0; k < kernels.n; k++)
		for (size_t i = 0; i < a->appends.n; i++, n++) {
			const char *kernel = kernels.items[k], *append = a->appends.items[i];
			struct booted *b = &a->booted[n];

			if (n == OPT_LIST_MAX)
				return diag_set(d, -E2BIG, "more than %d kernels, with what they boot with",
						OPT_LIST_MAX);
			*b = (struct booted){.kernel = kernel, .append = strcmp(append, "off") ? append : ""};
			if ((size_t)snprintf(b->name, sizeof(b->name), "%s%s%s", kernel, b->append[0] ? "+" : "",
					     b->append) >= sizeof(b->name))
				return diag_set(d, -ENAMETOOLONG, "--append %.40s...: too long", append);
			a->kernels.items[n] = b->name;
		}
	a->kernels.n = n;
	return 0;
}

/* Runs are one by one, or a matrix: several kernels or NICs. */
static bool is_matrix(const struct exact_args *a)
{
	return a->kernels.n > 1 || a->nics.n > 1;
}

static int check_matrix(const struct exact_args *a, struct diag *d)
{
	const struct exact_against *with = &a->against;

	if (!is_matrix(a))
		return a->cells ? diag_set(d, -EINVAL, "--cells is for several kernels or NICs: -k LIST, -n LIST") : 0;
	if (with->with || with->bisect || with->fail_words)
		return diag_set(d, -EINVAL, "--%s is for one kernel and one NIC; name no more of them",
				with->with     ? "against"
				: with->bisect ? "bisect"
					       : "fail-if");
	if (with->format_name && strcmp(with->format_name, "text") && strcmp(with->format_name, "json") &&
	    strcmp(with->format_name, "csv"))
		return diag_set(d, -EINVAL, "--format %s cannot hold a matrix; text, json and csv can",
				with->format_name);
	for (size_t i = 0; i < a->kernels.n; i++)
		for (size_t k = 0; k < i; k++)
			if (!strcmp(a->kernels.items[i], a->kernels.items[k]))
				return diag_set(d, -EINVAL, "kernel %s is named twice", a->kernels.items[i]);
	return 0;
}

/*
 * Returns -1 if the command can go on, else the exit status. nic: of the guest, which counts for one; NULL: the host.
 */
static int cmd_exact_parse(struct exact_args *a, const char *nic, const struct command *c, int argc, char **argv)
{
	struct host_options *o = &a->host;
	struct diag d = {};
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &o->out_dir, "DIR",
		 "the run directory to make; of a matrix the folder of all runs and of the page, where those that are "
		 "there are not counted again",
		 .otherwise = "runs/DATE-exact"},
		{"variants", 'V', OPT_LIST, &a->variants, "LIST", "what to count",
		 .otherwise = "drop/no-touch@native,drop/no-touch@skb"},
		{"ladder", 0, OPT_WORD, &a->ladder, "LADDER",
		 "count all layers of a ladder that can be counted, and its XDP programs",
		 .words = OPT_WORDS("rx", "forward", "tx"), .otherwise = "none"},
		{"kernel", 'k', OPT_LIST, &a->kernels, "LIST",
		 "versions of Debian's kernels, of another suite (trixie:6.12), files (a bzImage or a vmlinux; "
		 "FILE:DIR with its modules), or trees of Linux; several make a matrix",
		 .words = OPT_WORDS("newest", "6.12", "6.1"), .flags = OPT_OPEN, .otherwise = "newest"},
		{"append", 0, OPT_EACH, &a->appends, "WORDS",
		 "what the kernel boots with: the mitigations off, auto, retpoline or srso, and options of the kernel, "
		 "such as 'srso threadirqs'; several make a matrix",
		 .otherwise = "off"},
		{"build", 0, OPT_FLAG, &o->build, NULL, "build what is missing or old in a tree of Linux"},
		{"nic", 'n', OPT_LIST, &a->nics, "LIST",
		 "drivers that receive; veth: the built-in testbed; several make a matrix", .words = matrix_drivers,
		 .otherwise = "veth"},
		{"memory", 0, OPT_FLAG, &o->what.memory, NULL,
		 "count loads, stores and lines too: three times as long"},
		{"against", 0, OPT_STRING, &a->against.with, "TREE|KERNEL|RUN",
		 "count this kernel too, or take this run, and print the difference; beside a recorded run, what its "
		 "PMU counted (instructions:k)",
		 .otherwise = "nothing"},
		{"format", 'f', OPT_WORD, &a->against.format_name, "FORMAT",
		 "how the result is printed: the difference, the run, or the matrix",
		 .words = OPT_WORDS("text", "json", "csv", "markdown", "changelog", "ktap")},
		FAIL_OPTION(&a->against.fail_words),
		{"bisect", 0, OPT_STRING, &a->against.bisect, "WORDS",
		 "VARIANT<=N: exit status for git bisect run: 0 if it takes at most N instructions per packet, 1 if "
		 "more, 125 if inconclusive",
		 .otherwise = "no"},
		FRAMES_OPTION(&a->frames),
		OWN_OPTIONS(&o->what.own),
		{"jobs", 'j', OPT_INT, &a->jobs, "N", "virtual machines of a matrix at a time", 1, 64},
		{"cells", 0, OPT_FLAG, &a->cells, NULL,
		 "count nothing: print a command for each run of a matrix, which runs anywhere"},
		{"force", 0, OPT_FLAG, &o->force, NULL, "replace the run directory; of a matrix count all again"},
		{"quiet", 'q', OPT_FLAG, &o->quiet, NULL, "no progress, and no result unless --format asks for it"},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (nic || !a->nics.n)
		a->nics = (struct opt_list){{nic ?: SOURCE_VETH}, 1};
	if (!a->kernels.n)
		a->kernels = (struct opt_list){{"newest"}, 1};
	if (!a->appends.n)
		a->appends = (struct opt_list){{"off"}, 1};
	if (take_kernels(a, &d))
		return complain("%s", d.text), EXIT_USAGE;
	o->kernel = a->booted[0].kernel;
	o->append = a->booted[0].append;
	o->what.nic = a->nics.items[0];
	o->frames = &a->frames;
	if (a->against.bisect)
		o->what.memory = false;
	if ((!nic && check_matrix(a, &d)) || exact_against_take(&a->against, is_matrix(a), nic, &d) ||
	    take_variants(a, &d))
		return complain("%s", d.text), EXIT_USAGE;
	return -1;
}

/*
 * *counted: the run is there, whatever the exit status: its counts have to close, and variants that were named have to
 * be counted. Layers that the kernel lacks are left out of a ladder.
 */
static int count_run(const struct host_options *o, bool *counted)
{
	struct diag d = {};
	struct run_variant variant;
	struct loaded_run l;
	int err = host_count(o, &d), status = EXIT_OK;

	*counted = !err;
	if (!err)
		err = loaded_run_open(&l, o->out_dir, NULL, NULL, &d);
	if (err)
		return complain_of(&d, err);
	for (size_t i = 0; i < l.counted.nleft_out; i++) {
		const struct exact_left_out *v = &l.counted.left_out[i];

		complain("%s; everything else is counted", v->why);
		if (run_variant_parse(&variant, v->id, NULL) || !run_variant_is_layer(&variant))
			status = EXIT_LACKS;
	}
	if (loaded_run_complain(&l, NULL))
		status = EXIT_GATE;
	loaded_run_release(&l);
	return status;
}

/* The kernel; before it the other one, if it is to be counted; and what differs. */
static int cmd_exact_count(struct exact_args *a)
{
	struct host_options base;
	const char *const *variants = a->host.what.variants;
	bool counted = true;
	int first = EXIT_OK, second, shown;
	struct diag d = {};
	int err = a->against.pmu ? exact_against_pmu(&a->against, &a->host.pmu, &d) : 0;

	if (err)
		return complain_of(&d, err);
	base = a->host;
	if (exact_against_counts(&a->against, &base))
		first = count_run(&base, &counted);
	if (!counted)
		return first;
	second = count_run(&a->host, &counted);
	if (a->against.bisect)
		return exact_against_bisect(&a->against, a->host.out_dir, variants, a->host.what.nvariants, second);
	if (!counted)
		return second;
	shown = exact_against_show(&a->against, a->host.out_dir, variants, a->host.what.nvariants, a->host.quiet);
	return shown != EXIT_OK ? shown : first != EXIT_OK ? first : second;
}

/* ---- a matrix ---------------------------------------------------------------------------------------- */

/*
 * The run of a kernel and a NIC. What it prints stands in dir.log, whose last line is the reason of a run that failed.
 */
struct counting {
	const struct booted *booted;
	const char *nic;
	pid_t pid; /* 0: it does not run */
	char dir[4096];
};

/* FOLDER/KERNEL/NIC/all; where that is a run of other variants, all-2 and so on. */
static int name_cell(const struct exact_args *a, struct counting *c, struct diag *d)
{
	char kernel[256];
	int n = 0;

	matrix_path(kernel, sizeof(kernel), c->booted->name);
	do {
		char number[16] = "";

		if (n++)
			snprintf(number, sizeof(number), "-%d", n);
		if ((size_t)snprintf(c->dir, sizeof(c->dir), "%s/%s/%s/all%s", a->host.out_dir, kernel, c->nic,
				     number) +
			    8 >
		    sizeof(c->dir))
			return diag_set(d, -ENAMETOOLONG, "%s: too long a path", a->host.out_dir);
	} while (!a->host.force && exact_is(c->dir));
	return 0;
}

/* Is a variant that is asked for neither counted nor left out by a run of this kernel and NIC? */
static bool lacks(const struct exact_args *a, const struct matrix *m, const struct counting *c)
{
	for (size_t i = 0; i < m->nkernels * m->ndrivers * m->nvariants; i++) {
		const struct matrix_cell *of = &m->cells[i];

		if (strcmp(of->kernel, c->booted->name) || strcmp(of->driver, c->nic) || of->dir[0])
			continue;
		for (size_t v = 0; v < a->variants.n; v++)
			if (!strcmp(a->variants.items[v], of->variant))
				return true;
	}
	return false;
}

/* The cells that are not counted yet, or all; the list is of calloc(). */
static int find_cells(const struct exact_args *a, const struct matrix *m, struct counting **cells, size_t *n,
		      struct diag *d)
{
	int err = 0;

	*n = 0;
	*cells = calloc(a->kernels.n * a->nics.n, sizeof(**cells));
	if (!*cells)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t k = 0; k < a->kernels.n; k++)
		for (size_t i = 0; i < a->nics.n && !err; i++) {
			struct counting *c = &(*cells)[*n];

			*c = (struct counting){.booted = &a->booted[k], .nic = a->nics.items[i]};
			if (a->host.force || lacks(a, m, c)) {
				err = name_cell(a, c, d);
				++*n;
			}
		}
	return err;
}

/* A process that counts one cell as `xdpzoom exact` counts one run. */
static int start_cell(const struct exact_args *a, struct counting *c, struct diag *d)
{
	struct host_options o = a->host;
	char log[sizeof(c->dir) + 8];
	bool counted;
	int fd;

	for (char *slash = strchr(c->dir + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(log, sizeof(log), "%.*s", (int)(slash - c->dir), c->dir);
		if (mkdir(log, 0777) && errno != EEXIST)
			return diag_set(d, -EIO, "%s: %s", log, strerror(errno));
	}
	c->pid = child_fork(SIGTERM);
	if (c->pid < 0)
		return c->pid = 0, diag_set(d, -errno, "cannot start a process: %s", strerror(errno));
	if (c->pid)
		return 0;
	snprintf(log, sizeof(log), "%s.log", c->dir);
	fd = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		_exit(EXIT_FAILED);
	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	o.kernel = c->booted->kernel;
	o.append = c->booted->append;
	o.what.nic = c->nic;
	o.out_dir = c->dir;
	o.force = o.quiet = true;
	_exit(count_run(&o, &counted));
}

struct cells_progress {
	size_t ended, all, failed;
	uint64_t since_ns;
	bool quiet;
};

static void show_progress(const struct cells_progress *p)
{
	bool tty = isatty(STDERR_FILENO);
	char left[64] = "";

	if (p->quiet)
		return;
	if (p->ended && p->ended < p->all)
		snprintf(
			left, sizeof(left), ", about %.0f min left",
			ceil((double)(now_ns() - p->since_ns) / 6e10 / (double)p->ended * (double)(p->all - p->ended)));
	fprintf(stderr, "%s%zu of %zu runs, %zu failed%s%s", tty ? "\r\033[K" : "", p->ended, p->all, p->failed, left,
		tty && p->ended < p->all ? "" : "\n");
}

/* Waits for the end of a cell's process, and notes how it ended. */
static int end_cell(struct counting *cells, struct cells_progress *p, struct diag *d)
{
	int raw, status;
	pid_t pid = waitpid(-1, &raw, 0);

	if (pid < 0)
		return errno == EINTR ? stopped(d) : diag_set(d, -errno, "no process ended: %s", strerror(errno));
	for (size_t i = 0; i < p->all; i++) {
		if (cells[i].pid != pid)
			continue;
		cells[i].pid = 0;
		status = WIFEXITED(raw) ? WEXITSTATUS(raw) : EXIT_FAILED;
		p->ended++;
		p->failed += status != EXIT_OK && status != EXIT_LACKS;
		show_progress(p);
	}
	return stopped(d);
}

static int count_cells(const struct exact_args *a, struct counting *cells, struct cells_progress *p, struct diag *d)
{
	size_t next = 0;
	int err = 0;

	show_progress(p);
	while (!err && p->ended < p->all) {
		if (next < p->all && next - p->ended < (size_t)a->jobs)
			err = start_cell(a, &cells[next++], d);
		else
			err = end_cell(cells, p, d);
	}
	for (size_t i = 0; i < p->all; i++)
		if (cells[i].pid > 0) {
			kill(cells[i].pid, SIGTERM);
			child_wait(cells[i].pid);
		}
	return err;
}

static int write_matrix(FILE *out, const char *format, const struct matrix *m)
{
	const struct format *f = NULL;
	struct document doc;

	format_of(&f, format, KIND(DOCUMENT_MATRIX), NULL);
	return format_write(f, out, &doc, document_of_matrix(&doc, m), &(struct render_options){});
}

/* What the folder holds, on its page and on standard output. The JSON last: it keeps the order of the kernels. */
static int show_matrix(const struct exact_args *a, const struct matrix *m, struct diag *d)
{
	static const struct {
		const char *name, *format;
	} files[] = {{MATRIX_PAGE, "html"}, {MATRIX_CSV, "csv"}, {MATRIX_JSON, "json"}};
	const char *format = a->against.format_name ?: "text";
	struct output out;
	char path[4200];
	int err = 0;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && !err; i++) {
		snprintf(path, sizeof(path), "%s/%s", a->host.out_dir, files[i].name);
		err = output_open(&out, path, d);
		if (!err)
			err = output_close(&out, write_matrix(out.stream, files[i].format, m), d);
	}
	if (err || (a->host.quiet && !a->against.format_name))
		return err;
	err = output_open(&out, NULL, d);
	if (err)
		return err;
	err = write_matrix(out.stream, format, m);
	if (*format == 't')
		printable_printf(out.stream,
				 "\nthe page: %s/" MATRIX_PAGE "\nagain, with what is missing: the same "
				 "command with -o %s\n",
				 a->host.out_dir, a->host.out_dir);
	return output_close(&out, err, d);
}

static int count_matrix(const struct exact_args *a, struct diag *d)
{
	struct matrix_names asked = {a->kernels.items, a->nics.items, a->variants.items,
				     a->kernels.n,     a->nics.n,     a->variants.n};
	struct cells_progress p = {.since_ns = now_ns(), .quiet = a->host.quiet};
	struct components *f = NULL;
	struct counting *cells = NULL;
	struct matrix m = {};
	int err = components_read(&f, NULL, d);

	if (!err && mkdir(a->host.out_dir, 0777) && errno != EEXIST)
		err = diag_set(d, -errno, "%s: %s", a->host.out_dir, strerror(errno));
	if (!err)
		err = matrix_read(&m, a->host.out_dir, &asked, f, d) ?: find_cells(a, &m, &cells, &p.all, d);
	matrix_release(&m);
	if (!err && p.all)
		err = count_cells(a, cells, &p, d);
	if (!err)
		err = matrix_read(&m, a->host.out_dir, &asked, f, d) ?: show_matrix(a, &m, d);
	matrix_release(&m);
	components_free(f);
	free(cells);
	return err ? complain_of(d, err) : p.failed ? EXIT_FAILED : EXIT_OK;
}

static void put_option(const char *name, const char *value)
{
	char word[4 * PATH_MAX];

	if (!value)
		return;
	shell_word(word, sizeof(word), value);
	printf(" %s %s", name, word);
}

/* A command for each cell, which ends with the run that it makes, behind a #. */
static int print_cells(const struct exact_args *a, struct diag *d)
{
	const struct own_options *own = &a->host.what.own;
	char list[8192] = "", folder[PATH_MAX], word[4 * PATH_MAX];
	int err = 0;

	for (size_t i = 0; i < a->variants.n; i++)
		if (!listed_add(list, sizeof(list), ",", "%s", a->variants.items[i]))
			return diag_set(d, -E2BIG, "too many variants for one command");
	for (size_t i = 0; i < a->kernels.n * a->nics.n && !err; i++) {
		struct counting c = {.booted = &a->booted[i / a->nics.n], .nic = a->nics.items[i % a->nics.n]};

		err = name_cell(a, &c, d);
		if (err)
			return err;
		snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(c.dir, '/') - c.dir), c.dir);
		shell_word(word, sizeof(word), folder);
		printf("mkdir -p %s && xdpzoom exact -q --force", word);
		put_option("-o", c.dir);
		put_option("-k", c.booted->kernel);
		put_option("--append", c.booted->append[0] ? c.booted->append : NULL);
		put_option("-n", c.nic);
		put_option("-V", list);
		for (size_t n = 0; n < a->frames.list.n; n++)
			put_option("--frames", a->frames.list.items[n]);
		for (size_t n = 0; n < own->values.n; n++)
			put_option("--set", own->values.items[n]);
		put_option("--setup", own->setup);
		put_option("--teardown", own->teardown);
		shell_word(word, sizeof(word), c.dir);
		printf("%s%s 2>%s.log # %s\n", a->host.what.memory ? " --memory" : "", a->host.build ? " --build" : "",
		       word, c.dir);
	}
	return render_finish(stdout);
}

/* ---- the command ------------------------------------------------------------------------------------- */

/* Where the run goes that was given no folder: a bisection keeps none. */
static int choose_folder(struct exact_args *a, struct diag *d)
{
	if (a->host.out_dir)
		return 0;
	if (a->cells)
		return diag_set(d, -EINVAL, "--cells needs the folder of the matrix: -o DIR");
	if (!a->against.bisect)
		return new_run_choose(&a->chosen, "exact", &a->host.out_dir, d);
	snprintf(a->scratch, sizeof(a->scratch), "/tmp/xdpzoom-XXXXXX");
	if (!mkdtemp(a->scratch)) {
		a->scratch[0] = '\0';
		return diag_set(d, -errno, "no temporary folder: %s", strerror(errno));
	}
	snprintf(a->scratch_run, sizeof(a->scratch_run), "%s/run", a->scratch);
	a->host.out_dir = a->scratch_run;
	return 0;
}

static int run_exact(struct exact_args *a, bool guest, struct diag *d)
{
	struct frames frames = {};
	struct gen_options fit;
	int status, err = frames_take(&frames, &a->frames, d);

	gen_options_init(&fit);
	if (frames.n)
		fit.frames = a->host.what.frames = &frames;
	err = err ?: gen_frames_check(&fit, d);
	if (!err && !guest)
		err = choose_folder(a, d);
	if (!err && guest) {
		/* In the virtual machine: the same words, of which those for the host mean nothing. */
		char compiler[MADE_COMPILER_BYTES], state[256];
		struct utsname u;
		struct dirent *e;

		uname(&u);
		env_compiler(compiler);
		fprintf(stderr, "kernel %s\n", u.release);
		fprintf(stderr, GUEST_COMPILER "%s\n", compiler);
		dir_scan (e, &facts_here, VULNERABILITIES)
			if (e->d_name[0] != '.' &&
			    !facts_line(&facts_here, state, sizeof(state), VULNERABILITIES "/%s", e->d_name))
				fprintf(stderr, GUEST_MITIGATION "%s %s\n", e->d_name, state);
		err = guest_count(&a->host.what, "/share", d);
	}
	if (!err && a->cells)
		err = print_cells(a, d);
	if (err)
		status = complain_of(d, err);
	else if (guest || a->cells)
		status = EXIT_OK;
	else
		status = is_matrix(a) ? count_matrix(a, d) : cmd_exact_count(a);
	new_run_end(&a->chosen, exact_is(a->host.out_dir ?: ""));
	if (a->scratch[0])
		tree_discard(a->scratch);
	frames_release(&frames);
	return err && a->against.bisect ? BISECT_END : status;
}

int cmd_exact(const struct command *c, int argc, char **argv)
{
	struct exact_args a = {.jobs = 1};
	const char *nic = argc > 2 && !strcmp(argv[1], GUEST_FLAG) ? argv[2] : NULL;
	bool bisect = false;
	struct diag d = {};
	char *words = NULL; /* a copy, because the parser cuts lists into their items */
	int status;

	for (int i = 1; i < argc && !nic; i++)
		bisect |= !strncmp(argv[i], "--bisect", 8);
	stop_on_signals();
	argc -= nic ? 2 : 0;
	argv += nic ? 2 : 0;
	own_options_init(&a.host.what.own);
	a.host.command = command_line(argc, argv);
	if (argz_create(argv + 1, &words, &a.host.words_bytes) || !a.host.command)
		status = complain_of(&d, -ENOMEM);
	else
		status = cmd_exact_parse(&a, nic, c, argc, argv);
	a.host.words = words;
	if (status > EXIT_OK && bisect)
		status = BISECT_END;
	if (status < 0)
		status = run_exact(&a, nic, &d);
	json_decref(a.host.command);
	json_decref(a.host.pmu);
	free(words);
	free(a.parsed);
	return status;
}
