/*
 * session - one device measured under load: program or layer, second stage, generator, steering and probes
 *
 * They are opened in one order, for whoever opens a session:
 *   session_open()        opens the device and changes its RX settings; tries a generator on another machine
 *   own_list_open()       loads the programs of the user's own and runs --setup; they stay until session_close()
 *   session_try()         tests whether the packets of a variant reach its second stage, before anything is changed
 *   session_steer()       sets the RX path up; our own load runs meanwhile
 *   session_settle()      gives up what the rest does not need
 *   session_attach()      attaches the program, opens its second stage, or opens the layer; session_detach() before the
 *                         next variant
 *   session_load()        starts the load, which runs until session_stop_load() or session_detach()
 *   session_close()       removes own programs after --teardown, puts the settings back that steering changed
 *
 * law:   session_release() undoes everything that the other functions attached, started, made or changed
 */
#ifndef USER_SESSION_H
#define USER_SESSION_H

#include "base/base.h"
#include "reports/run/run.h"
#include "user/gen/gen.h"
#include "user/observe/observe.h"
#include "user/ladder/ladder.h"
#include "user/stage/stage.h"
#include "user/bed/bed.h"
#include "user/machine/machine.h"
#include "user/programs/programs.h"
#include "user/settings/settings.h"

struct session_options {
	bool cut_off;   /* also a device that this machine's own connection goes over */
	bool own_load;  /* true: we send the load below; false: somebody else sends */
	bool addressed; /* our own load goes to an IPv4 address of the device, where it has one: for layers */
	struct gen_options load;
	struct frame_source frames; /* what our own load sends; none: the generator's own frames */
	struct steer_options steer;
	struct rx_settings rx;
	struct own_options own; /* how programs of the user's own are loaded */
};

struct session {
	struct session_options o; /* session_open() fills the destination of the load */
	struct target target;
	const struct session *of; /* of an arm: the session that it belongs to; else NULL */
	json_t *remote; /* the report of the generator's machine about itself; NULL: the generator is on this machine */
	struct frames frames;
	struct own_list own;
	struct steer steer;
	struct gen gen;
	int rx_cpu; /* session_counts() counts all packets of the bare program, and of a layer, on this CPU */
	/* from session_attach() to session_detach() */
	struct bench bench;
	struct layer layer; /* instead of a program; its forward: of one at netkit */
	struct stage stage;
	struct observer observer;
	struct device_counters device;
	int ncpus;            /* entries of session_counts() */
	bool bare;            /* the program counts nothing; we use the device's counter of packets given to XDP */
	uint64_t bare_before; /* that counter before the program was attached */
	uint64_t seen_before; /* session_seen() before our own load began */
	bool exchanged;       /* by bench_exchange(): programs take turns on the device */
};

void session_init(struct session *s, const struct session_options *o);
/* rx_cpu and alone: see target_open(). */
int session_open(struct session *s, const char *dev, const char *netns, int rx_cpu, bool alone, struct diag *d);
/* Loads and opens all that the variant needs, and closes it again. Fills v->stage_text. */
int session_try(struct session *s, struct run_variant *v, struct diag *d);
/* In skb mode the program that looks at the load is attached in it, else in native mode. */
int session_steer(struct session *s, enum run_mode mode, struct diag *d);

int session_attach(struct session *s, struct run_variant *v, struct diag *d);
/* Our own load. In the lab, without a rate, it follows the pace of the program, its second stage or its reader. */
int session_load(struct session *s, struct diag *d);
/*
 * Gives up the privileges that only session_open() to session_steer() needed, for good: no session can be opened
 * after that one. CAP_SYS_ADMIN stays for perf (profiles), other namespaces, settings to put back, own programs,
 * probes, observers, and second stages.
 */
void session_settle(const struct session *s, const struct run_variant *variants, size_t n, bool profiles);
/* Checks that the device, the program and our own generator are still there. */
int session_check(struct session *s, struct diag *d);
/* Stops our own load and waits for the last frames. -1 in *sent: not known, also when somebody else sends. */
int session_stop_load(struct session *s, struct gen_result *sent, struct diag *d);
void session_drain(const struct session *s); /* waits until no more frames arrive, for a second at most */
void session_detach(struct session *s);      /* stops the load, removes program and second stage; may be called twice */

/* Does session_detach(), removes own programs, then puts back the settings that steering changed. */
int session_close(struct session *s, struct diag *d);
void session_release(struct session *s); /* undoes everything that is left; may be called twice */

/* Packets since session_attach(). */
uint64_t session_seen(const struct session *s);
void session_counts(const struct session *s, struct bench_count *counts); /* s->ncpus entries */

/* The second stage of a redirect, or the thread that reads a layer's frames; see stage.h for -1 and false. */
pid_t session_stage_tid(const struct session *s);
int64_t session_stage_frames(const struct session *s, bool cheap);
int64_t session_stage_dropped(const struct session *s);

/* The device's counters at one moment, and the packets that the program had seen at that moment. */
struct reading {
	uint64_t at_ns, packets;
	struct counters counters;
};

int session_read(const struct session *s, struct reading *now); /* releases the old content of *now. -ENOMEM */
/* The counters that changed between two readings; the caller releases out->changed. -ENOMEM */
int reading_changes(struct run_counters *out, const struct reading *from, const struct reading *to);
void reading_release(struct reading *r); /* may be called twice */

#endif
