/*
 * remote - a generator on another machine: started, fed with signs of life, and stopped through ssh
 *
 * in:    gen_options with a host: what ssh calls it, the device there, the frames; the system's ssh with its
 *        configuration
 * out:   frames on the wire; the other machine's own counts (struct gen_result), and what it reported of itself
 *        (remote.about)
 * units: those of gen.h
 * law:   nothing is installed there: the scripts of pktgen/ go through ssh's standard input to a shell. They end and
 *        leave nothing when that input ends or is silent for REMOTE_SILENCE_S, whatever happened to ssh, the link or
 *        this process
 * error: -EHOSTUNREACH ssh says why, -EOPNOTSUPP no pktgen (or no xdpzoom) there, -EINVAL options it refuses,
 *        -ECHILD died, -EINTR stopped by a signal while starting
 */
#ifndef USER_REMOTE_H
#define USER_REMOTE_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "base/diag.h"

#define REMOTE_SILENCE_S 15
#define REMOTE_TEXT      16384

struct gen_options;
struct gen_result;

struct remote {
	pid_t pid;    /* of ssh; 0: none */
	int to, from; /* its standard input and output */
	FILE *errors; /* its standard error */
	uint64_t beat_ns;
	char host[128];
	char text[REMOTE_TEXT]; /* what it has said, lines of JSON */
	size_t len;
	json_t *about; /* of the last start: mac, driver, pause, kernel, ssh ... */
};

void remote_init(struct remote *f);
/* returns when the other machine begins */
int remote_start(struct remote *f, const struct gen_options *o, struct diag *d);
int remote_check(struct remote *f, struct diag *d); /* call it every few seconds: it is the sign of life */
int remote_stop(struct remote *f, struct gen_result *r, struct diag *d);
void remote_release(struct remote *f); /* ends it if it runs, forgets about; may be called twice */

/*
 * Sends one frame, to see whether all of it works before anything is attached; *about, owned by the caller, says what
 * the other machine is. -EINVAL as well when ssh goes over the device that is to be measured.
 */
int remote_probe(const struct gen_options *o, const char *dev, json_t **about, struct diag *d);

#endif
