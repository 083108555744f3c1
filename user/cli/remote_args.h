/*
 * remote_args - "--generator ssh:HOST" and what belongs to it, as commands take it
 *
 * in:    words of the command line; the device that is to be measured
 * out:   gen_options that name the other machine; warnings, as sentences on stderr
 * error: -EINVAL words that make no sense, with one sentence; otherwise those of remote.h
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
	{"generator-dev", 0, OPT_STRING, &(a)->dev, "DEV", "the device that sends there"},                             \
	{"generator-tool", 0, OPT_WORD, &(a)->tool, "TOOL", "what sends there; gen is xdpzoom gen",                    \
	 .words = OPT_WORDS("pktgen", "gen"), .otherwise = "pktgen"},                                                  \
	{"generator-threads", 0, OPT_INT, &(a)->threads, "N", "threads of pktgen there", 1, 4096, .otherwise = "1"},   \
	{"dst-ip", 0, OPT_STRING, &(a)->dst_ip, "ADDR", "what pktgen sends to, or /N for a network",                   \
	 .otherwise = "198.18.0.42"}
/* clang-format on */

/* The same of whatever generator is ours. */
#define LOAD_OPTIONS(o)                                                                                                \
	{"rate", 'r', OPT_NUMBER, &(o)->rate_pps, "PPS", "limit of the generator", 100, 1e9, .otherwise = "none"},     \
		{"size", 's', OPT_INT, &(o)->bytes, "BYTES", "frame size without FCS", GEN_MIN_BYTES, GEN_MAX_BYTES},  \
		{"flows", 'f', OPT_INT, &(o)->flows, "N", "number of UDP source ports", 1, 50000}

/* Fills g, which stays as it is when no other machine was named. */
int remote_args_apply(const struct remote_args *a, struct gen_options *g, struct diag *d);

/* Of an open session: warns of what would spoil its numbers. */
void remote_warn(const struct session *s);

#endif
