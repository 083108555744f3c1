/*
 * layout - what BPF programs and user space share: map values and the numbers both sides know
 *
 * units: counts are packets; cpu indices are the kernel's CPU numbers
 * law:   no pointers, no implicit padding, same layout on both sides
 */
#ifndef BPF_LAYOUT_H
#define BPF_LAYOUT_H

#define BENCH_VERDICTS 8 /* a power of two that has room for the five verdicts of XDP */

/* Packets by verdict, one cache line per CPU so that CPUs never share one. Indices are enum xdp_action. */
struct bench_count {
	__u64 verdicts[BENCH_VERDICTS];
};

enum bench_operation { OP_NO_TOUCH, OP_READ_DATA, OP_PARSE_IP, OP_SWAP_MACS };

/* Extra work per packet, planted to see whether it is found again. */
enum bench_plant { PLANT_NONE, PLANT_CHAIN, PLANT_WALK };

struct plant_line {
	__u32 next; /* index of the line to go to */
	__u32 unused[15];
};

#define PLANT_WALK_LINES (1u << 17) /* 8 MB: more than a core has caches of its own */

#define STAGE_QUEUES 64 /* RX queues that AF_XDP sockets can be bound to */

/* What became of redirected frames, one cache line per CPU. */
struct redirect_count {
	__u64 cpumap_drops; /* the other CPU's queue was full */
	__u64 frames;       /* taken up: by the other CPU's kthread, by the thread at the sockets */
	__u64 device_drops; /* the other device refused them */
	__u64 errors;       /* redirects that failed before any of this */
	__u64 unused[4];
};

/* Where a packet came from and went to, and on which RX queue it came; addresses and ports in network order. */
struct flow_key {
	__u8 src[16], dst[16];
	__u16 src_port, dst_port;
	__u8 family; /* AF_INET, AF_INET6; 0: no IP */
	__u8 protocol;
	__u16 queue;
};

#define FLOWS_MAX 4096

/* Packets per NAPI poll: 0..64, then "more". */
#define POLL_BUCKETS 66

struct poll_count {
	__u64 polls;
	__u64 packets;
	__u64 empty;
	__u64 softirq_ns; /* of NET_RX softirqs nested into the receiver's NAPI thread */
	__u64 softirq_since_ns;
	__u64 hist[POLL_BUCKETS];
};

#define WAITS_TASKS 512 /* that are watched at a time */

/* Of a task. */
struct task_waits {
	__s64 charged_ns; /* for waiting, since it was entered, in turns on the CPU that are over */
	__s64 behind_ns;  /* how far the run queue's clock was behind when this turn began */
	__s64 apart_ns;   /* and how far its clock of tasks behind that */
	__u64 came_ns;    /* when it began; 0: none that was seen */
};

/* Calls of one kernel function on one CPU. */
struct call_count {
	__u64 calls;
	__u64 timed, ns; /* of those calls that could be timed */
	__u64 since_ns;  /* when the call that is running began, and in which task */
	__u32 tid;
	__u32 depth;
};

#endif
