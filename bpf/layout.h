/*
 * layout - map values and constants that the BPF programs and user space share
 *
 * units: counts are packets; cpu indices are the kernel's CPU numbers
 * law:   no pointers, no implicit padding, same layout on both sides
 */
#ifndef BPF_LAYOUT_H
#define BPF_LAYOUT_H

#define BENCH_VERDICTS 8 /* a power of two, at least the number of XDP's verdicts (five) and one more */
#define BENCH_UNTOLD   5 /* packets whose verdict is not known */

/*
 * Packets by verdict. Each CPU has an entry of its own cache lines, so that CPUs never share a line. Indices: enum
 * xdp_action. The second line is written by programs with an injected cost only.
 */
struct bench_count {
	__u64 verdicts[BENCH_VERDICTS];
	__u64 injected_ns; /* sum over the packets: from the clock reading before the injection to that after it */
	__u64 unused[7];
};

/*
 * The counts of all CPUs: one value, whose address programs know without a lookup. It has room for more CPUs than most
 * kernels know, because a program must keep its index within bounds, and a mask does so in one instruction.
 */
#define BENCH_CPUS 1024 /* a power of two */

struct bench_counts {
	struct bench_count cpus[BENCH_CPUS];
};

/* OP_INJECT: another operation, and then a inject. It is one of them so that all others load one value alike. */
enum bench_operation { OP_NO_TOUCH, OP_READ_DATA, OP_PARSE_IP, OP_SWAP_MACS, OP_INJECT };

/* Extra work per packet, injected to test whether the measurement finds its cost. */
enum bench_inject { INJECT_NONE, INJECT_CHAIN, INJECT_WALK };

/* What the program under test does before its verdict. */
struct bench_config {
	__u32 operation;
	__u32 inject, inject_steps, before_inject; /* with OP_INJECT */
	__u32 inject_mask;                         /* 0: in each packet; INJECT_AT_ONCE - 1: once in so many */
	__u32 stage_cpu;                           /* of redirects through a CPU map */
};

struct inject_line {
	__u32 next; /* index of the line to go to */
	__u32 unused[15];
};

#define INJECT_AT_ONCE    2048       /* packets, as many as in the shortest turn */
#define INJECT_WALK_LINES (1u << 17) /* 8 MB: more than the private caches of a core hold */

#define STAGE_QUEUES 64 /* RX queues that AF_XDP sockets can be bound to */

/*
 * Pairs of readings of the clock, one right after the other, and the time between them: [0] those below PAIR_MOST_NS,
 * [1] the others, which a hypervisor interrupted, or whose clock is slow.
 */
#define PAIR_MOST_NS 5000

struct clock_pairs {
	__u64 n, ns;
};

/* The fate of redirected frames, one cache line per CPU. */
struct redirect_count {
	__u64 cpumap_drops; /* the other CPU's queue was full */
	__u64 frames;       /* received by the other CPU's kthread, or by the thread that reads the sockets */
	__u64 device_drops; /* refused by the other device */
	__u64 errors;       /* redirects that failed before the queue, the device or the socket */
	__u64 unused[4];
};

/* Source, destination and RX queue of a packet; addresses and ports in network order. */
struct flow_key {
	__u8 src[16], dst[16];
	__u16 src_port, dst_port;
	__u8 family; /* AF_INET, AF_INET6; 0: no IP */
	__u8 protocol;
	__u16 queue;
};

#define FLOWS_MAX 4096

/* Packets per NAPI poll: one bucket each for 0..64, and a last one for more than 64. */
#define POLL_BUCKETS 66

struct poll_count {
	__u64 polls;
	__u64 packets;
	__u64 empty;
	__u64 softirq_ns; /* of NET_RX softirqs nested into the receiver's NAPI thread */
	__u64 softirq_since_ns;
	__u64 hist[POLL_BUCKETS];
};

#define WAITS_TASKS 512 /* the most tasks that are watched at a time */

/*
 * The waits of one task (waits.bpf.c). A slice is the time from a switch to the task to the next switch away from
 * it.
 */
struct task_waits {
	__s64 charged_ns; /* waiting time that the kernel charged, summed over the slices that have ended */
	__s64 behind_ns;  /* at the beginning of this slice: time now minus the run queue's clock */
	__s64 apart_ns;   /* at the beginning of this slice: the run queue's clock minus its clock_task */
	__u64 came_ns;    /* beginning of this slice; 0: not on a CPU, or the beginning was not seen */
};

#define TURN_HEADERS 6         /* words of 8 bytes that hold a frame's headers; no frame is shorter */
#define TURN_ARMS    32        /* variants that can take turns in one round; a power of two */
#define TURN_ORDER   4096      /* entries of the order of turns, which is walked again and again */
#define TURN_RECORDS (1 << 20) /* turns of one round */
#define TURN_FOREIGN (1 << 18) /* stretches of polls of other devices in one round that are kept */

/* One device that frames are sent to in its turn. */
struct turn_arm {
	__u32 send_ifindex; /* where the frames leave, in the generator's namespace */
	__u32 rx_ifindex;   /* where they arrive, in the receiver's namespace */
	__u32 tid;          /* the NAPI kthread that receives them; 0: they are received in softirqs */
	__u32 blind;    /* the program under test counts nothing, so frames are taken as counted once they are sent */
	__u32 rx_netns; /* the inode number of the receiver's namespace */
	/*
	 * On one CPU: another CPU counts the frames later, and this many may be under way to it. A turn's packets are
	 * then those sent between its stamps, which the receiver's softirqs have done with. 0: the receiver counts.
	 */
	__u32 window;
	__u32 floor; /* the frames go to the program in floor_program, and to no device; its time is that of the turn */
	__u32 frames; /* of a turn */
};

/* One turn between its two stamps. */
struct turn_record {
	__u64 start_ns, end_ns;
	__u64 own_ns; /* the receiver's part, with the stamps in it */
	__u32 packets, lost;
	__u32 arm;
	__u32 stamps;      /* pairs of clock readings that are in own_ns */
	__u64 injected_ns; /* growth of bench_count.injected_ns */
};

/* Polls of devices that are not under test, one after the other in one softirq on the RX CPU. */
struct turn_foreign {
	__u64 from_ns, to_ns;
};

/* An edge of a turn. In: whose work is meant, as in struct turn_arm. Out: the other members, of one moment. */
struct work_edge {
	__u32 tid, ifindex, netns, unused;
	__u64 at_ns;
	__u64 own_ns; /* the receiver's work so far, with the stamps in it */
	__u64 stamps; /* pairs of clock readings that are in own_ns */
};

/* Where the frames of a program end that counts no verdicts (verdicts.bpf.c). */
enum end {
	END_ABORTED, /* and verdicts that are none */
	END_TX_FAILED,
	END_REDIRECTED,
	END_REDIRECT_FAILED,
	END_PASSED,      /* frames */
	END_PASSED_SKBS, /* the same as socket buffers: fewer where GRO merged frames */
	END_FREED,       /* socket buffers of the device that the stack dropped, those that passed among them */
	END_SHOT,        /* by a tc program */
	ENDS
};

/* The head of a frame that the generator sends; its bytes follow. */
struct gen_frame_head {
	__u32 bytes;
};

/*
 * What watch.bpf.c keeps: for each CPU WATCH_SLOTS entries of struct watch_polls, one for each device. A CPU writes to
 * its own entries alone, and anybody may read them at any time.
 */
#define WATCH_SLOTS   32
#define WATCH_OTHER   0    /* the slot of devices that nobody watches, and of those in other network namespaces */
#define WATCH_BACKLOG 1    /* the slot of polls without a device: packets that the stack queued for a CPU */
#define WATCH_KEYS    4096 /* entries of the tables from an ifindex, or a thread, to a slot; a power of two */
#define WATCH_HIST    8    /* polls of 0, 1, 2-3, 4-7, 8-15, 16-31, 32-63, and of more packets */
#define WATCH_EVERY   16   /* one softirq of so many is timed, on average */

struct watch_polls {
	/* a cache line that every poll writes to, and another one */
	__u64 packets, full;                        /* full: polls that used their whole budget */
	__u64 softirq_polls, softirq_packets;       /* in softirqs, whether timed or not */
	__u64 poll_ip;                              /* the driver's function that polls; 0: not seen yet */
	__u64 timed_polls, timed_packets, timed_ns; /* in softirqs that were timed */
	__u64 hist[WATCH_HIST];
	__u64 timed_softirqs;                          /* timed softirqs whose first poll was of this slot */
	__u64 thread_polls, thread_packets, thread_ns; /* in NAPI threads that are watched; all of them are timed */
	__u64 polls, empty;                            /* of the histogram, when it is read */
	__u64 tails, tail_ns; /* timed softirqs whose end was seen; from the last poll, of this slot, to it */
};

/* What watch's own programs cost, as programs behind them measured it: how many measurements were how long. */
#define WATCH_OWN_NS      4 /* of a bucket; what is longer than all of them was interrupted, as by a hypervisor */
#define WATCH_OWN_BUCKETS 512

struct watch_own {
	__u32 hist[WATCH_OWN_BUCKETS];
};

/* What a CPU does now. */
struct watch_cpu {
	__u64 last_ns;         /* the end of the poll before, or the beginning of the softirq */
	__u64 thread_since_ns; /* when the NAPI thread came to the CPU that runs there; 0: none that is watched */
	__u64 softirq_ns;      /* when a softirq began inside of that thread's time; 0: none */
	__u64 poll_at_ns;      /* while own costs are measured: the clock reading of this poll */
	__u32 timing;          /* this softirq is timed; WATCH_POLLED: and a poll has ended */
	__u32 wait;            /* so many softirqs are not timed from now on */
	__u32 thread_slot, thread_tid, slot, unused[3]; /* slot: of the poll that ended */
	struct watch_own poll;  /* from the clock reading of one program at the end of a poll to that of a second one */
	struct watch_own clock; /* between two readings in a row, in one program */
	struct watch_own entry; /* as poll, at the beginning of a softirq */
};

#define WATCH_POLLED 2

struct watch_key {
	__u32 key, slot; /* an ifindex or a thread's ID; key 0: none */
};

/* A look at the queues on packets' way (queues.bpf.c). */
enum queue_kind {
	QUEUE_RING,   /* veth's, from which its NAPI polls; packets */
	QUEUE_QDISC,  /* packets */
	QUEUE_BQL,    /* a NIC's TX queue, as its driver tells; bytes */
	QUEUE_PACKET, /* of a packet socket; bytes */
	QUEUE_XSK_RX, /* of an AF_XDP socket; packets */
	QUEUE_XSK_TX,
	QUEUE_UDP,     /* of a UDP socket; bytes */
	QUEUE_CPUMAP,  /* packets */
	QUEUE_BACKLOG, /* of the stack, of a CPU; packets */
	QUEUE_TAP,     /* of a tun or tap device, from which a process reads; packets */
	QUEUE_KINDS
};

#define QUEUES_MOST      512 /* a power of two */
#define QUEUES_OF_DEVICE 16  /* rings, and as many TX queues */
#define QUEUES_UDP       128 /* UDP sockets, a power of two less than QUEUES_KNOWN: CPU maps have room beside them */
#define QUEUES_KNOWN     256 /* a power of two */
#define QUEUE_UNTOLD     0xffffffff

struct queue_look {
	__u32 kind, ifindex; /* ifindex 0: of no device */
	__u32 number;        /* of the device's queue, the CPU, the port */
	__u32 fill;          /* QUEUE_UNTOLD: the kernel does not tell */
	__u64 object;        /* tells sockets and maps apart */
	__u64 at;            /* where the kernel has a UDP socket or a CPU map */
	__u64 passed;        /* packets that have come in or gone out, up to a constant; 0: not known */
	__u32 size;          /* 0: not known */
	__u32 held;          /* its fill, in the unit of passed */
};

/* A queue that a look finds by what an earlier search has told of it: of UDP or a CPU map. */
struct queue_known {
	__u32 kind, number;
	__u64 object, at;
};

#define QUEUES_CLOCKS 16

/* What a clock is to do when it ticks next. Who looks instead of it puts QUEUES_CLOCK_DUE back to nothing. */
enum { QUEUES_CLOCK_NOTHING, QUEUES_CLOCK_DUE, QUEUES_CLOCK_LOOKS };

struct queues_looked {
	__u32 n, left_out; /* left_out: so many more are known to be there */
	__u32 udp_sockets, unused;
	__u64 at_ns; /* CLOCK_MONOTONIC */
	struct queue_look list[QUEUES_MOST];
};

#endif
