/* settings - what is changed on a machine, written down before, and put back */
#ifndef USER_SETTINGS_H
#define USER_SETTINGS_H

#include "base/base.h"
#include "base/sheet/sheet.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"

/*
 * setting - one setting of this machine that can be read, changed, and put back: a file of /proc, /sys or a
 * device; a NIC's feature, ring, queues, coalescing, pause frames, MTU, flow rule, RSS table; a process that runs or is
 * stopped; a thread's CPUs
 *
 * law:   after setting_get(), setting_set(another value), setting_set(the value that setting_get() returned) the
 *        machine is as before. The table that changes a setting also gives the shell command for it
 */

struct flow;
struct flows_bpf;

struct setting {
	char kind[12];
	char dev[16];
	char name[160];
	char value[160];
};

void setting_fill(struct setting *s, const char *kind, const char *dev, const char *name, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/* Reads the machine's value into value; does not use s->value. */
int setting_get(const struct setting *s, char *value, size_t size);
int setting_set(const struct setting *s, const char *value);
/* The shell command that sets s->value: "ethtool -K eth0 rx-lro off". */
void setting_command(const struct setting *s, char *command, size_t size);
/* "rx-lro of eth0", for sentences. */
void setting_words(const struct setting *s, char *words, size_t size);

/* The setting's name for a flow's rule, for kind "rule". */
void setting_name_flow(char *name, size_t size, const struct flow *f);
/* The same of a process or thread, for kinds "process" and "cpus", which no other task ever has; "": it has ended. */
void setting_name_task(char *name, size_t size, int tid);

/*
 * changes - changes settings of this machine, records each old value first, and puts the old values back
 *
 * law:   the old value is on disk before a setting is changed. Changes are put back in reverse order, so that in the
 *        end every setting has its old value. A temporary change belongs to the process that made it. That process
 *        puts it back, or, when the process was killed, the next xdpzoom does. A setting that several processes need
 *        with one value is put back by the last of them
 */

/* *changed (may be NULL): it had another value. Else it is noted only where a process that still runs has set it. */
int changes_make(const struct setting *want, bool temporary, bool *changed, struct diag *d);

enum changes_whose {
	CHANGES_KEPT,    /* permanent changes, made by doctor --fix */
	CHANGES_OWN,     /* temporary changes of this process */
	CHANGES_ORPHANS, /* temporary changes of processes that have ended */
};

size_t changes_count(enum changes_whose whose);
/* *n were put back; one that is gone counts. tell (may be NULL) gets a sentence each. Goes on after an error. */
int changes_undo(enum changes_whose whose, void (*tell)(const char *words), size_t *n, struct diag *d);

/* The load that arrives at a device, by a program that passes all packets to the stack. */
struct flows {
	struct flows_bpf *skel;
	struct bench bench; /* attaches the program in the same way as a program under test */
	bool skb;           /* in skb mode */
};

struct flows_seen {
	/* the flow with most packets; family 0: neither UDP nor TCP; src_port 0: the packets have many source ports */
	struct flow flow;
	uint64_t packets, of_flow; /* all packets; packets of that flow */
	uint64_t on_queue;         /* all packets that arrived on queue */
	int queue, cpu;            /* where most packets of the flow arrived */
	int nqueues;               /* queues where any packet arrived */
};

/*
 * Ring, coalescing, queues and softirq budget of a NIC that receives, for as long as a session is open; -1: left as it
 * is. changes_undo() puts every change back; when this process was killed, the next xdpzoom does. A value that the
 * driver rounds is refused, so that no number stands for another one.
 */
struct rx_settings {
	int ring, coalesce_us, queues, budget;
};

/* Parts of --tune. */
/* clang-format off */
#define RX_OPTIONS(o)                                                                                                  \
	{"ring", 0, OPT_INT, &(o)->ring, "N", "frames in the device's RX ring", 1, 65536, .otherwise = "as it is"},    \
	{"coalesce", 0, OPT_INT, &(o)->coalesce_us, "USECS", "the device waits so long before its interrupt", 0,       \
	 100000, .otherwise = "as it is"},                                                                             \
	{"queues", 0, OPT_INT, &(o)->queues, "N", "queues that receive", 1, 4096, .otherwise = "as it is"},            \
	{"budget", 0, OPT_INT, &(o)->budget, "N", "packets in a softirq before it yields (net.core.netdev_budget)", 1, \
	 1000000, .otherwise = "as it is"}
/* clang-format on */

bool rx_settings_wanted(const struct rx_settings *o);
/* -EOPNOTSUPP for the lab. */
int rx_settings_check(const struct rx_settings *o, const char *dev, struct diag *d);
/* Changes the settings, and waits until the device has its link again. */
int rx_settings_begin(const struct rx_settings *o, const struct netdev *nd, struct diag *d);

/*
 * Brings the load to one RX queue, pins that queue's interrupt to one CPU, runs its NAPI in a thread, until
 * steer_end(), which puts every change back; when this process was killed, the next xdpzoom or doctor --undo does
 * (Documentation/networking/scaling.rst, napi.rst).
 */

struct steer_options {
	bool steer;    /* bring the load's flow to one queue by a rule, or all flows by the RSS table */
	bool threaded; /* run NAPI in a thread, on the CPU of the interrupt */
	int pin_cpu;   /* pin the queue's interrupt to this CPU; < 0: leave the interrupt where it is */
	int rx_cpu;    /* the thread runs on this CPU; < 0: where packets arrive, but apart from the generator */
	int load_cpu;  /* our own generator's; < 0: the load is somebody else's */
};

struct rx_path {
	int queue, cpu; /* -1: not known */
	int irq;        /* -1: none, or not known */
	char irq_name[48], irq_cpus[64];
	long napi_id; /* -1: the kernel does not report it */
	int napi_tid; /* of the NAPI's thread; -1: the NAPI runs in softirq */
};

struct steer {
	const struct steer_options *o; /* NULL: no option is set, and every call does nothing */
	struct netdev nd;
	struct flows flows;
	struct flows_seen seen; /* the load before anything was changed */
	int cpu;                /* where packets shall arrive from now on */
	struct rx_path path;
	struct setting table; /* the RSS table that was set; kind "": none was set */
	char how[200];        /* how the load comes to one queue, in words */
};

/* Parts of --tune. */
/* clang-format off */
#define STEER_OPTIONS(o)                                                                                               \
	{"steer", 0, OPT_FLAG, &(o)->steer, NULL, "bring the load to one RX queue, by an ntuple rule or RSS's table"}, \
	{"irq", 0, OPT_INT, &(o)->pin_cpu, "CPU", "send that queue's interrupt to CPU", 0, 4095,                       \
	 .otherwise = "where it is"},                                                                                  \
	{"threaded", 0, OPT_FLAG, &(o)->threaded, NULL, "poll in a thread on the RX CPU, whose busy time is exact"}
/* clang-format on */

/* -EINVAL: a CPU that is not there or offline, or the lab, which has only one queue and a thread already. */
int steer_check(const struct steer_options *o, const char *dev, struct diag *d);
bool steer_wanted(const struct steer_options *o);
/* Attaches the program that looks at the load, which is then started; steer_begin() detaches it. */
int steer_prepare(struct steer *s, const struct steer_options *o, const struct netdev *nd, enum run_mode mode,
		  struct diag *d);
int steer_begin(struct steer *s, double patience_s, struct diag *d);
/* After each program that is attached: the driver may have new interrupts and threads then. */
int steer_hold(struct steer *s, struct diag *d);
int steer_end(struct steer *s, struct diag *d); /* may be called twice */

/* Finds out how packets come to a CPU: a queue (-1: any queue that this CPU serves), its NAPI, interrupt and thread. */
void rx_path_find(struct rx_path *p, const struct facts *f, const struct netdev *nd, int queue, int cpu);
/* "queue 0, CPU 1, IRQ 38 (virtio2-input.0), NAPI 8193, polled in thread 1234" */
void rx_path_words(const struct rx_path *p, char *words, size_t size);
json_t *rx_path_json(struct json_out *w, const struct rx_path *p);
#define STEER_WORDS 1024
/* Three lines: the load, the RX path, how the load was steered; "" when no option is set. size: STEER_WORDS */
void steer_words(const struct steer *s, char *words, size_t size);

#endif
