/*
 * remote_args - the options of commands that have a load: what sends it, where the device is, what is changed there
 *
 * in:    words of the command line; the session of the measured device
 * out:   session_options that name the generator; warnings, as sentences on stderr
 * error: -EINVAL with one sentence for words that do not fit together
 */
#ifndef USER_CLI_REMOTE_ARGS_H
#define USER_CLI_REMOTE_ARGS_H

#include "user/session/session.h"

struct generator_args {
	const char *where, *tool, *dst; /* NULL: not given */
	int threads;                    /* 0: not given */
	int cpu;                        /* < 0: not given */
};

/* clang-format off */
#define BATCH_PART(load)                                                                                               \
	{"batch", 0, OPT_INT, &(load)->batch, "N", "frames that a generator on this machine hands over at once",       \
	 1, 256, .otherwise = "the kernel's 64, less under a rate"}

/* Rows of an option table. */
#define GENERATOR_OPTION(a, load)                                                                                         \
	{"generator", 'g', OPT_PARTS, NULL, "WHERE", "what sends, such as local:eth1 or ssh:HOST/eth1,threads=4",      \
	 .parts = (const struct opt[]){                                                                                \
		{"WHERE", 0, OPT_STRING, &(a)->where, "local:DEV[@NETNS] or ssh:HOST/DEV",                             \
		 "a device of this machine, in a network namespace, or one of a machine that ssh reaches",             \
		 .otherwise = "the lab's own; else nothing", .flags = OPT_ARGUMENT},                                   \
		{"cpu", 0, OPT_INT, &(a)->cpu, "CPU", "of the lab's generator and of local:", 0, 4095,                 \
		 .otherwise = "another core"},                                                                         \
		BATCH_PART(load),                                                                                     \
		{"tool", 0, OPT_WORD, &(a)->tool, "TOOL", "of ssh: what sends there; gen means xdpzoom gen",           \
		 .words = OPT_WORDS("pktgen", "gen"), .otherwise = "pktgen"},                                          \
		{"threads", 0, OPT_INT, &(a)->threads, "N", "of ssh: threads of pktgen", 1, 4096, .otherwise = "1"},   \
		{"dst", 0, OPT_STRING, &(a)->dst, "ADDR", "of ssh: what pktgen sends to, or /N for a network",         \
		 .otherwise = "198.18.0.42"},                                                                          \
		{}}}

/* What is changed on the device, and put back at the end. */
#define TUNE_OPTION(session)                                                                                           \
	{"tune", 0, OPT_PARTS, NULL, "LIST", "change the device while it is measured",                                 \
	 .parts = (const struct opt[]){RX_OPTIONS(&(session)->rx), STEER_OPTIONS(&(session)->steer), {}}, .group = GROUP_DEVICE}

/* Where the device is, and whether it may be one that this machine's own connection goes over (uplink.h). */
#define DEVICE_OPTIONS(netns, cut_off)                                                                                 \
	{"netns", 'N', OPT_NETNS, netns, "NAME", "the network namespace of the device", .group = GROUP_DEVICE},                               \
	{"allow-management-interface", 0, OPT_FLAG, cut_off, NULL,                                                     \
	 "take a device with the default route or this ssh session behind it", .group = GROUP_DEVICE}

/* The rows of what frames look like. */
#define SHAPE_OPTIONS(o)                                                                                               \
	{"size", 's', OPT_INT, &(o)->bytes, "BYTES", "frame size without FCS", GEN_MIN_BYTES, GEN_LONGEST},            \
	{"flows", 0, OPT_INT, &(o)->flows, "N", "number of UDP source ports", 1, 50000, .group = GROUP_LOAD}

/* The rows that all our generators share. */
#define LOAD_OPTIONS(o)                                                                                                \
	{"rate", 'r', OPT_NUMBER, &(o)->rate_pps, "PPS", "limit of the generator", 100, 1e9, .otherwise = "none"},     \
	SHAPE_OPTIONS(o)
/* clang-format on */

/* Fills the load of o, and whether it is our own. */
int generator_apply(const struct generator_args *a, bool lab, struct session_options *o, struct diag *d);

/* Prints a warning for each setting of an open session's devices that would spoil its numbers. */
void remote_warn(const struct session *s);

#endif
