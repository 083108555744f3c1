/* bed - the lab, and the device or lab that a command works on */
#ifndef USER_BED_H
#define USER_BED_H

#include "base/base.h"
#include "user/gen/gen.h"
#include "user/machine/machine.h"

/*
 * rig - the built-in test bed ("lab"): a veth pair between two network namespaces that behaves like a NIC and its wire
 *
 *     xdpzoom-tx: xztx  ---- live frames ---->  xzrx :xdpzoom-rx      threaded NAPI, pinned to the RX CPU
 *                 sink  <---- XDP_TX ---------
 *                 xzend <---- redirect -------  xzout                second pair, made when a variant redirects
 *
 *                 xzsendN --- live frames -->  xzarmN                a pair for each variant that takes turns (arms)
 *                 sink    <--- XDP_TX -------
 *
 * xztx carries a native XDP program, "the sink", as long as the lab exists. Without a program there, veth would throw
 * XDP_TX frames away after the verdict was counted. The sink counts and drops them. A second such program on xzend
 * counts and drops the frames that were redirected to xzout. The polls of xztx and xzend run in softirq on the RX CPU,
 * inside the receiver's kthread; reports recognize these polls by their stacks and take them out.
 *
 * law:   rig_up() may be called again; rig_down() removes everything that rig_up() made, also after a crash; IPv6 is
 *        off, so that the kernel sends no packets of its own
 */

#define RIG_RX_NETNS "xdpzoom-rx"
#define RIG_TX_NETNS "xdpzoom-tx"
#define RIG_RX_DEV   "xzrx"
#define RIG_TX_DEV   "xztx"
#define RIG_OUT_DEV  "xzout" /* in the receiver's namespace */
#define RIG_END_DEV  "xzend" /* in the sender's */

#define RIG_LOCK "/run/xdpzoom-lab.lock"
/*
 * A lab that a command made for itself has this file. A command that was killed leaves both behind; the lock, which the
 * kernel takes from the dead, tells that nobody uses the lab any more. Without the file, the lab is no command's own,
 * and stays until `lab down`.
 */
#define LAB_MARK "/run/xdpzoom-lab.temporary"

bool rig_exists(void);
/* rx_cpu < 0: the CPU that the lab has already, or the last one. mtu 0: the kernel's, or that which the lab has. */
int rig_up(int rx_cpu, int mtu, struct diag *d);
int rig_rx_cpu(void); /* where rig_up(-1) puts the receiver */
int rig_down(struct diag *d);
/* Makes the second pair of a lab that is up; the pair stays until rig_down(). */
int rig_out_up(struct diag *d);

/*
 * The arms: pairs number 0 .. n-1, each like the first pair. All receivers have one MAC address and all senders
 * another, so that one frame fits all. rig_arms_up() makes them anew; rig_arms_down() and rig_down() remove them.
 * threaded: each receiver has a NAPI kthread, pinned to rx_cpu; false: it is polled in softirqs.
 */
#define RIG_ARMS     32
#define RIG_ARM_DEV  "xzarm%d"  /* in the receiver's namespace */
#define RIG_SEND_DEV "xzsend%d" /* in the sender's */
struct rig_arms {
	int n;
	bool threaded;
	bool reversed;  /* frames go to the senders, whose polite NAPI kthreads are pinned to rx_cpu */
	bool apart;     /* each receiver is in a nameless namespace, so that rules for one cost the others nothing */
	bool addressed; /* each receiver has the address that the generator's frames are sent to */
	int netns_fds[RIG_ARMS]; /* apart: of these namespaces, which rig_arms_down() closes; -1: the receiver's */
};
int rig_arms_up(struct rig_arms *arms, int rx_cpu, struct diag *d);
/* With reversed: is this arm's sender polled in its kthread, as rig_arms_up() left it, or in softirqs? */
int rig_arm_sink(int number, int rx_cpu, bool threaded, struct diag *d);
void rig_arms_down(struct rig_arms *arms); /* may be called twice */
/* Arms that a killed process left: how many (0 while the lab is locked), -errno. sweep: removed, with the lock held. */
int rig_arms_left(bool sweep);

struct rig_state {
	int mtu;  /* of the receiver; 0: there is none */
	int arms; /* pairs that rig_arms_up() made */
	bool rx_dev, tx_dev, sink;
	bool complete;  /* both devices, the kthread and the sink exist */
	bool out_dev;   /* the second pair exists and counts the frames that arrive */
	pid_t napi_tid; /* the receiver's NAPI kthread; < 0: not threaded */
	int rx_cpu;     /* the only CPU where that kthread may run; -1: it may run on several */
	uint64_t sink_frames;
};

int rig_state(struct rig_state *s, struct diag *d);
/* A descriptor of the lab's lock: alone for who changes or measures it, shared for who looks or sends. -EBUSY */
int rig_lock(bool alone, struct diag *d);
/* Frames that came back to the sender's RIG_TX_DEV, or that were redirected to RIG_END_DEV; -1: there is no sink. */
int64_t rig_frames(const char *dev);
/* Fills device, namespace and destination address, so that frames arrive at xzrx. */
int rig_gen_options(struct gen_options *o, struct diag *d);
/*
 * Closes the loop when o has no rate: the generator keeps as many frames under way as the receiver's ring has room for.
 * It reads how many the program under test has counted on rx_cpu. So the receiver is always busy, and its ring refuses
 * no frame. (In an open loop, the sender frees the frames that a full ring refuses, and both CPUs meet at the lock of
 * its page pool. That costs 10 to 40 ns a packet, and more with a slower program.)
 * For a program that redirects to a task, stage_close_loop() closes the loop at that task too.
 */
void rig_close_loop(struct gen_options *o, int counts_fd, int rx_cpu);

/* ---- the steps that make a pair of the lab, for the ladders, too; rig_down() removes what they make -------------- */

extern const unsigned char rig_arm_mac[6]; /* of the receivers of all arms */

/*
 * Makes "here" in this process's namespace, and "there" in the one that there_fd is a descriptor of. RIG_ARM: veth with
 * the MAC addresses of arms. mtu: of both, 0: the kernel's.
 */
#define RIG_SAME_NETNS (-1)
enum rig_pair { RIG_VETH, RIG_ARM, RIG_NETKIT };
int rig_make_pair(const char *here, const char *there, int there_fd, enum rig_pair pair, int mtu, struct diag *d);
int rig_mtu(void); /* in the sender's namespace: of the first pair, which all others of the lab take */
int rig_set_up(const char *name, struct diag *d);       /* in its namespace: up */
void rig_quiet_ipv6(void);                              /* no packets of IPv6's own in this namespace */
int rig_setup_sink(const char *dev, struct diag *d);    /* in its namespace: up, with a program that counts */
int rig_open_receiver(const char *dev, struct diag *d); /* in the receiver's namespace: up, with NAPI (gro) */
/* In the receiver's namespace: polls the device in a NAPI kthread on this CPU. */
int rig_thread_receiver(const char *dev, int rx_cpu, struct diag *d);
void rig_delete_link(const char *name); /* in its namespace; the kernel deletes its peer too */
/* An arm has GEN_DST_IP, 32. There is no route to the frames' source, so nothing is sent back. */
int rig_change_address(const struct netdev *nd, const char *address, unsigned char prefix, bool on, struct diag *d);
/* rig_thread_receiver(), with a kthread that takes the CPU from no other task that is running. */
int rig_thread_politely(const char *dev, int cpu, struct diag *d);
/* Calls the function, if there is one, for each arm's device of this namespace, and returns how many there are. */
int rig_arms_each(void (*call)(const char *name));

/*
 * target - the device a command works on: a name, a name in a namespace, or the word "lab"
 *
 * law:   target_release() removes the lab only when target_open() made it. Where the command was killed, the next
 *        target_open() for the lab removes it; `lab up` and `lab down` make it the caller's own
 */

struct target {
	struct netdev nd;
	bool lab;
	bool made_lab;
	int lock_fd;   /* of the lab */
	int device_fd; /* the lock of a device that is not the lab's */
	int home_fd;   /* the namespace that this process was in before */
};

#define NO_TARGET ((struct target){.lock_fd = -1, .device_fd = -1, .home_fd = -1})
/* alone: no other process may use the lab until target_release(); rx_cpu < 0: the lab's RX CPU, or the default. */
int target_open(struct target *t, const char *name, const char *netns, int rx_cpu, bool alone, struct diag *d);
void target_release(struct target *t); /* goes back to the namespace of before; may be called twice */

#endif
