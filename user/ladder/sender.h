/*
 * sender - one rung of the sending ladder: a way for a process to send frames out of a device
 *
 * in:    a way; a device of the calling process's network namespace, which has the address GEN_DST_IP; the MAC address
 *        of its peer; the length of the frames
 * out:   UDP datagrams, or whole frames, to the discard port of GEN_SRC_IP; how many the kernel took, with how many
 *        system calls; completions: the kernel has told that it has done with a buffer of the sender's
 * units: frames, calls, completions since sender_open()
 * law:   sender_close() removes what sender_open() made. A call that failed or that took nothing is counted too
 * error: -errno with one sentence; -EOPNOTSUPP this kernel has no such way
 */
#ifndef USER_SENDER_H
#define USER_SENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/machine/netdev.h"

enum sender_way {
	SENDER_NONE,
	SENDER_SEND,          /* UDP: send(2), a datagram each */
	SENDER_SENDMSG,       /* UDP: sendmsg(2), a datagram each */
	SENDER_SENDMMSG,      /* UDP: sendmmsg(2), up to SENDER_BATCH datagrams */
	SENDER_ZEROCOPY,      /* UDP: send(2) with MSG_ZEROCOPY, and the notifications of it read */
	SENDER_GSO,           /* UDP: sendmsg(2) with UDP_SEGMENT, up to SENDER_BATCH datagrams in a buffer */
	SENDER_PACKET,        /* AF_PACKET: send(2), a frame each */
	SENDER_PACKET_BYPASS, /* the same past the queueing discipline (PACKET_QDISC_BYPASS) */
	SENDER_PACKET_RING,   /* AF_PACKET: a ring (PACKET_TX_RING, TPACKET_V2), a call for SENDER_BATCH frames */
	SENDER_XSK,           /* AF_XDP: a ring, copy mode, a call for as many frames as the kernel takes at once */
	SENDER_LIVE,          /* BPF_PROG_TEST_RUN with live frames, a call for all frames of a turn */
	SENDER_PKTGEN,        /* the kernel's packet generator, started once for all frames of a turn */
	SENDER_TCP_READ,      /* segments that arrive over TCP and are read (sender_tcp.h) */
	SENDER_TCP_PASS,      /* the same behind a native XDP program that passes them */
	SENDER_TCP_PASS_SKB,  /* behind a generic one */
	SENDER_TCP_SPLICE,    /* and are sent on over another connection: by splice(2) */
	SENDER_TCP_COPY,      /* by read(2) and write(2) */
	SENDER_TCP_URING,     /* by io_uring, a chain of requests for a burst */
};

#define SENDER_BATCH     64
#define SENDER_MAX_BYTES 1514 /* of a frame; a device of the lab has an MTU of 1500 */

struct sender;

struct sender_options {
	enum sender_way way;
	const struct netdev *nd;
	unsigned char peer_mac[6];
	int bytes; /* of a frame, without FCS */
	int cpu;   /* of the thread that calls sender_send() */
};

struct sender_counts {
	uint64_t frames;      /* that the kernel took */
	uint64_t calls;       /* system calls for sending and for completions */
	uint64_t awaited;     /* completions that the kernel owes for these frames */
	uint64_t completions; /* of them, that have come */
	uint64_t arrived;     /* sender_awaits(): frames that have arrived */
	uint64_t copied;      /* completions that say: the kernel has copied after all */
};

int sender_open(struct sender **out, const struct sender_options *o, struct diag *d);
/* Sends at most n frames. Returns how many the kernel took; 0: none has room now; -errno. */
int sender_send(struct sender *s, unsigned int n);
/* Takes completions that have come. Returns -errno, or 0. */
int sender_complete(struct sender *s);
/* The time that sending has taken the caller's thread, or the kernel's task that sends instead. */
uint64_t sender_own_ns(const struct sender *s);
/* That task; 0: the caller's thread sends, or no frame was sent yet. */
pid_t sender_task(const struct sender *s);
/* A task of the kernel whose time is in sender_own_ns() too, at any time of a turn; 0: none. */
pid_t sender_helper(const struct sender *s);
/* sender_send() returns when the frames have arrived, and counts them. false: a sink at the other end counts them. */
bool sender_awaits(const struct sender *s);
/* Registers a callback, which gets the begin of each interval, ending now, in which the thread waited instead. */
void sender_on_away(struct sender *s, void (*away)(void *arg, uint64_t from_ns), void *arg);
/* The function that sends for live frames; its callers are the generator's. NULL: all functions of the task send. */
const char *sender_root(const struct sender *s);
/*
 * A call sends any number of frames, and returns when they have left: the other end has to be polled in softirqs, in
 * the time of the task that sends. That time is not in sender_own_ns(). false: the other end is polled between calls.
 */
bool sender_is_nonstop(const struct sender *s);
const struct sender_counts *sender_counts(const struct sender *s);
void sender_close(struct sender *s); /* NULL: does nothing */

#endif
