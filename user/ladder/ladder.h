/*
 * ladder - the layers of the network stack at which frames are dropped, read, sent on or sent
 *
 * law:   layer_close() removes what layer_open() made. When the process is killed, the kernel does: rules belong to a
 *        socket of this process, programs to its links. What forwards goes with the namespace
 */
#ifndef USER_LADDER_H
#define USER_LADDER_H

#include <liburing.h>
#include <linux/if_packet.h>
#include <sys/socket.h>
#include "base/base.h"
#include "reports/run/run.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"
#include "user/stage/stage.h"

#define LAYER_PORT 9 /* of UDP: where the generator's frames go */

struct bench_count;
struct forward_bpf;
struct layers_bpf;
struct nft_ctx;
struct readers_bpf;
struct senders_bpf;
struct sender_tcp;

/* ---- forward: generator -> xzarmN -- way --> xzway -- veth --> xzend: a sink (bed.h) counts and drops the frame -- */

#define FORWARD_OUT_DEV "xzway"
#define FORWARD_END_DEV "xzend"

struct forward {
	enum run_layer layer; /* the way; RUN_LAYER_NONE: not open */
	struct netdev in, out, end;
	struct device_counters out_counters;
	struct forward_bpf *skel;
	struct tc_hook hook;
	int link_fd;   /* of the XDP program; -1: none */
	int end_netns; /* of peer-veth, peer-netkit and netkit: xzend is there, and its tc drops; -1: there is none */
	bool outwards; /* of netkit: xzway is the peer, as in a pod, and xzend the primary device */
};

void forward_init(struct forward *f);
int forward_open(struct forward *f, enum run_layer layer, const struct netdev *in, struct diag *d);
/* bench_attach(), and before a program at netkit the layer netkit without its hook: it runs for xzway. */
int forward_attach(struct forward *f, struct bench *b, const struct netdev *nd, enum run_mode mode, struct diag *d);
void forward_close(struct forward *f); /* may be called twice */
/* What is sent to GEN_SRC_IP leaves through this device, to this MAC address. Undone with the namespace alone. */
int forward_reach(const struct netdev *out, const unsigned char mac[6], struct diag *d);

/* ---- reader: a thread that reads what the frames' port, another socket or a cpumap receives --------------------- */

/*
 * law:   frames read + frames refused == frames that reached the socket, as soon as none waits in it. The thread sleeps
 *        while there is nothing to read; it ends with reader_close(), and with this process
 */
#define READER_BATCH   64
#define READER_BYTES   4096 /* of a datagram's buffer; no frame of the generator is larger */
#define READER_IDLE_MS 50   /* the thread notices within this time that it must end */
#define READER_NICE    (-20)
/*
 * Frames under way to a reader. Each holds a page of the generator's pool, which has room for a batch alone, so more
 * would measure the page allocator. The packet socket's ring holds copies, of any size.
 */
#define READER_WINDOW      256
#define READER_RING_WINDOW 1024

struct reader_options {
	enum run_layer layer;    /* a way to read */
	const struct netdev *nd; /* the device whose frames it gets */
	struct run_umem umem;    /* of an AF_XDP socket */
	int cpu;                 /* where the thread runs */
	int count_cpu;           /* the entry of the map that it counts in */
};

struct reader {
	struct reader_options o;
	const struct reader_kind *kind;
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
	struct worker worker; /* of a cpumap: only the kernel thread's tid and clock */
	atomic_int failed;
};

/*
 * begin() and read() run in the reader's thread. read() returns the number of frames, 0 when there was none for
 * READER_IDLE_MS, or -errno. Without read() a thread of the kernel's reads, and open() finds it.
 */
extern const struct reader_kind {
	const char *words; /* "recv, a system call for each datagram" */
	bool udp;          /* the kernel counts what its socket refuses for the namespace */
	int (*open)(struct reader *r, struct diag *d);
	int (*begin)(struct reader *r); /* NULL: nothing to do */
	int (*read)(struct reader *r);
} reader_kinds[RUN_LAYERS];

int reader_open(struct reader **out, const struct reader_options *o, struct diag *d);
int reader_check(const struct reader *r, struct diag *d); /* did reading fail? */
void reader_close(struct reader *r);                      /* NULL: does nothing */

/* ---- sender: a way for a process to send frames out of a device -------------------------------------------------- */

#define SENDER_BATCH     64
#define SENDER_SLOTS     512  /* of a ring; more than frames are ever under way */
#define SENDER_MAX_BYTES 1514 /* of a frame; a device of the lab has an MTU of 1500 */

struct sender_options {
	enum run_layer layer; /* a way to send */
	const struct netdev *nd;
	unsigned char peer_mac[6];
	int bytes; /* of a frame, without FCS */
	int cpu;   /* of the thread that calls sender_send() */
};

/* A call that failed or that took nothing is counted too. */
struct sender_counts {
	uint64_t frames;      /* that the kernel took */
	uint64_t calls;       /* system calls for sending and for completions */
	uint64_t awaited;     /* completions that the kernel owes for these frames */
	uint64_t completions; /* of them, that have come */
	uint64_t arrived;     /* sender_kind.awaits: frames that have arrived */
	uint64_t copied;      /* completions that say: the kernel has copied after all */
};

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
	struct {                 /* rings of an AF_XDP socket: what they hold, and how far each side has come */
		struct xdp_desc *descs;
		uint32_t *filled, *taken, *completed, *seen;
	} xsk;
	struct senders_bpf *skel; /* of senders in the kernel */
	int link_fd, netns_fd;    /* -1: none */
	pid_t task;               /* of the kernel, which sends instead of the caller's thread; 0: none */
	clockid_t clock;          /* of that task */
	struct sender_tcp *tcp;
	pid_t poller; /* of TCP: the NAPI kthread of the near device; 0: none */
	/* Gets the begin of each interval, ending now, in which the thread waited; NULL: nobody wants to know */
	void (*away)(void *arg, uint64_t from_ns);
	void *away_arg;
};

/* send() and complete() run in one thread at a time. */
struct sender_kind {
	int (*open)(struct sender *s, struct diag *d);
	struct { /* of its socket, set to 1, or UDP_SEGMENT to a payload; what NULL: none */
		int level, name;
		const char *what;
	} option;
	uint64_t metadata; /* of AF_XDP: what each frame asks for (XDP_TXMD_FLAGS_*); 0: it has none */
	uint32_t umem_flags;
	int (*send)(struct sender *s, unsigned int n);
	int (*complete)(struct sender *s);          /* NULL: the kernel owes none */
	uint64_t (*own_ns)(const struct sender *s); /* NULL: the time of the calling thread */
	void (*close)(struct sender *s);            /* NULL: nothing to do */
	const char *poll; /* as in struct symbols, which calls SENDER_FUNCTION for each frame; NULL: not counted */
	const char *root; /* the function that sends; its callers are the generator's. NULL: all that the task runs */
	/*
	 * A call sends any number of frames, and returns when they have left: the other end has to be polled in
	 * softirqs, in the time of the task that sends. That time is not in sender_own_ns(). false: the other end is
	 * polled between calls.
	 */
	bool nonstop;
	bool awaits; /* send() returns when the frames have arrived, and counts them. false: a sink there does */
};
#define SENDER_FUNCTION "veth_xmit"
extern const struct sender_kind sender_tcp, sender_kinds[RUN_LAYERS];

int sender_open(struct sender **out, const struct sender_options *o, struct diag *d);
/* Sends at most n frames. Returns how many the kernel took; 0: none has room now; -errno. */
int sender_send(struct sender *s, unsigned int n);
/* The time that sending has taken the caller's thread, or the kernel's task that sends instead. */
uint64_t sender_own_ns(const struct sender *s);
void sender_close(struct sender *s); /* NULL: does nothing */
/* "cannot WHAT: ..." of errno; -errno, -EOPNOTSUPP where the kernel lacks it. */
int sender_refuse(const char *what, struct diag *d);
int sender_no_room(void); /* is errno one that means: no room now? */

/* ---- layer ------------------------------------------------------------------------------------------------------- */

/*
 * The rules of a layer, in a table of nft that belongs to a netlink socket of this process (flag "owner"): no other
 * process can change it, and it ends with this one. Other tables are read, and never changed.
 */
struct layer_nft {
	struct nft_ctx *ctx; /* NULL: no rules */
	char family[8], table[32];
};

struct layer {
	const struct layer_kind *kind; /* NULL: not open */
	struct layer_nft nft;
	struct layers_bpf *skel;
	struct tc_hook hook;
	int socket; /* bound to the frames' port; -1: none */
	struct reader *reader;
	struct sender *sender;
	struct forward forward;
	struct bench floor;           /* of the layer test-run, which the generator calls */
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
int layer_window(const struct layer *r);       /* of frames that may be under way to the reader; 0: it has none */
bool layer_is_addressed(enum run_layer layer); /* do its frames have to go to an address of the device? */
void layer_close(struct layer *r);             /* in the namespace of layer_open(); may be called twice */

/* The rules of others in this namespace: "table inet filter, table ip nat (iptables)". "": none. */
void layer_nft_foreign(char *words, size_t size);
/* An IPv4 address of the device, in words: GEN_DST_IP, if it is one of them, else the first. false: it has none. */
bool layer_udp_address(const char *dev, char words[64]);

#endif
