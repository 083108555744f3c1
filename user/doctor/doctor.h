/*
 * doctor - what this machine can measure, what would spoil it, and what mends that
 *
 * in:    files of /proc and /sys (facts.h), and, on the machine itself, what the kernel answers; a device or none
 * out:   a row for each check of the table in doctor.c, in its order
 * law:   nothing is changed; what cannot be seen is said to be so, and is no verdict. The command in "mend" and the
 *        settings
 *        in "fixes" are the same thing
 * error: none below: a check that cannot be made is a row
 * src:   kernel Documentation: admin-guide/pm, networking/scaling.rst, networking/xdp-rx-metadata.rst, bpf/;
 *        ethtool(8), perf-record(1)
 */
#ifndef USER_DOCTOR_H
#define USER_DOCTOR_H

#include <stdbool.h>
#include <stdio.h>
#include "user/machine/facts.h"
#include "user/machine/netdev.h"
#include "user/settings/setting.h"

enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_FATAL, DOCTOR_UNSEEN, DOCTOR_LEVELS };

#define DOCTOR_MAX_FIXES 16
#define DOCTOR_MAX_CPUS  1024

struct doctor_row {
	const char *name, *what;
	enum doctor_level level;
	char finding[400];
	char mend[800]; /* a command, or words where no command helps; "" nothing to mend */
	struct setting fixes[DOCTOR_MAX_FIXES];
	size_t nfixes;
};

/* What counts up, at one moment. */
struct doctor_sample {
	uint64_t at_ns;
	struct cpu_times cpus[DOCTOR_MAX_CPUS]; /* all zero: no such CPU */
	int64_t rx_packets;
};

struct doctor {
	struct facts facts;
	struct netdev nd; /* name "": no device */
	int rx_cpu;
	bool capable; /* may see and change what root may */
	struct doctor_sample before, after;
	struct doctor_row *rows;
	size_t nrows;
	size_t levels[DOCTOR_LEVELS]; /* how many of each */
};

/* rx_cpu < 0: where most of the device's interrupts went, else the default. Looks on for half a second. */
int doctor_examine(struct doctor *dr, int rx_cpu, struct diag *d);
void doctor_release(struct doctor *dr);

void doctor_render_text(FILE *out, const struct doctor *dr, bool colour);
void doctor_render_json(FILE *out, const struct doctor *dr);

/* For the checks: each sets the row's level and finding; fixes and mends come after it. */
typedef void doctor_check(const struct doctor *dr, struct doctor_row *row);
void row_is(struct doctor_row *row, enum doctor_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void row_mend(struct doctor_row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void row_fix(struct doctor_row *row, const char *kind, const char *dev, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Unseen, with the reason that err gives. */
void row_unseen(struct doctor_row *row, int err);

doctor_check check_rights, check_xdp_link, check_live_frames, check_btf, check_tp_btf, check_lockdown, check_memlock,
	check_perf, check_paranoid, check_kptr, check_sample_rate, check_nmi_watchdog, check_jit, check_jit_harden,
	check_bpf_stats, check_tracer; /* doctor_kernel.c */
doctor_check check_vm, check_steal, check_governor, check_turbo, check_smt, check_other_work, check_cstates,
	check_mitigations, check_clocksource, check_irqbalance; /* doctor_cpu.c */
doctor_check check_link, check_xdp_features, check_virtio_offloads, check_lro, check_gro_hw, check_gro, check_ring,
	check_queues, check_rules, check_mtu, check_pause, check_other_xdp, check_traffic, check_irqs, check_rps,
	check_numa, check_leftovers; /* doctor_nic.c */

#endif
