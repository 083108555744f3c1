/*
 * complain - the one way in which a program of this project reports a failure to a person
 *
 * out:   one line on stderr: the program's name, a colon, the sentence
 * law:   what names and files bring along cannot control the terminal (printable.h);
 *        data goes to stdout, everything else to stderr; one sentence per failure; libraries fill a diag instead
 * error: none; fail() returns the exit status that fits err: EXIT_LACKS for -EPERM and -EOPNOTSUPP, else EXIT_FAILED
 */
#ifndef BASE_COMPLAIN_H
#define BASE_COMPLAIN_H

#include "base/diag.h"
#include "base/exit_status.h"

void complain(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints the diag's sentence, or strerror(-err) where it has none. */
int fail(const struct diag *d, int err);

#endif
