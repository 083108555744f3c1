/*
 * stage_socket - AF_XDP sockets, one per RX queue of a device, and the thread that receives from them
 *
 * in:    the device, the program's XSKMAP, the kind asked for: "copy", "zero-copy", "" (zero-copy where the driver
 *        has it)
 * out:   sockets in the map; a thread on its CPU that hands each frame back to the fill ring without looking at it, and
 *        sleeps in poll(2) while there is none
 * units: frames since it was opened
 * law:   the fill rings hold all frames that are not in a receive ring, so no frame is ever lost for want of a buffer;
 *        received + socket_stage_dropped() == what was redirected to the sockets
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

/* Of the variant: copy or zero-copy, its mode, and the CPU of the thread at the sockets. map_fd: its XSKMAP. */
int socket_stage_open(struct socket_stage **out, const struct netdev *nd, const struct run_variant *v, int map_fd,
		      struct diag *d);
uint64_t socket_stage_frames(const struct socket_stage *s);
bool socket_stage_reached(const struct socket_stage *s);    /* a frame has come as far as a receive ring */
int64_t socket_stage_dropped(const struct socket_stage *s); /* -1: the kernel does not say */
bool socket_stage_busy_ns(const struct socket_stage *s, uint64_t *ns);
bool socket_stage_zero_copy(const struct socket_stage *s);
unsigned int socket_stage_queues(const struct socket_stage *s);
int socket_stage_counts_fd(const struct socket_stage *s); /* a map of struct redirect_count by CPU: frames */
pid_t socket_stage_tid(const struct socket_stage *s);
void socket_stage_close(struct socket_stage *s); /* NULL: nothing */

#endif
