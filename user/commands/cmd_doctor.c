// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/selftest/selftest.h"
#include "user/doctor/doctor.h"

struct doctor_args {
	const char *netns, *format, *root, *output;
	int rx_cpu;
	double for_s;
	bool fix, yes, undo, strict, selftest;
};

static void cmd_doctor_tell(const char *words)
{
	printable_printf(stdout, "%s\n", words);
}

/* Puts back the changes that --fix made, and the changes that a killed run left behind. */
static int undo(void)
{
	struct diag d = {};
	size_t kept = 0, orphans = 0;
	int err = changes_undo(CHANGES_ORPHANS, cmd_doctor_tell, &orphans, &d);
	int kept_err = changes_undo(CHANGES_KEPT, cmd_doctor_tell, &kept, &d);

	if (!err && !kept_err && !kept && !orphans)
		printf("nothing to put back\n");
	return err || kept_err ? complain_of(&d, err ? err : kept_err) : EXIT_OK;
}

/* Returns whether this process has CAP_NET_ADMIN (bit 12) and CAP_SYS_ADMIN (bit 21). */
static bool capable(const struct facts *f)
{
	unsigned long long caps;
	char line[256];

	if (f->copy)
		return false;
	facts_scan (f, line, "proc/self/status")
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			return (caps >> 12 & 1) && (caps >> 21 & 1);
	return false;
}

/* Asks the user and returns whether the answer is yes. The end of the input counts as no. */
static bool asked(const struct doctor_row *row)
{
	char answer[32] = "";

	printable_printf(stderr, "%s: %s\n  %s\ndo it? [y/N] ", row->name, row->finding, row->fix);
	if (!fgets(answer, sizeof(answer), stdin))
		fputc('\n', stderr);
	return (answer[0] == 'y' || answer[0] == 'Y') && !stop_requested;
}

static int fix(const struct doctor *dr, bool yes)
{
	struct diag d = {};
	size_t offered = 0, done = 0;
	int err = 0;

	for (size_t i = 0; i < dr->nrows && !stop_requested; i++) {
		const struct doctor_row *row = &dr->rows[i];

		offered += row->nfixes > 0;
		if (!row->nfixes || (!yes && !asked(row)))
			continue;
		/* Every change of the row, also after a failure. */
		for (size_t k = 0; k < row->nfixes; k++) {
			char words[200];
			bool changed;
			int failed = changes_make(&row->fixes[k], false, &changed, &d);

			err = err ? err : failed;
			if (failed || !changed)
				continue;
			done++;
			setting_words(&row->fixes[k], words, sizeof(words));
			printable_printf(stdout, "%s is %s now\n", words, row->fixes[k].value);
		}
	}
	if (!offered)
		printf("no finding that a command can fix\n");
	else if (done)
		printf("%zu settings changed; xdpzoom doctor --undo puts them back\n", done);
	return err ? complain_of(&d, err) : EXIT_OK;
}

static int cmd_doctor_show(const struct doctor *dr, const struct doctor_args *a)
{
	int err = 0;

	if (!strcmp(a->format, "json"))
		err = doctor_render_json(stdout, dr);
	else
		doctor_render_text(stdout, dr, isatty(STDOUT_FILENO));
	if (!err)
		err = render_finish(stdout);
	if (err)
		return complain("cannot write: %s", strerror(-err)), EXIT_FAILED;
	if (dr->levels[DOCTOR_FATAL])
		return EXIT_LACKS;
	return a->strict && dr->levels[DOCTOR_WARNING] ? EXIT_GATE : EXIT_OK;
}

static int examine(const struct doctor_args *a, const char *dev)
{
	struct doctor *dr = calloc(1, sizeof(*dr));
	const char *netns = a->netns;
	struct diag d = {};
	char line[32];
	int err = 0, status;

	if (!dr)
		return complain("no memory"), EXIT_FAILED;
	dr->facts = (struct facts){.root_fd = -1, .sys_fd = -1};
	if (dev && !strcmp(dev, "lab")) {
		dev = RIG_RX_DEV;
		netns = RIG_RX_NETNS;
		err = rig_exists() ? 0 : diag_set(&d, -ENODEV, "the lab is down; xdpzoom lab up makes it");
	}
	if (!err)
		err = netns_enter(netns, &d) ?: facts_open(&dr->facts, a->root, &d);
	if (!err && dev && !dr->facts.copy)
		err = netdev_open(&dr->nd, dev, &d);
	else if (!err && dev &&
		 (strlen(dev) >= sizeof(dr->nd.name) || strchr(dev, '/') ||
		  facts_line(&dr->facts, line, sizeof(line), "sys/class/net/%s/mtu", dev)))
		err = diag_set(&d, -ENODEV, "%s: no such device below %s", dev, a->root);
	else if (!err && dev)
		strcpy(dr->nd.name, dev);
	dr->capable = !err && capable(&dr->facts);
	if (!err)
		err = doctor_examine(dr, a->rx_cpu, &d);
	status = err ? complain_of(&d, err) : a->fix ? fix(dr, a->yes) : cmd_doctor_show(dr, a);
	doctor_release(dr);
	free(dr);
	return status;
}

static int show_selftest(const struct selftest *s, const char *format)
{
	const struct format *f = NULL;
	struct document doc;
	struct output out;
	struct diag d = {};
	int err = output_open(&out, NULL, &d);

	if (err)
		return complain_of(&d, err);
	format_of(&f, format, KIND(DOCUMENT_SELFTEST), NULL);
	err = format_write(f, out.stream, &doc, document_of_selftest(&doc, &s->checks),
			   &(struct render_options){.colour = out.colour, .columns = (size_t)out.columns});
	err = output_close(&out, err, &d);
	if (err)
		return complain_of(&d, err);
	if (checks_count(&s->checks, CHECK_MISSED))
		return EXIT_GATE;
	return checks_count(&s->checks, CHECK_OPEN) ? EXIT_OPEN : EXIT_OK;
}

static int check_args(const struct doctor_args *a, const char *dev)
{
	if (a->selftest && (dev || a->fix || a->undo || a->strict || a->root || a->netns || a->rx_cpu >= 0))
		return complain("doctor --selftest takes --for, --output and --format alone, and no device"), -1;
	if (!a->selftest && (a->output || a->for_s > 0 || !strcmp(a->format, "ktap")))
		return complain("--for, --output and --format ktap need --selftest"), -1;
	if (a->undo && (a->fix || dev))
		return complain("doctor --undo takes no other option and no device"), -1;
	if (a->yes && !a->fix)
		return complain("-y needs --fix"), -1;
	if (a->root && (a->fix || a->netns || (dev && !strcmp(dev, "lab"))))
		return complain("--root cannot be used with --fix, --netns or lab"), -1;
	if (!a->root && a->rx_cpu >= 0 && cpu_check(a->rx_cpu))
		return complain("CPU %d is not there or offline", a->rx_cpu), -1;
	return 0;
}

int cmd_doctor(const struct command *c, int argc, char **argv)
{
	struct doctor_args a = {.format = "text", .rx_cpu = -1};
	const char *dev = NULL;
	const struct opt opts[] = {
		{"DEV", 0, OPT_DEVICE, &dev, NULL, "a device to check too; lab: the receiver of the built-in testbed",
		 .words = OPT_WORDS("lab"), .flags = OPT_ARGUMENT},
		{"fix", 0, OPT_FLAG, &a.fix, NULL, "ask before each fix, then run its command (root)"},
		{"yes", 'y', OPT_FLAG, &a.yes, NULL, "with --fix: do not ask"},
		{"undo", 0, OPT_FLAG, &a.undo, NULL, "put back the changes of --fix and of killed runs (root)"},
		{"strict", 0, OPT_FLAG, &a.strict, NULL,
		 "exit status 3 when there are warnings (77 when something is fatal)"},
		{"rx-cpu", 0, OPT_INT, &a.rx_cpu, "CPU", "the CPU that receives", 0, DOCTOR_MAX_CPUS - 1,
		 .otherwise = "from the interrupts, else the last"},
		{"netns", 'N', OPT_NETNS, &a.netns, "NAME", "the network namespace of the device"},
		{"selftest", 0, OPT_FLAG, &a.selftest, NULL,
		 "measure known costs in the lab, to see what this machine can measure now (root)"},
		{"for", 't', OPT_SECONDS, &a.for_s, "TIME",
		 "with --selftest: while a bar is inconclusive, record longer, for at most this time in all", 0.001,
		 86400, .otherwise = "10min"},
		{"output", 'o', OPT_DIR, &a.output, "DIR",
		 "with --selftest: keep the recordings in DIR, which must not exist"},
		{"root", 0, OPT_DIR, &a.root, "DIR", "check copies of another machine's proc and sys in DIR"},
		{"format", 'f', OPT_WORD, &a.format, "FORMAT", "how the result is printed; ktap: of --selftest",
		 .words = OPT_WORDS("text", "json", "ktap")},
		{},
	};
	int parsed = opts_parse(c, opts, argc, argv), err;
	struct diag d = {};

	if (parsed)
		return opts_exit(parsed);
	if (check_args(&a, dev))
		return EXIT_USAGE;
	if ((a.fix || a.undo || a.selftest) && geteuid() != 0)
		return complain("doctor --%s needs root", a.fix ? "fix" : a.undo ? "undo" : "selftest"), EXIT_LACKS;
	stop_on_signals();
	if (a.selftest) {
		a.for_s = a.for_s > 0 ? a.for_s : 600;
		/* Measures known costs. Recordings go on for that long while a bar cannot be told. */
		char temporary[] = "/tmp/xdpzoom-selftest.XXXXXX";
		struct selftest s = {.dir = a.output ?: temporary,
				     .quiet = !isatty(STDERR_FILENO),
				     .until_ns = now_ns() + (uint64_t)(1e9 * a.for_s)};
		int status;
		if (a.output ? mkdir(a.output, 0755) : !mkdtemp(temporary))
			return complain("cannot make %s: %s", s.dir, strerror(errno)), EXIT_FAILED;
		status = selftest_recordings(&s);
		if (!status)
			status = show_selftest(&s, a.format);
		if (!a.output)
			tree_discard(temporary);
		checks_release(&s.checks);
		return status;
	}
	err = a.root ? jail_enter(JAIL_BELOW, -1, 0, &d) : 0;
	if (err)
		return complain_of(&d, err);
	return a.undo ? undo() : examine(&a, dev);
}
