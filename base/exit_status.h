/*
 * exit_status - the exit statuses of this project's programs
 *
 * law:   tests and scripts rely on these numbers; they never change
 * src:   77 is the status by which test harnesses know a skipped test (Automake, "Scripts-based Testsuites")
 */
#ifndef BASE_EXIT_STATUS_H
#define BASE_EXIT_STATUS_H

enum {
	EXIT_OK = 0,
	EXIT_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_GATE = 3,   /* the result failed a quality gate */
	EXIT_OPEN = 4,   /* nothing failed, and something could not be told */
	EXIT_LACKS = 77, /* this machine lacks something that the command needs */
};

#endif
