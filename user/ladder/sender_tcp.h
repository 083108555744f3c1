/*
 * sender_tcp - TCP segments that arrive at this machine, and relays that send them on: ways of sender.h
 *
 *     far namespace:  src --> xzfarN == veth ==> xznearN --> in: relay      a reader ends here
 *                     dst <-- xzfarN <== veth == xznearN <-- out: relay     a relay sends on
 *
 * A call feeds a burst into src, waits until all of it is at in, reads it or relays it, and waits until all of it is
 * at dst. Both devices are polled by NAPI kthreads on the caller's CPU, while the caller waits. What counts is the
 * caller's time in the relay, and the time of the kthread of xznearN: the softirq side, which receives the data and
 * the ACKs.
 *
 * in:    sender_options; the calling process's network namespace, to which xznearN belongs
 * out:   segments of SENDER_SEGMENT bytes of data, each counted when its bytes have arrived
 * units: segments; ns
 * law:   what arrived is what was fed, byte for byte, by a digest of both; otherwise sending fails with -EBADMSG.
 *        sender_close_tcp() removes the devices; a killed process's go with their namespaces
 * error: -errno with one sentence; -EOPNOTSUPP this kernel lacks io_uring or XDP at the device
 */
#ifndef USER_SENDER_TCP_H
#define USER_SENDER_TCP_H

#include <liburing.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>
#include "base/diag.h"
#include "reports/run/run.h"

#define SENDER_SEGMENT RUN_TCP_BYTES                 /* of data in a frame of 1514 bytes, with TCP's timestamps */
#define TCP_BURST      64                            /* segments */
#define TCP_CHUNK      ((size_t)16 * SENDER_SEGMENT) /* of a relay's buffer */

struct sender;

struct sender_tcp {
	int far_fd;            /* of the far network namespace; -1: none */
	int src, in, out, dst; /* sockets; -1: none */
	int pipe[2];
	struct io_uring uring;
	bool has_uring;
	char *fed, *got; /* a burst each */
	char buffer[TCP_BURST * SENDER_SEGMENT];
	uint64_t bursts, fed_digest, got_digest;
	uint64_t relay_ns;
	pid_t poller; /* the NAPI kthread of xznearN */
	clockid_t poller_clock;
	char near_name[16], far_name[16];
};

int sender_open_tcp(struct sender *s, struct diag *d);
int sender_send_tcp(struct sender *s, unsigned int n);
uint64_t sender_tcp_ns(const struct sender *s);
void sender_close_tcp(struct sender *s);
/* The relays: all of these bytes from in to out. 0 or -errno. They count their system calls. */
int sender_relay_none(struct sender *s, size_t bytes); /* reads into got */
int sender_relay_copy(struct sender *s, size_t bytes);
int sender_relay_splice(struct sender *s, size_t bytes);
int sender_relay_uring(struct sender *s, size_t bytes);

#endif
