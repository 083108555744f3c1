/*
 * xsk_queue - one AF_XDP socket at one RX queue, its memory and its rings
 *
 * in:    a device of the calling process's network namespace, the number of a queue, the flags of bind(2), the room for
 *        a frame (a power of two, 2048 or 4096), the XSKMAP of the program that redirects
 * out:   the socket in the map; each received frame goes back into the fill ring, unread
 * units: frames
 * law:   every buffer is either in the fill ring or in the receive ring, so no frame is lost for lack of a buffer
 * error: -errno: -EAFNOSUPPORT this kernel has no AF_XDP, -EBUSY the queue has a socket already
 */
#ifndef USER_XSK_QUEUE_H
#define USER_XSK_QUEUE_H

#include <linux/types.h>
#include <stddef.h>
#include <stdint.h>
#include <xdp/xsk.h>
#include "user/machine/netdev.h"

struct xsk_queue {
	void *memory; /* NULL: not open */
	size_t bytes;
	struct xsk_umem *umem;
	struct xsk_socket *socket;
	struct xsk_ring_prod fill;
	struct xsk_ring_cons completion, rx;
};

int xsk_queue_join(struct xsk_queue *q, const struct netdev *nd, unsigned int number, __u16 bind_flags,
		   __u32 frame_bytes, int map_fd);
/*
 * Moves buffers from the receive ring back to the fill ring. Returns how many frames end in them: 0 when there is none,
 * or only the first buffers of a long one.
 */
unsigned int xsk_queue_receive(struct xsk_queue *q);
int64_t xsk_queue_dropped(const struct xsk_queue *q); /* -1: the kernel does not report it */
void xsk_queue_close(struct xsk_queue *q);            /* may be called twice */

#endif
