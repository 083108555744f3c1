/*
 * sender_parts - what the files behind sender.h share; no other file includes this header
 *
 * law: a way's send() and complete() run in one thread at a time
 */
#ifndef USER_SENDER_PARTS_H
#define USER_SENDER_PARTS_H

#include <stddef.h>
#include <sys/socket.h>
#include <time.h>
#include <xdp/xsk.h>
#include "user/ladder/sender.h"

#define SENDER_SLOTS 512 /* of a ring; more than frames are ever under way */
#define PKTGEN_TASKS 256 /* pktgen's threads on one CPU, of all network namespaces */

struct senders_bpf;
struct sender_tcp;

struct sender {
	struct sender_options o;
	struct sender_counts counts;
	int fd;         /* -1: none */
	char *frame;    /* a whole frame */
	char *memory;   /* payloads, one behind the other; or the ring; or the memory of an AF_XDP socket */
	size_t bytes;   /* of memory */
	size_t payload; /* of a datagram */
	struct msghdr message;
	struct mmsghdr messages[SENDER_BATCH];
	struct iovec piece;
	unsigned int head, tail; /* slots of the ring: filled, completed */
	struct xsk_umem *umem;
	struct xsk_socket *xsk;
	struct xsk_ring_prod fill, tx;
	struct xsk_ring_cons completion;
	struct senders_bpf *skel; /* of senders in the kernel */
	int link_fd, netns_fd;    /* -1: none */
	pid_t task;               /* of the kernel, which sends instead of the caller's thread; 0: none */
	clockid_t clock;          /* of that task */
	struct sender_tcp *tcp;
	void (*away)(void *arg, uint64_t from_ns); /* NULL: nobody wants to know */
	void *away_arg;
};

struct sender_kind {
	int (*open)(struct sender *s, struct diag *d);
	int (*send)(struct sender *s, unsigned int n);
	int (*complete)(struct sender *s);          /* NULL: the kernel owes none */
	uint64_t (*own_ns)(const struct sender *s); /* NULL: the time of the calling thread */
	void (*close)(struct sender *s);            /* NULL: nothing to do */
	bool nonstop, awaits;                       /* sender_is_nonstop(), sender_awaits() */
};

int sender_open_udp(struct sender *s, struct diag *d);
int sender_open_zerocopy(struct sender *s, struct diag *d);
int sender_open_gso(struct sender *s, struct diag *d);
int sender_send_each(struct sender *s, unsigned int n); /* UDP and AF_PACKET */
int sender_sendmsg(struct sender *s, unsigned int n);
int sender_sendmmsg(struct sender *s, unsigned int n);
int sender_send_zerocopy(struct sender *s, unsigned int n);
int sender_complete_zerocopy(struct sender *s);
int sender_send_gso(struct sender *s, unsigned int n);
int sender_open_packet(struct sender *s, struct diag *d);
int sender_open_bypass(struct sender *s, struct diag *d);
int sender_open_ring(struct sender *s, struct diag *d);
int sender_send_ring(struct sender *s, unsigned int n);
int sender_complete_ring(struct sender *s);
int sender_open_xsk(struct sender *s, struct diag *d);
int sender_send_xsk(struct sender *s, unsigned int n);
int sender_complete_xsk(struct sender *s);
int sender_open_live(struct sender *s, struct diag *d);
int sender_send_live(struct sender *s, unsigned int n);
int sender_open_pktgen(struct sender *s, struct diag *d);
int sender_send_pktgen(struct sender *s, unsigned int n);
uint64_t sender_kernel_ns(const struct sender *s);
void sender_close_kernel(struct sender *s);
void sender_close_pktgen(struct sender *s);
uint64_t sender_clock_ns(clockid_t clock);
/* From then until now the thread did not send. */
void sender_was_away(const struct sender *s, uint64_t from_ns);
/* "cannot WHAT: ..." of errno; -errno, -EOPNOTSUPP where the kernel lacks it. */
int sender_refuse(const char *what, struct diag *d);
/* Is errno one that means: no room now? */
int sender_no_room(void);

#endif
