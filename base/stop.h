/*
 * stop - ends a program in good order when a signal asks for the end
 *
 * in:    SIGINT, SIGTERM and SIGHUP, after a call of stop_on_signals()
 * out:   stop_requested: the number of the signal; 0 while none has come
 * law:   the handler sets stop_requested and does nothing else; SIGPIPE is ignored, so that writes return EPIPE
 * error: stopped() returns -EINTR with a sentence after such a signal, else 0
 */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <signal.h>
#include "base/diag.h"

extern volatile sig_atomic_t stop_requested;

void stop_on_signals(void);
int stopped(struct diag *d);

#endif
