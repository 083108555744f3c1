/*
 * stage_socket - AF_XDP sockets, one per RX queue of a device, and the thread that receives from them
 *
 * in:    the device, the program's XSKMAP, the wanted kind: "copy", "zero-copy", "" (zero-copy where the driver has it)
 * out:   sockets in the map; a thread on its own CPU that puts each received frame back into the fill ring without
 *        reading the frame, and sleeps in poll(2) while there is no frame
 * units: frames since socket_stage_open()
 * law:   every buffer is either in a fill ring or in a receive ring, so no frame is lost for lack of a buffer;
 *        socket_stage_frames() + socket_stage_dropped() == frames redirected to the sockets
 * error: -EOPNOTSUPP no AF_XDP, or no zero-copy in this driver
 */
#ifndef USER_STAGE_SOCKET_H
#define USER_STAGE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "reports/run/run.h"
#include "user/machine/netdev.h"

struct socket_stage;

/*
 * The variant v gives the kind (target), the mode, and the thread's CPU (stage_cpu). map_fd: its program's XSKMAP.
 * longest: bytes of the longest frame that will come, 0: not known. Above 3840, a frame takes several of the socket's
 * buffers.
 */
int socket_stage_open(struct socket_stage **out, const struct netdev *nd, const struct run_variant *v, int map_fd,
		      uint32_t longest, struct diag *d);
uint64_t socket_stage_frames(const struct socket_stage *s);
bool socket_stage_reached(const struct socket_stage *s);    /* at least one frame has reached a receive ring */
int64_t socket_stage_dropped(const struct socket_stage *s); /* -1: the kernel does not report it */
bool socket_stage_busy_ns(const struct socket_stage *s, uint64_t *ns);
bool socket_stage_zero_copy(const struct socket_stage *s);
unsigned int socket_stage_queues(const struct socket_stage *s);
/* A map of struct redirect_count, an entry per CPU; its member frames counts received frames. */
int socket_stage_counts_fd(const struct socket_stage *s);
pid_t socket_stage_tid(const struct socket_stage *s);
void socket_stage_close(struct socket_stage *s); /* NULL: does nothing */

#endif
