/*
 * remote - a generator on another machine: started, fed with signs of life, and stopped through ssh
 *
 * in:    gen_options with a host: the host's name for ssh, the device there, the frames; the system's ssh with its
 *        configuration
 * out:   frames on the wire; the other machine's own counts (struct gen_result), and its report about itself
 *        (remote.about)
 * units: those of gen.h
 * law:   nothing is installed on the other machine: the scripts of pktgen/ go through ssh's standard input to a shell.
 *        The scripts end, and leave nothing behind, when that input ends or is silent for REMOTE_SILENCE_S. So they
 *        end whatever happens to ssh, the link or this process
 *        The other machine is not trusted: of what it says, known members of bounded size are taken, and memory for its
 *        words is bounded. What is no line of JSON is skipped
 * error: -EHOSTUNREACH ssh failed (the sentence has ssh's reason), -EOPNOTSUPP no pktgen (or no xdpzoom) there,
 *        -EINVAL options that the scripts refuse, -ECHILD ended by itself, -EINTR stopped by a signal while starting
 */
#ifndef USER_REMOTE_H
#define USER_REMOTE_H

#include <jansson.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"

#define REMOTE_SILENCE_S 15
#define REMOTE_TEXT      16384
#define REMOTE_WORDS     4096

struct gen_options;
struct gen_result;

struct remote {
	pid_t pid;                /* of ssh; 0: none */
	int to, from;             /* its standard input and output */
	int errors;               /* its standard error */
	char words[REMOTE_WORDS]; /* the end of what came there */
	size_t nwords;
	uint64_t beat_ns;
	char host[128];
	char text[REMOTE_TEXT]; /* the output so far: lines of JSON */
	size_t len;
	json_t *about; /* the other machine's report at the last start: mac, driver, pause, kernel, ssh ... */
};

void remote_init(struct remote *f);
/* returns when the other machine begins to send */
int remote_start(struct remote *f, const struct gen_options *o, struct diag *d);
int remote_check(struct remote *f, struct diag *d); /* sends the sign of life: call it every few seconds */
int remote_stop(struct remote *f, struct gen_result *r, struct diag *d);
void remote_release(struct remote *f); /* ends a generator that still runs, frees f->about; may be called twice */

/*
 * Sends one frame, to see whether everything works before a program is attached. *about, owned by the caller, is the
 * other machine's report about itself. -EINVAL also when ssh goes over dev, the device to measure.
 */
int remote_probe(const struct gen_options *o, const char *dev, json_t **about, struct diag *d);

#endif
