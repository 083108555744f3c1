// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/doctor/doctor.h"

#define LOOK_NS 500000000ULL

#define MERGES "the NIC merges packets before they are counted, and drivers refuse native XDP with it"

/* ASKS: the check asks the running kernel, so it cannot look at a copy of files (--root). DEVICE: it needs a device. */
enum { MACHINE = 0, ASKS = 1, DEVICE = 2 };

/*
 * To add a check, add a line here, its declaration in doctor.h, and its function in one of doctor_*.c; or the file of
 * a number, or the feature of the device, that is good or bad by itself.
 */
static const struct kind {
	const char *name, *what;
	int needs;
	doctor_check *check;
	/* without a check: the number of a file has to be in low..high, or the feature off */
	const char *file, *feature;
	long long low, high, good; /* good: what mends it */
	enum doctor_level bad;
	const char *why, *unit, *other; /* why: it is bad; other: what is said of a number that is not 0 */
} checks[] = {
	{"rights", "what this process may do", ASKS, check_rights},
	{"live-frames", "BPF_PROG_TEST_RUN with live frames, the generator", ASKS, check_live_frames},
	{"tp_btf", "the probe that counts packets per poll", MACHINE, check_tp_btf},
	{"lockdown", "what the kernel refuses even to root", MACHINE, check_lockdown},
	{"perf", "perf and the event it can sample", ASKS, check_perf},
	{"kptr", "kernel.kptr_restrict", MACHINE, NULL, "/proc/sys/kernel/kptr_restrict", NULL, LLONG_MIN, 1, 1,
	 DOCTOR_FATAL, "perf cannot name kernel functions, not even for root", "", ", which does not restrict root"},
	{"sample-rate", "kernel.perf_event_max_sample_rate", MACHINE, NULL,
	 "/proc/sys/kernel/perf_event_max_sample_rate", NULL, 4000, LLONG_MAX, 100000, DOCTOR_WARNING,
	 "the kernel lowered it because samples took too long", " a second", ""},
	{"nmi-watchdog", "it occupies a hardware counter", MACHINE, NULL, "/proc/sys/kernel/nmi_watchdog", NULL,
	 LLONG_MIN, 0, 0, DOCTOR_WARNING, "it takes a hardware counter from perf, and its interrupts take time", "",
	 ""},
	{"jit", "net.core.bpf_jit_enable", MACHINE, NULL, "/proc/sys/net/core/bpf_jit_enable", NULL, 1, LLONG_MAX, 1,
	 DOCTOR_WARNING, "the kernel interprets BPF programs, which is many times slower", "", ""},
	{"jit-harden", "net.core.bpf_jit_harden", MACHINE, NULL, "/proc/sys/net/core/bpf_jit_harden", NULL, LLONG_MIN,
	 1, 1, DOCTOR_WARNING, "the JIT blinds constants also in root's programs, which costs time", "", ""},
	{"bpf-stats", "statistics of BPF programs", MACHINE, check_bpf_stats},
	{"tracer", "ftrace's tracer and events", MACHINE, check_tracer},
	{"xdp-tracing", "programs at the entry or exit of XDP programs, as xdpdump has them", ASKS, check_xdp_tracing},
	{"config", "the kernel's configuration", MACHINE, check_config},
	{"vm", "virtual machine", MACHINE, check_vm},
	{"steal", "time the hypervisor took", ASKS, check_steal},
	{"governor", "clock of the RX CPU", MACHINE, check_governor},
	{"turbo", "clock beyond the nominal one", MACHINE, check_turbo},
	{"smt", "the RX CPU's sibling", MACHINE, check_smt},
	{"other-work", "what else runs on the RX CPU", ASKS, check_other_work},
	{"c-states", "how deep the RX CPU sleeps", MACHINE, check_cstates},
	{"clocksource", "how the kernel reads the time", MACHINE, check_clocksource},
	{"irqbalance", "it moves interrupts", MACHINE, check_irqbalance},
	{"leftovers", "settings that xdpzoom changed", ASKS, check_leftovers},
	{"link", "the device", DEVICE | ASKS, check_link},
	{"xdp-features", "what its driver can do", DEVICE | ASKS, check_xdp_features},
	{"virtio", "offloads that virtio_net refuses XDP for", DEVICE, check_virtio_offloads},
	{"lro", "merging by the NIC", DEVICE | ASKS, .feature = "rx-lro", .why = MERGES},
	{"gro-hw", "GRO by the NIC", DEVICE | ASKS, .feature = "rx-gro-hw", .why = MERGES},
	{"gro", "GRO by the kernel", DEVICE | ASKS, check_gro},
	{"ring", "frames that may wait in the NIC's ring", DEVICE | ASKS, check_ring},
	{"queues", "queues and CPUs", DEVICE | ASKS, check_queues},
	{"mtu", "a frame in a page", DEVICE, check_mtu},
	{"pause", "Ethernet pause frames", DEVICE | ASKS, check_pause},
	{"other-xdp", "XDP programs of others", DEVICE | ASKS, check_other_xdp},
	{"packet-sockets", "programs that listen to all frames, as tcpdump does", DEVICE, check_packet_sockets},
	{"tc", "programs and classifiers of tc", DEVICE | ASKS, check_tc},
	{"traffic", "packets that arrive now", DEVICE | ASKS, check_traffic},
	{"rps", "packets handed on to other CPUs", DEVICE, check_rps},
	{"numa", "the RX CPU's distance to the NIC", DEVICE, check_numa},
};

#define NCHECKS (sizeof(checks) / sizeof(*checks))

void row_is(struct doctor_row *row, enum doctor_level level, const char *fmt, ...)
{
	va_list args;

	row->level = level;
	va_start(args, fmt);
	vsnprintf(row->finding, sizeof(row->finding), fmt, args);
	va_end(args);
	if (!*row->finding) { /* the words of a file that has none */
		row->level = DOCTOR_UNKNOWN;
		snprintf(row->finding, sizeof(row->finding), "cannot be read: the file is empty");
	}
}

void row_unknown(struct doctor_row *row, int err)
{
	if (err == -EACCES || err == -EPERM)
		row_is(row, DOCTOR_UNKNOWN, "only root may read it");
	else
		row_is(row, DOCTOR_UNKNOWN, "cannot be read: %s", strerror(-err));
}

void row_remedy(struct doctor_row *row, const char *fmt, ...)
{
	char words[600];
	va_list args;

	va_start(args, fmt);
	vsnprintf(words, sizeof(words), fmt, args);
	va_end(args);
	listed_add(row->fix, sizeof(row->fix), "; ", "%s", words);
}

void row_fix(struct doctor_row *row, const char *kind, const char *dev, const char *name, const char *fmt, ...)
{
	struct setting *s = &row->fixes[row->nfixes];
	char value[160], command[400];
	va_list args;

	if (row->nfixes == DOCTOR_MAX_FIXES)
		return;
	row->nfixes++;
	va_start(args, fmt);
	vsnprintf(value, sizeof(value), fmt, args);
	va_end(args);
	setting_fill(s, kind, dev, name, "%s", value);
	setting_command(s, command, sizeof(command));
	listed_add(row->fix, sizeof(row->fix), "; ", "%s", command);
}

static void check_number(const struct doctor *dr, struct doctor_row *row, const struct kind *k)
{
	long long value;
	int err = facts_number(&dr->facts, &value, "%s", k->file + 1);

	if (err == -ENOENT)
		row_is(row, DOCTOR_OK, "this kernel has no such setting");
	else if (err)
		row_unknown(row, err);
	else if (value >= k->low && value <= k->high)
		row_is(row, DOCTOR_OK, "%lld%s%s", value, k->unit, value ? k->other : "");
	else
		row_is(row, k->bad, "%lld%s: %s", value, k->unit, k->why);
	if (!err && row->level == k->bad)
		row_fix(row, "file", "", k->file, "%lld", k->good);
}

static void check_off(const struct doctor *dr, struct doctor_row *row, const struct kind *k)
{
	struct ethtool_feature f;
	int err = ethtool_feature_get(dr->nd.name, k->feature, &f);

	if (err == -EOPNOTSUPP)
		row_is(row, DOCTOR_OK, "this kernel has no such feature");
	else if (err)
		row_unknown(row, err);
	else if (!f.active)
		row_is(row, DOCTOR_OK, "off%s", f.fixed ? ", the driver cannot do it" : "");
	else
		row_is(row, DOCTOR_WARNING, "on: %s", k->why);
	if (row->level == DOCTOR_WARNING && f.fixed)
		row_remedy(row, "the driver cannot switch it off; compare only with machines that have it on");
	else if (row->level == DOCTOR_WARNING)
		row_fix(row, "feature", dr->nd.name, k->feature, "off");
}

int doctor_examine(struct doctor *dr, int rx_cpu, struct diag *d)
{
	char online[256], line[128];
	struct irq irqs[64];
	size_t n = dr->nd.name[0] ? facts_irqs(&dr->facts, dr->nd.name, irqs, 64) : 0;
	uint64_t most = 0;
	int busiest = -1, cpus = cpu_possible();

	snprintf(dr->driver, sizeof(dr->driver), "%s", dr->nd.driver);
	if (dr->nd.name[0] && !dr->driver[0])
		facts_scan (&dr->facts, line, "sys/class/net/%s/device/uevent", dr->nd.name)
			if (!strncmp(line, "DRIVER=", 7))
				snprintf(dr->driver, sizeof(dr->driver), "%.*s", (int)strcspn(line + 7, "\n"),
					 line + 7);
	/* The CPU that got most interrupts of the device; else the last one that is online. */
	for (size_t i = 0; i < n; i++) {
		if (irqs[i].count <= most || irqs[i].busiest_cpu < 0)
			continue;
		most = irqs[i].count;
		busiest = irqs[i].busiest_cpu;
	}
	if (busiest < 0 && !dr->facts.copy)
		busiest = cpu_pick_rx();
	if (busiest < 0 && !facts_line(&dr->facts, online, sizeof(online), "sys/devices/system/cpu/online"))
		for (int cpu = 0; cpu < DOCTOR_MAX_CPUS; cpu++)
			busiest = cpulist_has(online, cpu) ? cpu : busiest;
	dr->rx_cpu = rx_cpu >= 0 ? rx_cpu : busiest >= 0 ? busiest : 0;
	dr->rows = calloc(NCHECKS, sizeof(*dr->rows));
	if (!dr->rows)
		return diag_set(d, -ENOMEM, "no memory");
	for (int i = 0; i < 2 && !dr->facts.copy; i++) {
		struct doctor_sample *s = i ? &dr->after : &dr->before;

		if (i)
			sleep_until_ns(now_ns() + LOOK_NS);
		s->at_ns = now_ns();
		facts_all_cpu_times(&dr->facts, s->cpus, cpus < DOCTOR_MAX_CPUS ? cpus : DOCTOR_MAX_CPUS);
		s->rx_packets = dr->nd.name[0] ? netdev_packets(dr->nd.name, false) : -1;
	}
	for (size_t i = 0; i < NCHECKS; i++) {
		struct doctor_row *row = &dr->rows[dr->nrows];

		if ((checks[i].needs & DEVICE) && !dr->nd.name[0])
			continue;
		row->name = checks[i].name;
		row->what = checks[i].what;
		if ((checks[i].needs & ASKS) && dr->facts.copy)
			row_is(row, DOCTOR_UNKNOWN, "not in files");
		else if (checks[i].check)
			checks[i].check(dr, row);
		else
			(checks[i].file ? check_number : check_off)(dr, row, &checks[i]);
		dr->levels[row->level]++;
		dr->nrows++;
	}
	return 0;
}

void doctor_release(struct doctor *dr)
{
	free(dr->rows);
	dr->rows = NULL;
	dr->nrows = 0;
	facts_release(&dr->facts);
}

/* ---- the rows as text and as JSON ---- */

static const struct {
	const char *word, *colour;
} levels[DOCTOR_LEVELS] = {
	[DOCTOR_OK] = {"ok", "32"},
	[DOCTOR_WARNING] = {"warning", "33"},
	[DOCTOR_FATAL] = {"fatal", "31"},
	[DOCTOR_UNKNOWN] = {"unknown", "2"},
};

void doctor_render_text(FILE *out, const struct doctor *dr, bool colour)
{
	printable_printf(out, "%s%sRX CPU %d\n\n", dr->nd.name, dr->nd.name[0] ? ", " : "", dr->rx_cpu);
	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];

		if (colour)
			fprintf(out, "\033[%sm%-8s\033[0m", levels[row->level].colour, levels[row->level].word);
		else
			fprintf(out, "%-8s", levels[row->level].word);
		printable_printf(out, "%-13s %s\n", row->name, row->finding);
		if (row->fix[0])
			printable_printf(out, "%21s fix: %s\n", "", row->fix);
	}
	fprintf(out, "\n%zu fatal, %zu warnings, %zu ok, %zu not checked\n", dr->levels[DOCTOR_FATAL],
		dr->levels[DOCTOR_WARNING], dr->levels[DOCTOR_OK], dr->levels[DOCTOR_UNKNOWN]);
}

int doctor_render_json(FILE *out, const struct doctor *dr)
{
	json_t *rows = json_array(), *o;
	struct json_out w = {};

	for (size_t i = 0; i < dr->nrows; i++) {
		const struct doctor_row *row = &dr->rows[i];

		json_out_add(&w, rows,
			     json_pack("{s:s, s:s, s:s, s:o, s:b, s:o*}", "check", row->name, "what", row->what,
				       "level", levels[row->level].word, "finding", json_text_string(row->finding),
				       "fixable", row->nfixes > 0, "fix",
				       row->fix[0] ? json_text_string(row->fix) : NULL));
	}
	o = json_pack("{s:s, s:i, s:i, s:i, s:i, s:i, s:o}", "schema", "xdpzoom.doctor/1", "rx_cpu", dr->rx_cpu,
		      "fatal", (int)dr->levels[DOCTOR_FATAL], "warnings", (int)dr->levels[DOCTOR_WARNING], "ok",
		      (int)dr->levels[DOCTOR_OK], "unknown", (int)dr->levels[DOCTOR_UNKNOWN], "rows", rows);
	if (dr->nd.name[0])
		json_out_text(&w, o, "device", dr->nd.name);
	return json_out_write(&w, o, out, JSON_INDENT(2));
}
