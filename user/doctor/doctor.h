/*
 * doctor - checks what this machine can measure, finds what would spoil a measurement, and gives the remedy ("fix")
 *
 * law:   no check changes a setting. A fact that cannot be seen gives the level DOCTOR_UNKNOWN, never a verdict. The
 *        commands in "fix" do the same as the settings in "fixes"
 * src:   kernel Documentation: admin-guide/pm, networking/scaling.rst, networking/xdp-rx-metadata.rst, bpf/;
 *        ethtool(8), perf-record(1)
 */
#ifndef USER_DOCTOR_H
#define USER_DOCTOR_H

#include "user/machine/machine.h"
#include "user/settings/settings.h"

enum doctor_level { DOCTOR_OK, DOCTOR_WARNING, DOCTOR_FATAL, DOCTOR_UNKNOWN, DOCTOR_LEVELS };

#define DOCTOR_MAX_FIXES 16
#define DOCTOR_MAX_CPUS  1024

struct doctor_row {
	const char *name, *what;
	enum doctor_level level;
	char finding[400];
	char fix[800]; /* commands, or advice where no command helps; "": nothing to fix */
	struct setting fixes[DOCTOR_MAX_FIXES];
	size_t nfixes;
};

/* Counters at one moment. */
struct doctor_sample {
	uint64_t at_ns;
	struct cpu_times cpus[DOCTOR_MAX_CPUS]; /* all zero: the CPU does not exist */
	int64_t rx_packets;
};

struct doctor {
	struct facts facts;
	struct netdev nd; /* name "": no device */
	char driver[64];  /* the device's; of a copy of files, as its uevent file has it */
	int rx_cpu;
	bool capable; /* this process may read and change the same things as root */
	struct doctor_sample before, after;
	struct doctor_row *rows;
	size_t nrows;
	size_t levels[DOCTOR_LEVELS]; /* the number of rows of each level */
};

/*
 * Takes half a second. rx_cpu < 0: chooses the CPU that got most of the device's interrupts, or the default CPU when
 * there were none.
 */
int doctor_examine(struct doctor *dr, int rx_cpu, struct diag *d);
void doctor_release(struct doctor *dr);

void doctor_render_text(FILE *out, const struct doctor *dr, bool colour);
int doctor_render_json(FILE *out, const struct doctor *dr); /* -errno of the stream, -ENOMEM */

/* For the checks: each calls row_is() first, which sets the level and the finding, then row_fix() or row_remedy(). */
typedef void doctor_check(const struct doctor *dr, struct doctor_row *row);
void row_is(struct doctor_row *row, enum doctor_level level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void row_remedy(struct doctor_row *row, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void row_fix(struct doctor_row *row, const char *kind, const char *dev, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Sets DOCTOR_UNKNOWN with the reason for err (-errno). */
void row_unknown(struct doctor_row *row, int err);

doctor_check check_rights, check_live_frames, check_tp_btf, check_lockdown, check_perf, check_config;
doctor_check check_vm, check_steal, check_governor, check_turbo, check_smt, check_other_work, check_cstates,
	check_clocksource, check_irqbalance;
doctor_check check_link, check_xdp_features, check_virtio_offloads, check_gro, check_ring, check_queues, check_mtu,
	check_pause, check_other_xdp, check_traffic, check_rps, check_numa, check_leftovers;
doctor_check check_bpf_stats, check_tracer, check_xdp_tracing, check_packet_sockets, check_tc;

#endif
