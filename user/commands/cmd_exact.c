// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/tree.h"
#include "reports/run/run.h"
#include "user/cli/command_line.h"
#include "user/cli/loaded_run.h"
#include "user/cli/report_args.h"
#include "user/commands/exact_against.h"
#include "user/commands/ladder_words.h"
#include "user/exact/guest.h"
#include "user/exact/host.h"
#include "user/exact/source.h"
#include "user/gen/frames.h"
#include "user/gen/gen.h"
#include "user/gen/gen_frames.h"
#include "user/machine/env.h"
#include "user/programs/own.h"
#include "user/xdpzoom.h"

struct exact_args {
	struct host_options host;
	struct opt_list variants;
	const char *ladder; /* NULL: none */
	struct ladder_words words;
	struct frame_source frames;
	struct exact_against against;
	char scratch[32], scratch_run[40]; /* a folder for a run that is not kept, and the run; "": none */
};

/* A rung whose frames a device receives. */
static bool is_counted(const struct run_variant *v)
{
	return !run_rung_sends(v) && v->rung != RUN_RUNG_TEST_RUN;
}

static int check_rung(const struct run_variant *v, const char *nic, struct diag *d)
{
	if (is_counted(v) && !strcmp(nic, SOURCE_VETH))
		return 0;
	if (run_rung_sends(v))
		return diag_set(d, -EINVAL, "%s: exact counts are of what receives, and this rung sends", v->id);
	if (v->rung == RUN_RUNG_TEST_RUN)
		return diag_set(d, -EINVAL,
				"%s: exact counts are of what receives, and this rung is the generator's own", v->id);
	return diag_set(d, -EINVAL, "%s: rungs are for the lab; leave --nic out", v->id);
}

/* What a program sends or redirects has to arrive at a device of the lab. */
static int check_variant(const struct run_variant *v, const char *nic, struct diag *d)
{
	if (v->observer)
		return diag_set(d, -EINVAL, "%s: exact counts know no observers; record measures what they cost",
				v->id);
	if (run_variant_is_rung(v))
		return check_rung(v, nic, d);
	if (v->stage > RUN_STAGE_DEVICE || (v->stage == RUN_STAGE_DEVICE && v->target[0]))
		return diag_set(d, -EINVAL, "%s: exact counts of redirects work to the lab's own device: redirect",
				v->id);
	if ((v->stage == RUN_STAGE_DEVICE || v->action == RUN_ACTION_TX) && strcmp(nic, SOURCE_VETH) != 0)
		return diag_set(d, -EINVAL, "%s: a NIC's frames go nowhere here; leave --nic out", v->id);
	return 0;
}

/* What --bisect is for has to be counted; a variant that never is would make every commit one that cannot be tested. */
static int check_bisect(const struct exact_args *a, struct diag *d)
{
	bool counted = !a->against.variant[0];

	for (size_t i = 0; i < a->variants.n && !counted; i++)
		counted = !strcmp(a->variants.items[i], a->against.variant);
	return counted ? 0
		       : diag_set(d, -EINVAL, "--bisect %s: this variant is not among those that are counted",
				  a->against.variant);
}

static int take_variants(struct exact_args *a, struct diag *d)
{
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
	err = check_bisect(a, d);
	variants = err ? NULL : calloc(a->variants.n, sizeof(*variants));
	if (!variants)
		return diag_set(d, err ? err : -ENOMEM, "no memory");
	for (size_t i = 0; i < a->variants.n && !err; i++) {
		err = run_variant_to_measure(&variants[i], a->variants.items[i], d);
		if (!err)
			err = check_variant(&variants[i], a->host.what.nic, d);
		if (!err && run_variant_is_rung(&variants[i]) && frames_wanted(&a->frames))
			err = diag_set(d, -EINVAL, "%s: rungs are counted with the generator's own frames",
				       variants[i].id);
		a->host.what.rungs += !err && run_variant_is_rung(&variants[i]);
	}
	if (!err)
		err = own_options_check(&a->host.what.own, variants, a->variants.n, d);
	free(variants);
	return err;
}

static int cmd_exact_take_frames(struct exact_args *a, struct frames *frames, struct diag *d)
{
	struct gen_options fit;
	int err = frames_take(frames, &a->frames, d);

	gen_options_init(&fit);
	if (frames->n)
		fit.frames = a->host.what.frames = frames;
	return err ? err : gen_frames_check(&fit, d);
}

static int check_tree(struct host_options *o, struct diag *d)
{
	if (o->tree && (o->kernel || o->modules))
		return diag_set(d, -EINVAL, "--tree has a kernel and its modules; leave --%s out",
				o->kernel ? "kernel" : "modules");
	if (o->build && !o->tree)
		return diag_set(d, -EINVAL, "--build is for a tree of Linux: --tree DIR");
	if (!o->kernel)
		o->kernel = "newest";
	return 0;
}

/* Returns -1 if the command can go on, else the exit status. */
static int cmd_exact_parse(struct exact_args *a, bool guest, const struct command *c, int argc, char **argv)
{
	struct host_options *o = &a->host;
	const char *machine = "x86_64";
	bool no_memory = false;
	struct diag d = {};
	const struct opt opts[] = {
		{"output", 'o', OPT_DIR, &o->out_dir, "DIR", "the run directory to make; --bisect alone needs none"},
		{"variants", 'V', OPT_LIST, &a->variants, "LIST", "what to count",
		 .otherwise = "drop/no-touch@native,drop/no-touch@skb"},
		{"ladder", 0, OPT_WORD, &a->ladder, "LADDER",
		 "count all rungs of a ladder that a device receives the frames of, and its XDP programs",
		 .words = OPT_WORDS("rx", "forward"), .otherwise = "none"},
		{"kernel", 'k', OPT_STRING, &o->kernel, "KERNEL",
		 "a version of Debian's kernels, that of another suite (trixie:6.12), or a file: a bzImage or a "
		 "vmlinux",
		 .words = OPT_WORDS("newest", "6.12", "6.1"), .flags = OPT_OPEN, .otherwise = "newest"},
		{"modules", 0, OPT_DIR, &o->modules, "DIR",
		 "modules of a kernel that is a file: installed, unpacked, or in the tree that it was built in",
		 .otherwise = "none"},
		{"machine", 'm', OPT_WORD, &machine, "ARCH", "the kernel's architecture; aarch64 is not counted yet",
		 .words = OPT_WORDS("x86_64", "aarch64"), .otherwise = "x86_64"},
		{"tree", 0, OPT_DIR, &o->tree, "DIR", "a tree of Linux, whose kernel is counted", .otherwise = "none"},
		{"build", 0, OPT_FLAG, &o->build, NULL, "build what is missing or old in the tree"},
		{"against", 0, OPT_STRING, &a->against.with, "TREE|KERNEL|RUN",
		 "count this kernel too, or take this run, and print the difference", .otherwise = "nothing"},
		{"format", 0, OPT_WORD, &a->against.format_name, "FORMAT",
		 "how the difference is printed; ktap: also of this run alone",
		 .words = OPT_WORDS("text", "changelog", "markdown", "json", "ktap")},
		FAIL_OPTION(&a->against.fail_words),
		{"bisect", 0, OPT_STRING, &a->against.bisect, "WORDS",
		 "VARIANT<=N: exit status for git bisect run: 0 if it takes at most N instructions per packet, 1 if "
		 "more, 125 if nobody can tell",
		 .otherwise = "no"},
		{"nic", 'n', OPT_WORD, &o->what.nic, "NIC", "the driver that receives; veth: the built-in test bed",
		 .words = OPT_WORDS("veth", "tun", "virtio_net", "vmxnet3", "e1000", "e1000e", "igb")},
		{"no-memory", 0, OPT_FLAG, &no_memory, NULL, "count no loads, stores and lines: a third of the time"},
		FRAMES_OPTION(&a->frames),
		OWN_OPTIONS(&o->what.own),
		{"beside", 0, OPT_STRING, &o->beside, "COMMAND",
		 "run this in the virtual machine while it counts, to see that other work changes nothing",
		 .otherwise = "nothing"},
		{"force", 0, OPT_FLAG, &o->force, NULL, "replace the run directory"},
		{"quiet", 'q', OPT_FLAG, &o->quiet, NULL, "no progress"},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv);

	if (parsed)
		return opts_exit(parsed);
	if (strcmp(machine, "x86_64") != 0)
		return complain("%s: kernels of x86-64 alone are counted; docs/exact.rst names what others lack",
				machine),
		       EXIT_LACKS;
	o->what.memory = !no_memory && !a->against.bisect;
	o->frames = &a->frames;
	if (check_tree(o, &d) || exact_against_take(&a->against, o->out_dir, guest, &d) || take_variants(a, &d))
		return complain("%s", d.text), EXIT_USAGE;
	return -1;
}

/* In the virtual machine: the same words, of which those for the host mean nothing. */
static int count_in_guest(const struct host_options *o, struct diag *d)
{
	char compiler[MADE_COMPILER_BYTES];
	struct utsname u;

	uname(&u);
	env_compiler(compiler);
	fprintf(stderr, "kernel %s\n", u.release);
	fprintf(stderr, GUEST_COMPILER "%s\n", compiler);
	return guest_count(&o->what, "/share", d);
}

static void free_words(char **words)
{
	for (char **w = words; w && *w; w++)
		free(*w);
	free(words);
}

/* A copy, because the parser cuts lists into their items. NULL: no memory. */
static char **copy_words(int n, char *const *words)
{
	char **copy = calloc((size_t)n + 1, sizeof(*copy));

	for (int i = 0; copy && i < n; i++) {
		copy[i] = strdup(words[i]);
		if (!copy[i]) {
			free_words(copy);
			return NULL;
		}
	}
	return copy;
}

/* The run directory is there; its counts have to close. */
static int cmd_exact_judge(const char *dir, struct diag *d)
{
	struct loaded_run l;
	int err = loaded_run_open_exact(&l, dir, NULL, d);
	size_t open;

	if (err)
		return fail(d, err);
	open = loaded_run_complain(&l, NULL);
	loaded_run_release(&l);
	return open ? EXIT_GATE : EXIT_OK;
}

static int count_run(const struct host_options *o)
{
	struct diag d = {};
	int err = host_count(o, &d);

	return err ? fail(&d, err) : cmd_exact_judge(o->out_dir, &d);
}

/* The kernel; before it the other one, if it is to be counted; and what differs. */
static int cmd_exact_count(struct exact_args *a)
{
	struct host_options base = a->host;
	const char *const *variants = a->host.what.variants;
	int status = exact_against_counts(&a->against, &base) ? count_run(&base) : EXIT_OK, counted;

	if (status != EXIT_OK && status != EXIT_GATE)
		return status;
	counted = count_run(&a->host);
	if (a->against.bisect)
		return exact_against_bisect(&a->against, a->host.out_dir, variants, a->host.what.nvariants, counted);
	if (counted != EXIT_OK && counted != EXIT_GATE)
		return counted;
	status = status == EXIT_OK ? counted : status;
	counted = exact_against_show(&a->against, a->host.out_dir, variants, a->host.what.nvariants);
	return counted == EXIT_OK ? status : counted;
}

/* A bisection keeps no run, unless it is told where. */
static int open_scratch(struct exact_args *a, struct diag *d)
{
	if (a->host.out_dir)
		return 0;
	snprintf(a->scratch, sizeof(a->scratch), "/tmp/xdpzoom-XXXXXX");
	if (!mkdtemp(a->scratch)) {
		a->scratch[0] = '\0';
		return diag_set(d, -errno, "no temporary folder: %s", strerror(errno));
	}
	snprintf(a->scratch_run, sizeof(a->scratch_run), "%s/run", a->scratch);
	a->host.out_dir = a->scratch_run;
	return 0;
}

static void close_scratch(const struct exact_args *a)
{
	int fd = a->scratch[0] ? tree_open(AT_FDCWD, a->scratch) : -1;

	if (fd < 0)
		return;
	tree_remove(fd);
	close(fd);
	rmdir(a->scratch);
}

static bool bisects(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], "--bisect", 8))
			return true;
	return false;
}

int cmd_exact(const struct command *c, int argc, char **argv)
{
	struct exact_args a = {.host = {.what.nic = "veth"}};
	bool guest = argc > 1 && !strcmp(argv[1], GUEST_FLAG), bisect = !guest && bisects(argc, argv);
	struct frames frames = {};
	struct diag d = {};
	char **words;
	int status, err;

	stop_on_signals();
	argc -= guest;
	argv += guest;
	own_options_init(&a.host.what.own);
	words = copy_words(argc - 1, argv + 1);
	a.host.words = words;
	a.host.command = command_line(argc, argv);
	if (!words || !a.host.command)
		status = fail(&d, -ENOMEM);
	else
		status = cmd_exact_parse(&a, guest, c, argc, argv);
	if (status > EXIT_OK && bisect)
		status = BISECT_END;
	if (status < 0) {
		err = cmd_exact_take_frames(&a, &frames, &d);
		if (!err && !guest)
			err = open_scratch(&a, &d);
		if (!err && guest)
			err = count_in_guest(&a.host, &d);
		if (err)
			status = bisect ? (fail(&d, err), BISECT_END) : fail(&d, err);
		else
			status = guest ? EXIT_OK : cmd_exact_count(&a);
		close_scratch(&a);
	}
	frames_release(&frames);
	json_decref(a.host.command);
	free_words(words);
	return status;
}
