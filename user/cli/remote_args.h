/*
 * remote_args - the options of commands for a generator on another machine: "--generator ssh:HOST" and others
 *
 * in:    words of the command line; the session of the measured device
 * out:   gen_options that name the other machine; warnings, as sentences on stderr
 * error: -EINVAL with one sentence for words that do not fit together
 */
#ifndef USER_CLI_REMOTE_ARGS_H
#define USER_CLI_REMOTE_ARGS_H

#include "user/session/session.h"

struct remote_args {
	const char *generator, *dev, *tool, *dst_ip;
	int threads;
};

/* The rows of an option table. */
/* clang-format off */
#define REMOTE_OPTIONS(a)                                                                                              \
	{"generator", 0, OPT_STRING, &(a)->generator, "ssh:HOST",                                                      \
	 "another machine sends, started and stopped through ssh"},                                                    \
	{"generator-dev", 0, OPT_STRING, &(a)->dev, "DEV", "the sending device on that machine"}, \
	{"generator-tool", 0, OPT_WORD, &(a)->tool, "TOOL", "the tool that sends; gen means xdpzoom gen", \
	 .words = OPT_WORDS("pktgen", "gen"), .otherwise = "pktgen"},                                                  \
	{"generator-threads", 0, OPT_INT, &(a)->threads, "N", "threads of pktgen on that machine", 1, 4096,  \
	 .otherwise = "1"},                                                                                            \
	{"dst-ip", 0, OPT_STRING, &(a)->dst_ip, "ADDR", "what pktgen sends to, or /N for a network",                   \
	 .otherwise = "198.18.0.42"}

/* Where the device is, and whether it may be one that this machine's own connection goes over (uplink.h). */
#define DEVICE_OPTIONS(netns, cut_off)                                                                                 \
	{"netns", 'N', OPT_NETNS, netns, "NAME", "the network namespace of the device"},                               \
	{"yes-cut-me-off", 0, OPT_FLAG, cut_off, NULL,                                                                 \
	 "take a device with the default route or this ssh session behind it"}

/* The rows of what frames look like. */
#define SHAPE_OPTIONS(o)                                                                                               \
	{"size", 's', OPT_INT, &(o)->bytes, "BYTES", "frame size without FCS", GEN_MIN_BYTES, GEN_LONGEST},            \
	{"flows", 'f', OPT_INT, &(o)->flows, "N", "number of UDP source ports", 1, 50000}

/* The rows that all our generators share. */
#define LOAD_OPTIONS(o)                                                                                                \
	{"rate", 'r', OPT_NUMBER, &(o)->rate_pps, "PPS", "limit of the generator", 100, 1e9, .otherwise = "none"},     \
	SHAPE_OPTIONS(o),                                                                                              \
	{"batch", 0, OPT_INT, &(o)->batch, "N", "frames that the generator hands over at once", 1, 256,                \
	 .otherwise = "the kernel's 64, less under a rate"}
/* clang-format on */

/* Fills g. Without --generator, g stays as it is. */
int remote_args_apply(const struct remote_args *a, struct gen_options *g, struct diag *d);

/* Prints a warning for each setting of an open session's devices that would spoil its numbers. */
void remote_warn(const struct session *s);

#endif
