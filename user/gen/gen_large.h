/*
 * gen_large - frames that are longer than one buffer, which live frames cannot be: out of a packet socket
 *
 * in:    gen_options; the device, which takes frames of that length
 * out:   as gen_run(): the frames of the list in their order, with the MAC addresses of sender and receiver, or our own
 * units: frames
 * law:   with a count, so many frames leave, unless *stop is set. A frame of a page or more lies in several buffers of
 *        the socket buffer; sent are those that the kernel took, refused those that the device did not (a full ring).
 *        A refused frame is left out, and the list goes on with the next one
 * error: -errno and one sentence: no packet socket, or the device takes no frame
 */
#ifndef USER_GEN_LARGE_H
#define USER_GEN_LARGE_H

#include "user/gen/gen.h"
#include "user/machine/netdev.h"

/* Is one of the frames, or our own, too long for live frames? Then all are sent here. */
bool gen_is_large(const struct gen_options *o);
int gen_large_run(const struct gen_options *o, const struct netdev *nd, const volatile sig_atomic_t *stop,
		  struct gen_result *r, struct diag *d);

#endif
