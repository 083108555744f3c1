/* ladder - the layers of the network stack at which frames are dropped, read, sent on or sent */
#ifndef USER_LADDER_H
#define USER_LADDER_H

#include <liburing.h>
#include <linux/if_packet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <time.h>
#include <xdp/xsk.h>
#include "base/base.h"
#include "reports/run/run.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"
#include "user/stage/stage.h"

/*
 * forward - one layer of the forwarding ladder: what sends each frame on to another device
 *
 *     generator -> xzarmN -- way --> xzout -- veth --> xzend: a sink (rig.h) counts and drops the frame
 *
 * law:   forward_close() removes what forward_open() made. If the process is killed, all of it goes with the namespace
 */

#define FORWARD_OUT_DEV "xzout"
#define FORWARD_END_DEV "xzend"

struct forward_bpf;

struct forward {
	enum run_layer layer; /* the way; RUN_LAYER_NONE: not open */
	struct netdev in, out, end;
	struct device_counters out_counters;
	struct forward_bpf *skel;
	struct tc_hook hook;
	int link_fd;   /* of the XDP program; -1: none */
	int end_netns; /* of peer-veth and peer-netkit: xzend is there, and its tc drops; -1: there is none */
};

void forward_init(struct forward *f);
int forward_open(struct forward *f, enum run_layer layer, const struct netdev *in, struct diag *d);
/* In the namespace of forward_open(). */
int forward_frames(const struct forward *f, uint64_t *frames, struct diag *d);
int forward_lost(const struct forward *f, uint64_t *frames, struct diag *d);
void forward_close(struct forward *f); /* in the namespace of forward_open(); may be called twice */

/*
 * For the sending ladder: what is sent to GEN_SRC_IP leaves through this device, to this MAC address. Undone with the
 * namespace alone.
 */
int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d);

/*
 * layer_nft - the rules of a layer, in a table of nft of their own
 *
 * law:   the table belongs to a netlink socket of this process (flag "owner"). So no other process can change it, and
 *        the kernel removes it when this process ends, however it ends. Other tables are read, and never changed.
 *        After layer_nft_open() the calls work from any namespace
 */

struct nft_ctx;

struct layer_nft {
	struct nft_ctx *ctx; /* NULL: no rules */
	char family[8], table[32];
};

/* The rules of others in this namespace: "table inet filter, table ip nat (iptables)". "": none. */
void layer_nft_foreign(char *words, size_t size);

/* layer_udp - the UDP port that the generator's frames go to, in the network namespace of the calling process */

#define LAYER_PORT 9 /* of the generator's frames (gen_frame()) */

/* An IPv4 address of the device, in words: GEN_DST_IP, if it is one of them, else the first. false: it has none. */
bool layer_udp_address(const char *dev, char words[64]);

/*
 * reader - a thread on a CPU of its own that takes up what the frames' port, another socket or a cpumap receives
 *
 * law:   frames read + frames refused == frames that reached the socket, as soon as none waits in it. The thread sleeps
 *        while there is nothing to read. reader_close() ends it; it ends with this process too
 */

#define READER_BATCH       64
#define READER_RING_WINDOW 1024 /* a packet socket's ring has room for so many frames of any size */

struct reader;

struct reader_options {
	enum run_layer layer;    /* a way to read */
	const struct netdev *nd; /* the device whose frames it gets */
	struct run_umem umem;    /* of an AF_XDP socket */
	int cpu;                 /* where the thread runs */
	int count_cpu;           /* the entry of the map that it counts in */
};

int reader_open(struct reader **out, const struct reader_options *o, struct diag *d);
uint64_t reader_frames(const struct reader *r);
bool reader_is_udp(enum run_layer layer); /* the kernel counts what its socket refuses for the namespace (layer.c) */
/* Refused by the ring of a packet socket or of an AF_XDP socket. The queue of a cpumap is longer than any window. */
uint64_t reader_refused(struct reader *r);
bool reader_busy_ns(const struct reader *r, uint64_t *ns);
int reader_check(const struct reader *r, struct diag *d); /* did reading fail? */
const char *reader_words(enum run_layer layer);           /* "recv, a system call for each datagram" */
void reader_close(struct reader *r);                      /* NULL: does nothing */

/*
 * reader_parts - what the files behind reader.h share; no other file includes this header
 *
 * law: a way's begin() and read() run in the reader's thread. read() returns the number of frames, 0 when there was
 *      none for READER_IDLE_MS, or -errno. A way without read() has a thread of the kernel's: its open() sets tid
 *      and clock
 */

#define READER_NICE     (-20)
#define READER_IDLE_MS  50   /* the thread notices within this time that it must end */
#define READER_BYTES    4096 /* of a datagram's buffer; no frame of the generator is larger */
#define READER_BLOCKS   64   /* of a packet socket's ring */
#define READER_BLOCK    (64 * 1024)
#define READER_BUFFERS  256 /* of io_uring; a power of two */
#define READER_GRO_MOST 65536

struct bench_count;
struct readers_bpf;

struct reader {
	struct reader_options o;
	int fd, counts_fd;
	struct bench_count *counts; /* mapped */
	char *memory;               /* buffers of datagrams, or the mapped ring */
	size_t bytes;
	struct mmsghdr messages[READER_BATCH];
	struct iovec pieces[READER_BATCH];
	unsigned int block; /* of the packet socket's ring, which is read next */
	uint64_t refused;
	struct io_uring uring;
	struct io_uring_buf_ring *buffers;
	bool has_uring, armed;
	struct readers_bpf *skel; /* of the ways through XDP */
	int link_fd;              /* -1: none */
	struct xsk_queue queue;
	pthread_t thread;
	clockid_t clock;
	bool running;
	atomic_int tid; /* 0: the thread has not begun, < 0: it failed, -errno */
	atomic_int failed;
	atomic_bool stop;
};

struct reader_kind {
	const char *words;
	int (*open)(struct reader *r, struct diag *d); /* in the caller's thread */
	int (*begin)(struct reader *r);                /* NULL: nothing to do */
	int (*read)(struct reader *r);
	void (*end)(struct reader *r); /* in the caller's thread, after the reader's has ended; NULL: nothing to do */
};

/*
 * sender - one layer of the sending ladder: a way for a process to send frames out of a device
 *
 * law:   sender_close() removes what sender_open() made. A call that failed or that took nothing is counted too
 */

#define SENDER_BATCH     64
#define SENDER_MAX_BYTES 1514 /* of a frame; a device of the lab has an MTU of 1500 */

struct sender;

struct sender_options {
	enum run_layer layer; /* of a sending ladder: the way to send */
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
	uint64_t arrived;     /* sender_kind.awaits: frames that have arrived */
	uint64_t copied;      /* completions that say: the kernel has copied after all */
};

int sender_open(struct sender **out, const struct sender_options *o, struct diag *d);
/* Sends at most n frames. Returns how many the kernel took; 0: none has room now; -errno. */
int sender_send(struct sender *s, unsigned int n);
/* Takes completions that have come. Returns -errno, or 0. */
int sender_complete(struct sender *s);
/* The time that sending has taken the caller's thread, or the kernel's task that sends instead. */
uint64_t sender_own_ns(const struct sender *s);
void sender_close(struct sender *s); /* NULL: does nothing */

/*
 * sender_parts - what the files behind sender.h share; no other file includes this header
 *
 * law: a way's send() and complete() run in one thread at a time
 */

#define SENDER_SLOTS 512 /* of a ring; more than frames are ever under way */
#define PKTGEN_TASKS 256 /* pktgen's threads on one CPU, of all network namespaces */

struct senders_bpf;
struct sender_tcp;

struct sender {
	struct sender_options o;
	const struct sender_kind *kind;
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
	/* Gets the begin of each interval, ending now, in which the thread waited; NULL: nobody wants to know */
	void (*away)(void *arg, uint64_t from_ns);
	void *away_arg;
};

struct sender_kind {
	int (*open)(struct sender *s, struct diag *d);
	int (*send)(struct sender *s, unsigned int n);
	int (*complete)(struct sender *s);          /* NULL: the kernel owes none */
	uint64_t (*own_ns)(const struct sender *s); /* NULL: the time of the calling thread */
	void (*close)(struct sender *s);            /* NULL: nothing to do */
	const char *root; /* the function that sends; its callers are the generator's. NULL: all that the task runs */
	/*
	 * A call sends any number of frames, and returns when they have left: the other end has to be polled in
	 * softirqs, in the time of the task that sends. That time is not in sender_own_ns(). false: the other end is
	 * polled between calls.
	 */
	bool nonstop;
	bool awaits; /* send() returns when the frames have arrived, and counts them. false: a sink there does */
};

uint64_t sender_clock_ns(clockid_t clock);
/* From then until now the thread did not send. */
void sender_was_away(const struct sender *s, uint64_t from_ns);
/* "cannot WHAT: ..." of errno; -errno, -EOPNOTSUPP where the kernel lacks it. */
int sender_refuse(const char *what, struct diag *d);
/* Is errno one that means: no room now? */
int sender_no_room(void);

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
 * law:   what arrived is what was fed, byte for byte, by a digest of both; otherwise sending fails with -EBADMSG.
 *        sender_close_tcp() removes the devices; a killed process's go with their namespaces
 */

#define SENDER_SEGMENT RUN_TCP_BYTES                 /* of data in a frame of 1514 bytes, with TCP's timestamps */
#define TCP_BURST      64                            /* segments */
#define TCP_CHUNK      ((size_t)16 * SENDER_SEGMENT) /* of a relay's buffer */

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

/*
 * layer - one layer of a ladder: the place in the network stack where every frame is dropped, or sent on
 *
 * law:   layer_close() removes what layer_open() made. When the process is killed, the kernel does: rules belong to a
 *        socket of this process, programs to its links. What forwards goes with the namespace
 */

struct layers_bpf;
struct layer_kind;

struct layer {
	const struct layer_kind *kind; /* NULL: not open */
	struct layer_nft nft;
	struct layers_bpf *skel;
	struct tc_hook hook;
	int socket; /* bound to the frames' port; -1: none */
	struct reader *reader;
	struct sender *sender;
	struct forward forward;
	struct bench floor;           /* of the layer test-run */
	uint64_t before, lost_before; /* the counters' values when the layer was opened */
};

struct layer_options {
	struct run_umem umem;   /* as the variant has it */
	int rx_cpu, reader_cpu; /* reader_cpu: of the thread that reads, where the layer has one */
	int bytes;              /* of a frame that a sender sends, to this MAC address */
	unsigned char peer_mac[6];
};

void layer_init(struct layer *r);
int layer_open(struct layer *r, enum run_layer layer, const struct netdev *nd, const struct layer_options *o,
	       struct diag *d);
/* Both in the namespace of layer_open(). *lost: frames that a reader's socket or the other device refused. */
int layer_frames(const struct layer *r, uint64_t *frames, struct diag *d);
int layer_lost(const struct layer *r, uint64_t *lost, struct diag *d);
int layer_counts_fd(const struct layer *r); /* the map of its frames, as in layout.h; -1: it has none */
int layer_floor_fd(const struct layer *r);  /* of the program that the generator calls (turner_floor()); -1: none */
int layer_window(const struct layer *r);    /* of frames that may be under way to the reader; 0: the layer has none */
bool layer_is_addressed(enum run_layer layer); /* do its frames have to go to an address of the device? */
/* What the reader of this layer is, in words, with the memory of an AF_XDP socket; "": it has none. */
void layer_reader_words(const struct layer *r, char *words, size_t size);
void layer_close(struct layer *r); /* in the namespace of layer_open(); may be called twice */

#endif
