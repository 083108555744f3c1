/* machine - CPUs, clocks, devices, namespaces, what the kernel says and allows */
#ifndef USER_MACHINE_H
#define USER_MACHINE_H

#include <dirent.h>
#include <linux/types.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include "base/base.h"
#include "base/sheet/sheet.h"
#include "bpf/layout.h"
#include "reports/run/run.h"

struct bpf_link;
struct bpf_object_skeleton;
struct bpf_prog_info;
struct bpf_program;
struct edges_bpf;
struct ifreq;
struct nl_msg;
struct nl_sock;
struct perf_event_mmap_page;
struct polls_bpf;
struct waits_bpf;

/* ---- the BPF programs that sit on a device, by name: XDP, tcx, and classifiers of clsact ------------------------- */

#define ATTACHED_MAX 16

struct attached {
	const char *hook; /* "xdp-native", "xdp-skb", "xdp-hw", and "tcx-" or "tc-" with "ingress" or "egress" */
	uint32_t id;
	char name[20];
};

/* From enum bpf_attach_type of Linux 6.7; many systems have older headers. */
enum { ATTACHED_TCX_INGRESS = 46, ATTACHED_TCX_EGRESS, ATTACHED_NETKIT_PRIMARY = 54, ATTACHED_NETKIT_PEER };

#define ATTACHED_QUERY_MAX 64 /* programs of one hook, as the kernel has it (BPF_MPROG_MAX) */

/* The numbers of the programs at such a hook. How many, or -errno; -EINVAL: this kernel has none. */
int attached_query(int ifindex, int type, uint32_t ids[ATTACHED_QUERY_MAX]);
/* The kind of a filter in a message of RTM_GETTFILTER, "" where it is none, and the number of its BPF program, or 0. */
const char *attached_filter(struct nl_msg *msg, uint32_t *program);
/* What the kernel tells of this program; what cannot be seen is 0. */
struct bpf_prog_info attached_info(uint32_t id);
size_t attached_find(int ifindex, struct attached list[ATTACHED_MAX]);
/* Ends what the link holds, and closes it; -1 is fine. Closing alone does not end what somebody lists, and so holds. */
void attached_end(int *link_fd);

/* ---- time, on the clock that perf stamps its samples with -------------------------------------------------------- */

uint64_t now_ns(void);
uint64_t clock_ns(clockid_t clock); /* 0: there is none */
void sleep_until_ns(uint64_t t_ns); /* returns early on a signal */

/* How long to wait for another task. Of the time between two looks PATIENCE_STEP_NS count: it may have had no CPU. */
#define PATIENCE_STEP_NS 250000000ULL
struct patience {
	uint64_t left_ns, looked_ns;
};
struct patience patience_of(uint64_t ns);
bool patience_ends(struct patience *p); /* after each look: it is over */

/* ---- CPUs -------------------------------------------------------------------------------------------------------- */

int cpu_possible(void); /* highest possible CPU number + 1 */
int cpu_pick_rx(void);  /* the default RX CPU: the last one this process may use */
/*
 * A CPU on another core than rx_cpu's. load_cpu < 0: for the generator, at least another CPU, if there is one. Else for
 * recorder and perf, which share load_cpu where there is no other.
 */
int cpu_pick_other(int rx_cpu, int load_cpu);
int cpu_check(int cpu);          /* -EINVAL: the CPU does not exist or is offline */
int cpu_pin(pid_t tid, int cpu); /* tid 0: the calling thread */

void *memory_map(size_t bytes); /* pages that are there; NULL: none, errno */

/* A thread that reads or sends, before other tasks of its CPU, with all signals blocked. */
struct worker {
	pthread_t thread;
	clockid_t clock; /* its time on the CPU, exact at any moment */
	bool runs;
	atomic_int tid; /* 0: it has not begun, < 0: it failed, -errno */
	atomic_bool stop;
};

/* Returns when main() has set tid: -errno, where that is one. */
int worker_start(struct worker *w, void *(*main)(void *arg), void *arg);
int worker_enter(int cpu);          /* the first that main() calls */
void worker_stop(struct worker *w); /* sets stop and waits for the end; may be called twice */

double cpu_steal_ns(int cpu); /* stolen time since boot (/proc/stat); NaN: not known */
double cpu_freq_khz(int cpu); /* cpufreq's current frequency; NaN: not known */

/* ---- network devices --------------------------------------------------------------------------------------------- */

struct netdev {
	char name[16];
	int ifindex;
	unsigned char mac[6];
	int mtu;
	bool up;
	char driver[32];
};

/* A socket of this protocol; NULL: there is none. The caller frees it. */
struct nl_sock *netlink_open(int protocol);
/* Hands over the answers to one request for a list, by a socket or by one of its own. 0, or an error of libnl. */
typedef int netlink_take(struct nl_msg *msg, void *arg);
int netlink_ask(struct nl_sock *sk, int type, const void *head, size_t size, netlink_take *take, void *arg);
int netlink_dump(int protocol, int type, const void *head, size_t size, netlink_take *take, void *arg);
/* One request with these attributes, the last one of type 0; waits for the answer. 0, or an error of libnl. */
struct netlink_attr {
	int type;
	const void *data;
	size_t bytes;
};
int netlink_change(int type, int flags, const void *head, size_t size, const struct netlink_attr *attrs);
int netdev_open(struct netdev *nd, const char *name, struct diag *d); /* nothing to close */
bool netdev_gone(const struct netdev *nd); /* no device has this name and this index any more */

/* Frames received, or sent, from /proc/net/dev, which has every device; -1: no such device in this namespace. */
int64_t netdev_packets(const char *name, bool sent);

/* A request of netdevice(7); and a command of linux/ethtool.h, where data begins with the command's number. */
int netdev_ioctl(const char *name, unsigned long request, struct ifreq *ifr);
int netdev_ethtool(const char *name, void *data);

/* Appends the driver's counters (ethtool -S); -EOPNOTSUPP: the driver has none. */
int netdev_driver_counters(const char *name, struct counters *out);

/* For the reader of a run's numbers: driver, bus, rings, channels, offloads. */
json_t *netdev_describe(struct json_out *w, const struct netdev *nd, int sysfs_fd);

/* All counters of a device: driver, link, page pools (netdev.yaml, Linux 6.8). Open sockets make reading quick. */
struct device_counters {
	char name[16];
	int ifindex;
	struct nl_sock *route, *generic; /* NULL: could not be opened */
	int netdev_family;
};

void device_counters_open(struct device_counters *dc, const struct netdev *nd);
int device_counters_read(const struct device_counters *dc, struct counters *out);
void device_counters_release(struct device_counters *dc); /* may be called twice */

#define VULNERABILITIES "sys/devices/system/cpu/vulnerabilities"

#define ENV_BOOT_ID "proc/sys/kernel/random/boot_id" /* another one after each boot, and on each machine */
/* The compiler of this machine's kernel; "": not known. */
void env_compiler(char compiler[MADE_COMPILER_BYTES]);
/* The machine of a run, for the reader of its numbers: kernel, CPU, mitigations, clocks. */
json_t *env_describe(struct json_out *w, const char *perf_version, int rx_cpu);

/* Features, flow rules, and the RSS table of a NIC. A setter returns 0 only when exactly the value was accepted. */

struct ethtool_feature {
	bool requested, active, fixed;
};

int ethtool_feature_get(const char *dev, const char *name, struct ethtool_feature *f);
/* The number of the feature with this name, of 32 in a block; -EOPNOTSUPP: this kernel has no such feature. */
#define FEATURE_BLOCKS 8 /* kernels have some 70 features */
int ethtool_feature_index(const char *dev, const char *name);

/*
 * A regular RSS table: entry i holds queue first + i % queues. usual: the table is the driver's default. -EOPNOTSUPP:
 * the driver has no table; -EDOM: somebody set a table that is not regular, which this struct cannot hold.
 */
struct ethtool_rss {
	uint32_t first, queues;
	bool usual;
};

int ethtool_rss_get(const char *dev, struct ethtool_rss *rss);
/* Room for the device's RSS table, which the caller frees, with its size. -EOPNOTSUPP: the device has no table. */
struct ethtool_rxfh_indir;
int ethtool_rss_table(const char *dev, struct ethtool_rxfh_indir **table);

/* A flow of UDP or TCP packets over IPv4 or IPv6, in network byte order; port 0: any port. */
struct flow {
	uint8_t family, protocol; /* AF_INET, AF_INET6; IPPROTO_UDP, IPPROTO_TCP */
	uint8_t src[16], dst[16];
	uint16_t src_port, dst_port;
};

/* The queue and the location of the rule for exactly this flow; -ENOENT: there is no such rule. */
int ethtool_rule_get(const char *dev, const struct flow *f, uint32_t *queue, uint32_t *location);
/* queue < 0: no rule any more. location < 0: the location of an existing rule for this flow, or a free one */
int ethtool_rule_set(const char *dev, const struct flow *f, int64_t queue, int64_t location);

/* ---- facts: files of /proc and /sys, of this machine or of a copy below another directory ------------------------ */

struct facts {
	int root_fd, sys_fd;
	bool copy; /* a copy of files, perhaps of another machine: system calls would give facts of the wrong machine */
};

/* This machine; needs no facts_open(). Its sys/class/net is that of the mounted /sys. Fuzzing alone changes it. */
extern struct facts facts_here;

int facts_open(struct facts *f, const char *root, struct diag *d); /* root NULL: this machine */
void facts_release(struct facts *f);                               /* may be called twice */

FILE *facts_file(const struct facts *f, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* NULL: errno */
DIR *facts_dir(const struct facts *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Each line of a file; each entry of a directory; each process and its command. What cannot be opened has none. */
#define facts_scan(f, line, ...)                                                                                       \
	for (FILE * scanned __attribute__((cleanup(facts_file_end))) = facts_file(f, __VA_ARGS__);                     \
	     scanned && fgets(line, sizeof(line), scanned);)
#define file_scan(line, ...) facts_scan (&facts_here, line, __VA_ARGS__)
#define dir_scan(entry, f, ...)                                                                                        \
	for (DIR * scanned __attribute__((cleanup(facts_dir_end))) = facts_dir(f, __VA_ARGS__);                        \
	     scanned && ((entry) = readdir(scanned));)
#define process_scan(f, pid, comm)                                                                                     \
	for (DIR * scanned __attribute__((cleanup(facts_dir_end))) = facts_dir(f, "proc");                             \
	     scanned && ((pid) = facts_next_process(f, scanned, comm, sizeof(comm)));)
void facts_file_end(FILE **file);
void facts_dir_end(DIR **dir);
/* A file's first line; the number that it begins with. 0 or -errno; file NULL: it could not be opened. */
#define facts_line(f, line, size, ...) facts_take_line(facts_file(f, __VA_ARGS__), line, size)
#define facts_number(f, value, ...)    facts_take_number(facts_file(f, __VA_ARGS__), value)
int facts_take_line(FILE *file, char *line, size_t size);
int facts_take_number(FILE *file, long long *value);
/* The kernel's BTF is there and begins as BTF does: a container may hide it behind an empty file. */
bool facts_have_btf(const struct facts *f);
/* A module that is not loaded. To ask the kernel for what it serves would load it. false: it is there, or not known. */
bool facts_module_is_out(const struct facts *f, const char *name);

/* "0-3,8" */
bool cpulist_has(const char *list, int cpu);

struct cpu_times {
	double user_ns, system_ns, irq_ns, idle_ns, steal_ns; /* irq: hard and soft */
};

int facts_all_cpu_times(const struct facts *f, struct cpu_times *list, int ncpus); /* a CPU that is off: all 0 */

struct irq {
	int number;
	char name[48];
	char cpus[64]; /* the list of CPUs that it may go to; "": not known */
	uint64_t count;
	int busiest_cpu; /* the CPU that took most of them; -1: there were none yet */
};

/* The device's interrupts, sorted by number. Returns how many were found, at most max. */
size_t facts_irqs(const struct facts *f, const char *dev, struct irq *irqs, size_t max);

/* The next process of a directory "proc"; 0: there are no more. */
int facts_next_process(const struct facts *f, DIR *proc, char *comm, size_t size);

/* Some fields of /proc/PID/stat. */
struct process_stat {
	char state;               /* the letter in proc(5) */
	int parent;               /* process number */
	bool kthread;             /* a thread of the kernel, whatever its name */
	unsigned long long start; /* ticks since boot */
	int cpu;                  /* the CPU where the process runs or ran last; -1: not known */
};

int facts_process_stat(const struct facts *f, int pid, struct process_stat *s);
bool facts_is_kthread(const struct facts *f, int tid);

/* Which process holds what the kernel shows only through a descriptor? Only those that this one may look into. */
#define FD_TAP "/dev/net/tun" /* the link of a descriptor of a tun or tap device */

struct fd_owner {
	pid_t pid;
	char comm[20];
	bool own; /* it is this process or a child of it */
};

/* Calls take() with each descriptor of the process, and its link, until it returns false. */
void fd_owner_each(pid_t pid, bool (*take)(int fd, const char *link, void *arg), void *arg);
/* The device of such a descriptor, and the inode number of its network namespace. False: none, or it may not be seen */
bool fd_owner_tap(int pidfd, int fd, char name[IFNAMSIZ], unsigned int *netns);
bool fd_owner_find(const char *link, const char *line, struct fd_owner *owner);

/* A child that undoes something when this process closes it, or dies in any way. */
struct guard {
	pid_t pid; /* 0: none */
	int fd;    /* the end of a pipe; the child waits at the other end */
};

#define NO_GUARD ((struct guard){.fd = -1})
/* Before the thing is there, so that no moment is without a guard. arg must be valid in the child: a copy of memory. */
int guard_start(struct guard *g, void (*undo)(const void *arg, int keep_fd), const void *arg, int keep_fd);
void guard_close(struct guard *g);                         /* undone when it returns; may be called twice */
void fd_close(int fd);                                     /* -1: does nothing */
int file_put(int dir, const char *path, const char *word); /* into a file of the kernel; -errno */
void close_all_but(int first, int keep, int keep_too);     /* descriptors from first on; keep and keep_too may be -1 */

/* The kernel's configuration, as far as it changes what a packet costs; options that the file mentions. */
json_t *kconfig_read(struct json_out *w, const struct facts *f);
/* "DEBUG_NET, KASAN, init_on_alloc=1": options and boot parameters that cost each packet something; how many. */
size_t kconfig_costly(const struct facts *f, const json_t *config, char *list, size_t size);
/* "none", "voluntary", "full" or "lazy"; -errno where the kernel does not tell. */
int kconfig_preempt_mode(const struct facts *f, char *mode, size_t size);

/* ---- the kernel's error messages that libbpf prints (extended acks of netlink); the last one is in a static buffer */

void kernel_words_clear(void);                /* call it before libbpf is used, which then prints nothing itself */
const char *kernel_words(void);               /* ": " and the last message, or "" */
const char *kernel_words_first_warning(void); /* libbpf's first warning since kernel_words_clear(); "": none */
/* Loads an object with these programs alone, the last one NULL. -EOPNOTSUPP: one sentence with what the kernel said. */
int kernel_load(struct bpf_object_skeleton *s, struct bpf_program *const wanted[], const char *what, struct diag *d);
/* *link_fd: what holds the program at the device; bpf_link_create(2)'s flags. */
int kernel_attach_xdp(int *link_fd, const struct bpf_program *p, const struct netdev *nd, unsigned int flags,
		      struct diag *d);

/* ---- locks: a flock(2) on a file of root's in LOCK_DIR; who cannot open the file is refused while root has it */

#define LOCK_DIR "/run/xdpzoom"

/* *fd: the lock, which close(2) gives back; -1: there are no locks here. 0 or -EBUSY. */
int lock_device(int *fd, int ifindex, const char *name, struct diag *d);
int lock_file(const char *path);                    /* a file of LOCK_DIR, open; or -errno */
pid_t lock_holder(const char *path);                /* 0: nobody, or nobody that can be seen here */
void lock_words(char *out, size_t size, pid_t pid); /* "process 12 (xdpzoom record eth0)" */

/* ---- NAPI: kthreads, and packets per poll; a probe that is switched off costs one load and one branch per poll --- */

/* Runs the device's NAPI in kthreads (on) or in softirq; takes effect at once when the device is up. */
int napi_set_threaded(const char *dev, bool on);
/* 1: the kernel runs it in kthreads; 0: in softirq; -errno: the kernel or the device does not tell. */
int napi_threaded(const char *dev, int sysfs_fd);
/*
 * The kthreads "napi/DEV-ID", sorted by id; those that only send (id 0) come last. How many there are, maybe more than
 * max. Before Linux 6.8, and with id 0, also those of a device of this name in another namespace.
 */
size_t napi_kthreads(const char *dev, pid_t *tids, size_t max);
/* The first kthread of napi_kthreads(); -ENOENT: none. */
pid_t napi_kthread(const char *dev);

struct polls {
	struct polls_bpf *skel;
};

/* tid: the device's NAPI kthread; 0: there is none. */
int polls_open(struct polls *p, int ifindex, unsigned int netns_inum, pid_t tid, struct diag *d);
int polls_read(const struct polls *p, struct poll_count *sum);
void polls_close(struct polls *p);

/*
 * ---- the ways in which drivers (of Linux 7.3) refuse native XDP because of a device's settings, each with its remedy.
 * NULL or false is no promise that a driver accepts
 */

struct native_limit {
	const char *driver;
	int mtu;    /* the largest for a program of one buffer */
	bool frags; /* above it, programs for frames of several buffers are taken */
	const char *source;
};

struct native_refusal {
	char why[240];                      /* "its peer q1 has 4 TX queues, more than its own RX queues, 1" */
	char fix[480];                      /* a command, or advice */
	char kind[12], name[24], value[24]; /* of the setting that fixes it (settings.h); kind "": fix alone */
};

/* The limits of a driver's MTU; NULL: not known. */
const struct native_limit *native_limit_of(const char *driver);
/* Do the settings that a check of the doctor looks at (mtu, queues, lro, gro-hw) make the driver refuse native XDP? */
bool native_refused(const struct netdev *nd, const char *check, bool frags, struct native_refusal *r);
/* The same, from virtio's feature bits: "0", "1" for each bit, as sysfs shows them. */
bool native_refused_virtio(const char *bits, struct native_refusal *r);

/* ---- the kernel's netlink family "netdev" (Documentation/netlink/specs/netdev.yaml) ------------------------------ */

/* The bits of xdp-act. */
enum {
	XDP_ACT_BASIC = 1, /* native ABORTED, DROP, PASS, TX */
	XDP_ACT_REDIRECT = 2,
	XDP_ACT_NDO_XMIT = 4,
	XDP_ACT_XSK_ZEROCOPY = 8,
	XDP_ACT_HW_OFFLOAD = 16,
	XDP_ACT_RX_SG = 32, /* frames of several pages */
	XDP_ACT_NDO_XMIT_SG = 64,
};

int netdev_genl_xdp(int ifindex, uint64_t *features);

struct netdev_napi {
	uint32_t id;
	int irq, pid; /* pid: the NAPI's thread; -1: there is none */
	int rx_queue; /* the lowest RX queue that the NAPI serves; -1: none */
};

struct netdev_queue {
	int ifindex;
	uint32_t id, napi; /* napi: the number of the NAPI that serves it */
	bool rx;
};

typedef void netdev_take_napi(const struct netdev_napi *napi, int ifindex, void *arg);
typedef void netdev_take_queue(const struct netdev_queue *queue, void *arg);
/* Hands over the NAPIs of a device, then its queues that have one; ifindex 0: those of all devices here. */
int netdev_genl_each(int ifindex, netdev_take_napi *napi, netdev_take_queue *queue, void *arg);
/* Fills napis; returns how many were found, at most max, or -errno. */
int netdev_genl_napis(int ifindex, struct netdev_napi *napis, size_t max);

/* ---- network namespaces, with names as `ip netns` makes them, and their sysfs ------------------------------------ */

bool netns_exists(const char *name);
int netns_add(const char *name, struct diag *d);    /* -EEXIST: there is a namespace of this name */
int netns_remove(const char *name, struct diag *d); /* returns 0 also when there is no such namespace */
int netns_open(const char *name, struct diag *d);   /* a descriptor, which the caller closes */
int netns_enter_fd(int fd);                         /* like setns(2); staying where one is needs no capability */
int netns_enter(const char *name, struct diag *d);  /* NULL or "": does nothing */
/* Makes a namespace without a name, which lives as long as *fd is open and devices are in use there. */
int netns_make(int *fd, struct diag *d);
/* Enters the namespace until netns_back(), which closes *saved. */
int netns_visit(const char *name, int *saved, struct diag *d);
int netns_visit_fd(int fd, int *saved, struct diag *d);
void netns_back(int *saved);
/* "netns_scope int saved = -1;" goes back to a visited namespace where the function or block ends. */
#define netns_scope __attribute__((cleanup(netns_back)))
/* -ENOENT: there is none with this inode number. *saved is -1 where this process is in it already. */
int netns_visit_inum(unsigned int inum, int *saved, struct diag *d);
/* A number that no other namespace has until the next boot, unlike the inode number; 0: Linux before 5.14. */
unsigned long long netns_cookie(void);
/* The number of the namespace of fd in this process's one (RTM_GETNSID), by a socket of NETLINK_ROUTE; -1: none. */
int netns_id(struct nl_sock *sk, int fd);
unsigned int netns_inum(void); /* the inode number of this process's namespace; 0: not known */

/* A directory descriptor of a sysfs of this network namespace, mounted nowhere (fsmount(2)). */
int netns_sysfs(struct diag *d);

/*
 * ---- the time that tasks were on a CPU
 *
 * law:   the time is the first field of /proc/PID/schedstat, which the kernel updates at each tick. For a watched task,
 *        the time is less the waits: the kernel also charges a task for the wait between its wakeup and its start
 *        (waits.bpf.c). With the waits, a receiver that sleeps between polls would seem up to two or three times as
 *        busy (tests/bench/wakeups.sh). Watching costs two table look-ups for each context switch, and nothing for a
 *        task that is not switched
 */

struct oncpu_time {
	uint64_t ns;
	int64_t waits_ns; /* the waits since oncpu_watch(), which ns does not contain; 0: the task is not watched */
};

struct oncpu {
	struct waits_bpf *skel; /* NULL: waits are not known */
};

int oncpu_open(struct oncpu *c, struct diag *d);
/* -EEXIST: the task is watched already; -E2BIG: no room to watch another task. */
int oncpu_watch(struct oncpu *c, pid_t tid);
void oncpu_forget(struct oncpu *c, pid_t tid);
int oncpu_time(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
/*
 * oncpu_time() for an edge of a window: waits (at most max_wait_ns) until the kernel updates the time. That came after
 * *after_ns; where this is long ago, this thread lost its CPU in between, and the moment is not known well.
 */
int oncpu_edge(const struct oncpu *c, pid_t tid, uint64_t max_wait_ns, struct oncpu_time *t, uint64_t *after_ns);
/* Subtracts the waits from t->ns, a time that the caller read from another clock of the kernel; fills t->waits_ns. */
void oncpu_less_waits(const struct oncpu *c, pid_t tid, struct oncpu_time *t);
void oncpu_close(struct oncpu *c); /* may be called twice */

/* The perf in PATH: 5.10 and later, or of a version never heard of; and the event that this machine can sample. */
struct perf_tool {
	char version[64];
	char event[32];
};

int perf_tool_find(struct perf_tool *t, struct diag *d);
/* "perf version 6.1.0"; the same errors. */
int perf_tool_version(char *version, size_t size, struct diag *d);
/* Opens a sampling event on one CPU, not yet enabled. Returns a file descriptor; < 0 with errno set. */
int perf_tool_open(const char *event, int cpu, int hz);

/* The distance of two CPUs: the time that a cache line takes from one to the other. */
double cpu_ping_pong_ns(int cpu_a, int cpu_b);

/* The calling thread's priority over other tasks on its CPU, for a while. */
struct priority {
	bool raised; /* false: the other members are not filled */
	cpu_set_t cpus;
	int nice;
};

#define PRIORITY_FIRST (-20) /* the nice value */

bool priority_realtime_begin(void); /* SCHED_FIFO; false: it was no usual task before, or may not become one */
/* A new session with this nice value: with autogroups, a task's own one counts only within its session (sched(7)). */
void priority_session_begin(int nice);

/*
 * ---- privileges: may this process do what needs root? And what of it does it give up, for good?
 *
 * law:   root has them all, outside of containers; any other user may have just these. What is given up here is never
 *        had again, neither by this process nor by its children; but programs that root starts between
 *        that and privileges_settle() have all that root has
 * src:   capabilities(7); linux include/linux/capability.h: CAP_SYS_ADMIN implies CAP_BPF and CAP_PERFMON
 */

/* what: the command, for the sentence. */
int privileges_check(const char *what, struct diag *d);
enum privileges_of {
	PRIVILEGES_OF_COMMAND, /* before one begins: what some command needs */
	PRIVILEGES_OF_GENERATOR,
	PRIVILEGES_OF_PERF,
	PRIVILEGES_OF_SSH, /* what is not root has its programs that are set-user-ID */
};

/* Keeps what it needs; but for a command, in a child. */
void privileges_keep(enum privileges_of whom);
/*
 * When all is set up: keeps what measuring takes. admin: also CAP_SYS_ADMIN, for namespaces and what goes with them.
 * port: also the right to bind to the frames' port, for layers.
 * programs: we are still to start programs for the caller, which shall have what the caller has.
 */
void privileges_settle(bool admin, bool programs, bool port);

/* ---- what a sample of perf costs the CPU that it is taken on ----------------------------------------------------- */

#define SAMPLER_HZ 3989

struct sampler {
	int fd; /* -1: not open */
	struct perf_event_mmap_page *ring;
};

int sampler_open(struct sampler *s, const char *event, int cpu);
void sampler_switch(struct sampler *s, bool on);
void sampler_close(struct sampler *s);
/* In a loop that spins for half a second, with and without samples. 0: too small. A receiver's thread pays more. */
double sample_cost_spin_ns(const char *event, int cpu);

/*
 * ---- gives a CPU slabs of socket buffers (skbs) in which nobody else has any
 *
 * A receiver in skb mode takes the heads of some 16 skbs from the slab that is its CPU's, and frees them soon after. If
 * that slab was whole, each of them is freed into it: the fast path of the slab allocator. If others hold one of its
 * objects, the batch reaches into a second slab. That one is the CPU's when the batch is freed, so that many of its
 * frees take the slow path, and two such slabs take turns for as long as nothing else happens. What the machine did
 * before decides which of these it is. So the holes are filled first: with skbs that wait in a socket and live until
 * the next call. A slab holds 16 skbs, too (x86-64, pages of 4 kB), so a receiver that begins within one never has it
 * for itself. So skbs are held until a slab is used up, where the kernel counts slabs (CONFIG_SLUB_DEBUG, sysfs).
 *
 * law:   takes a few ms of the CPU. Call it just before windows, never in one: what others do on the CPU later may
 *        begin with another slab. Holes of slabs that other CPUs hold stay; the CPU does not come to these
 * src:   linux mm/slub.c, ___slab_alloc() and __slab_free(); net/core/skbuff.c, napi_skb_cache_get_bulk();
 *        drivers/net/veth.c, veth_xdp_rcv_bulk_skb(). Figures are in docs/figures.rst
 */

#define SKB_SLABS_HELD 4096

struct skb_slabs {
	int sockets[2]; /* what is sent to the first waits in the second; -1: none */
};

/*
 * Lets go of what was held before. Returns how many skbs are held now (SKB_SLABS_HELD: so many or more); 0: the CPU's
 * slabs are as they were found.
 */
int skb_slabs_fill(struct skb_slabs *s, int cpu);
void skb_slabs_release(struct skb_slabs *s); /* may be called twice */

/*
 * ---- how fast is a CPU at this moment? By fixed work on it
 *
 * law:   takes less than 2 ms of the CPU in a real-time thread of its own, so that a busy receiver does not
 *        starve the probe, and the probe is in no other task's time. The receiver pauses meanwhile: call it between
 *        windows, never in one
 *
 * The work is timed in short pieces, and the lower quartile counts: an interrupt, a softirq and a hypervisor that takes
 * the CPU away only make single pieces longer. A slow machine makes all of them longer.
 */

#define SPEED_PROBE_MAX_NS 2000000

double speed_probe_ns(int cpu);

/* Does this machine's own connection go over the device, or over one above it, such as its bridge? */
int uplink_check(const char *dev, struct diag *d);
/* Does the device have this address? address is text; an address with a scope ("fe80::1%eth0") may be given. */
bool uplink_has_address(const char *dev, const char *address);

/*
 * ---- the other end of a veth, and what an end of one needs for XDP frames, in words with the command
 * (veth_xdp_xmit(), veth_set_features() of drivers/net/veth.c)
 */

#define VETH_WORDS 320

struct veth_peer {
	char name[16];
	char run[120]; /* what commands for the end begin with: "ip netns exec NAME "; "": nothing */
	bool up;
	int mtu;
	uint32_t tx_queues; /* in use; 0: not known */
};

bool veth_is(const struct netdev *nd);
int veth_peer_find(const struct netdev *nd, struct veth_peer *p);
/* Why the other end takes no XDP frames: "its peer vb needs an XDP program, or gro on: ethtool -K vb gro on". */
void veth_peer_needs(const struct netdev *nd, char *words, size_t size);
/* What nd needs to have NAPI without a program: "gro on (ethtool -K vb gro on)". "": it is no veth, or has gro on. */
void veth_needs(const struct netdev *nd, char *words, size_t size);
/* -ETIMEDOUT, and the sentence that no packets arrive at nd, of any driver; skb: its program is a generic one. */
int veth_no_packets(const struct netdev *nd, bool skb, struct diag *d);

/*
 * ---- how long a CPU worked for one device: the time of its NAPI thread there, or of its polls in softirqs
 *
 * law:   of a thread it is the time from each switch to it until the switch away from it, without waits, and without
 *        the NET_RX softirqs inside, which poll other devices. Of softirqs it is the time of NET_RX softirqs on that
 *        CPU, without the polls of other devices; a poll counts when it ends. The programs are gone when this process
 *        ends, however it ends
 */

struct work_clock {
	struct edges_bpf *skel;                       /* NULL: not open */
	struct work_edge of;                          /* whose work */
	const volatile struct turn_foreign *foreigns; /* mapped: polls of other devices, in order */
	double stamp_ns;                              /* what one pair of readings adds; NaN: not measured */
};

struct work_clock_options {
	int cpu, ifindex;
	unsigned int netns; /* inode number of the device's network namespace */
	pid_t tid;          /* of the NAPI thread; 0: polled in softirqs */
};

int work_clock_open(struct work_clock *c, const struct work_clock_options *o, struct diag *d);
int work_clock_read(const struct work_clock *c, struct work_edge *e, struct diag *d);
/* Attach and detach a second stamp; after detaching, stamp_ns is what it measured. Does nothing for a thread. */
int work_clock_calibrate(struct work_clock *c, bool on, struct diag *d);
/* The same for the program that is the second stamp, and the pairs of readings that it sums. */
int clock_calibrate(struct bpf_link **link, const struct bpf_program *second, struct clock_pairs pairs[2], bool on,
		    double *stamp_ns, struct diag *d);

#endif
