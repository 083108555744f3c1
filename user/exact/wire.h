/*
 * wire - the host's end of the NIC's wire: sends the frames that the guest asks for
 *
 * in:    frames, NULL for the generator's own; a directory for two sockets, which vm/run connects to the virtual
 *        machine (-w DIR:host): "ask" has the guest's requests, lines "send N" and "sent"; QEMU listens on "rx" and
 *        takes frames, each behind its size
 * out:   the frames, for the NIC's address, in their order, again and again; the answer to "sent": how many have been
 *        sent so far
 * units: frames
 * law:   frames are sent on request alone, each once; any user may; no network but two UNIX sockets
 * error: -EINVAL a frame is longer than the NIC takes; -EIO the virtual machine takes no frames, or asks for what is no
 *        request
 */
#ifndef USER_EXACT_WIRE_H
#define USER_EXACT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"
#include "user/gen/gen.h"

#define WIRE_PORT "4" /* the number of the guest's virtio port */
#define WIRE_SEND "send"
#define WIRE_SENT "sent"

struct wire {
	int dir_fd, listen_fd, ask_fd, frames_fd; /* -1: closed */
	uint64_t sent, random;                    /* random: the state that payloads come from */
	struct frames frames;                     /* a copy, with the addresses of both ends */
	unsigned char *batch;                     /* that is being sent */
	bool varies;                              /* the generator's own frame, with another payload each time */
	char line[64];
	size_t len;
};

void wire_init(struct wire *w);
int wire_open(struct wire *w, const char *dir, const struct frames *frames, struct diag *d);
int wire_fd(const struct wire *w); /* readable: call wire_serve() */
int wire_serve(struct wire *w, struct diag *d);
void wire_release(struct wire *w); /* may be called twice */

#endif
