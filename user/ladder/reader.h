/*
 * reader - a thread on a CPU of its own that takes up what the frames' port, another socket or a cpumap receives
 *
 * in:    the way it reads; the CPU of the thread. The sockets are made in the namespace of the calling process
 * out:   the number of frames that it read, also as a map of one struct bench_counts (layout.h) for the generator's
 *        program; frames that its socket refused; the thread's on-CPU time
 * units: frames, ns
 * law:   frames read + frames refused == frames that reached the socket, as soon as none waits in it. The thread sleeps
 *        while there is nothing to read. reader_close() ends it; it ends with this process too
 * error: -errno with one sentence; -EOPNOTSUPP this kernel has no such way
 */
#ifndef USER_READER_H
#define USER_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "base/diag.h"
#include "user/machine/netdev.h"

enum reader_way {
	READER_NONE,
	READER_RECV,     /* a datagram in each recv(2) */
	READER_RECVMMSG, /* up to READER_BATCH datagrams in each recvmmsg(2) */
	READER_GRO,      /* UDP_GRO: a recvmsg(2) returns all datagrams that GRO has made one skb of */
	READER_URING,    /* io_uring: one receive request for all datagrams, with a ring of buffers */
	READER_RING,     /* AF_PACKET with TPACKET_V3: the kernel copies each frame into a shared ring */
	READER_XSK,      /* native XDP redirects to an AF_XDP socket, into which the kernel copies each frame */
	READER_CPUMAP,   /* native XDP redirects to another CPU; the kernel's thread there runs a program that drops */
};

#define READER_BATCH       64
#define READER_RING_WINDOW 1024 /* a packet socket's ring has room for so many frames of any size */

struct reader;

struct reader_options {
	enum reader_way way;
	const struct netdev *nd; /* the device whose frames it gets */
	int cpu;                 /* where the thread runs */
	int count_cpu;           /* the entry of the map that it counts in */
};

int reader_open(struct reader **out, const struct reader_options *o, struct diag *d);
int reader_counts_fd(const struct reader *r);
uint64_t reader_frames(const struct reader *r);
bool reader_is_udp(enum reader_way way); /* the kernel counts what its socket refuses for the namespace (rung.c) */
/* Refused by the ring of a packet socket or of an AF_XDP socket. The queue of a cpumap is longer than any window. */
uint64_t reader_refused(struct reader *r);
bool reader_busy_ns(const struct reader *r, uint64_t *ns);
pid_t reader_tid(const struct reader *r);
int reader_check(const struct reader *r, struct diag *d); /* did reading fail? */
const char *reader_words(enum reader_way way);            /* "recv, a system call for each datagram" */
void reader_close(struct reader *r);                      /* NULL: does nothing */

#endif
