/*
 * xdpzoom - what all commands share: exit statuses, the one way to complain, the commands themselves
 *
 * law:   data goes to stdout, everything else to stderr; one sentence per failure
 */
#ifndef USER_XDPZOOM_H
#define USER_XDPZOOM_H

#include <signal.h>
#include "perfparse/diag.h"
#include "user/opts.h"

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_GATE = 3,   /* the result failed a quality gate */
	EXIT_LACKS = 77, /* this machine lacks what is needed */
};

/* "xdpzoom: ..." on stderr. */
void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints the diag's sentence and maps err to an exit status. */
int fail(const struct diag *d, int err);

/* Set by SIGINT, SIGTERM and SIGHUP once stop_on_signals() was called. */
extern volatile sig_atomic_t stop_requested;
void stop_on_signals(void);
/* 0, or after such a signal -EINTR with the sentence that says so. */
int stopped(struct diag *d);

int cmd_demo(const struct command *c, int argc, char **argv);
int cmd_diff(const struct command *c, int argc, char **argv);
int cmd_doctor(const struct command *c, int argc, char **argv);
int cmd_gen(const struct command *c, int argc, char **argv);
int cmd_history(const struct command *c, int argc, char **argv);
int cmd_lab(const struct command *c, int argc, char **argv);
int cmd_plot(const struct command *c, int argc, char **argv);
int cmd_record(const struct command *c, int argc, char **argv);
int cmd_report(const struct command *c, int argc, char **argv);
int cmd_selftest(const struct command *c, int argc, char **argv);
int cmd_stat(const struct command *c, int argc, char **argv);

#endif
