// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <linux/if_tun.h>
#include <linux/perf_event.h>
#include <linux/pkt_cls.h>
#include <netlink/msg.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include "user/machine/machine.h"
#include "bpf/edges.skel.h"

/* ---- attached ---- */

struct found {
	struct attached *list;
	size_t n;
	const char *hook;
};

struct bpf_prog_info attached_info(uint32_t id)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len))
		info = (struct bpf_prog_info){};
	fd_close(fd);
	return info;
}

void attached_end(int *link_fd)
{
	if (*link_fd >= 0) {
		bpf_link_detach(*link_fd);
		close(*link_fd);
	}
	*link_fd = -1;
}

static void add(struct found *f, const char *hook, uint32_t id)
{
	if (!id || f->n == ATTACHED_MAX)
		return;
	f->list[f->n] = (struct attached){.hook = hook, .id = id};
	snprintf(f->list[f->n++].name, sizeof(f->list->name), "%.16s", attached_info(id).name);
}

int attached_query(int ifindex, int type, uint32_t ids[ATTACHED_QUERY_MAX])
{
	uint32_t n = ATTACHED_QUERY_MAX, flags = 0;

	return bpf_prog_query(ifindex, type, 0, &flags, ids, &n) ? -errno : (int)n;
}

const char *attached_filter(struct nl_msg *msg, uint32_t *program)
{
	struct nlattr *tb[TCA_MAX + 1], *bpf[TCA_BPF_MAX + 1];

	*program = 0;
	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(struct tcmsg), tb, TCA_MAX, NULL) || !tb[TCA_KIND] || !tb[TCA_OPTIONS])
		return "";
	if (!strcmp(nla_get_string(tb[TCA_KIND]), "bpf") &&
	    !nla_parse_nested(bpf, TCA_BPF_MAX, tb[TCA_OPTIONS], NULL) && bpf[TCA_BPF_ID])
		*program = nla_get_u32(bpf[TCA_BPF_ID]);
	return nla_get_string(tb[TCA_KIND]);
}

static int add_filter(struct nl_msg *msg, void *arg)
{
	struct found *f = arg;
	uint32_t program;

	attached_filter(msg, &program);
	add(f, f->hook, program);
	return NL_OK;
}

size_t attached_find(int ifindex, struct attached list[ATTACHED_MAX])
{
	static const struct {
		int tcx;
		uint32_t clsact;
		const char *tcx_hook, *clsact_hook;
	} sides[] = {
		{ATTACHED_TCX_INGRESS, TC_H_MIN_INGRESS, "tcx-ingress", "tc-ingress"},
		{ATTACHED_TCX_EGRESS, TC_H_MIN_EGRESS, "tcx-egress", "tc-egress"},
	};
	struct found f = {.list = list};

	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (!bpf_xdp_query(ifindex, 0, &q)) {
		add(&f, "xdp-hw", q.hw_prog_id);
		add(&f, "xdp-native", q.drv_prog_id);
		add(&f, "xdp-skb", q.skb_prog_id);
	}
	for (size_t i = 0; i < sizeof(sides) / sizeof(*sides); i++) {
		struct tcmsg head = {.tcm_ifindex = ifindex, .tcm_parent = TC_H_MAKE(TC_H_CLSACT, sides[i].clsact)};
		uint32_t ids[ATTACHED_QUERY_MAX];
		int n = attached_query(ifindex, sides[i].tcx, ids);

		for (int k = 0; k < n; k++)
			add(&f, sides[i].tcx_hook, ids[k]);
		f.hook = sides[i].clsact_hook;
		netlink_dump(NETLINK_ROUTE, RTM_GETTFILTER, &head, sizeof(head), add_filter, &f);
	}
	return f.n;
}

/* ---- kernel_words ---- */

static char words[258], first_warning[256];

static int keep_words(enum libbpf_print_level level, const char *fmt, va_list args)
{
	static const char mark[] = "Kernel error message: ", library[] = "libbpf: ";
	char line[400];
	const char *text;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	for (char *c = line; *c; c++) /* names in a hostile object are anything */
		if (*c != '\n' && (*c < ' ' || *c > '~'))
			*c = '?';
	if (!first_warning[0] && !strncmp(line, library, strlen(library)))
		snprintf(first_warning, sizeof(first_warning), "%.*s", (int)strcspn(line + strlen(library), "\n"),
			 line + strlen(library));
	text = strstr(line, mark);
	if (text)
		snprintf(words, sizeof(words), ": %.255s", text + strlen(mark));
	words[strcspn(words, "\n")] = 0;
	return 0;
}

void kernel_words_clear(void)
{
	libbpf_set_print(keep_words);
	words[0] = first_warning[0] = 0;
}

const char *kernel_words_first_warning(void)
{
	return first_warning;
}

const char *kernel_words(void)
{
	return words;
}

int kernel_load(struct bpf_object_skeleton *s, struct bpf_program *const wanted[], const char *what, struct diag *d)
{
	struct bpf_program *p;
	int err;

	kernel_words_clear();
	bpf_object__for_each_program(p, *s->obj)
	{
		size_t i = 0;

		while (wanted[i] && wanted[i] != p)
			i++;
		bpf_program__set_autoload(p, wanted[i]);
	}
	err = bpf_object__load_skeleton(s);
	return err ? diag_set(d, -EOPNOTSUPP, "this kernel refuses %s: %s%s", what, strerror(-err), words) : 0;
}

int kernel_attach_xdp(int *link_fd, const struct bpf_program *p, const struct netdev *nd, unsigned int flags,
		      struct diag *d)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	kernel_words_clear();
	*link_fd = bpf_link_create(bpf_program__fd(p), nd->ifindex, BPF_XDP, &opts);
	return *link_fd < 0
		       ? diag_set(d, *link_fd, "%s takes no XDP program: %s%s", nd->name, strerror(-*link_fd), words)
		       : 0;
}

/* ---- work_clock ---- */

int work_clock_open(struct work_clock *c, const struct work_clock_options *o, struct diag *d)
{
	void *p;
	int err;

	kernel_words_clear();
	c->of = (struct work_edge){.tid = (__u32)o->tid, .ifindex = (__u32)o->ifindex, .netns = (__u32)o->netns};
	c->skel = edges_bpf__open();
	if (!c->skel)
		return diag_set(d, -errno, "cannot open the clock of the receiver's work: %s", strerror(errno));
	c->skel->rodata->cfg_crossing = o->tid > 0;
	c->skel->rodata->cfg_split = !o->tid;
	c->skel->rodata->cfg_rx_cpu = (__u32)o->cpu;
	bpf_program__set_autoload(c->skel->progs.poll_ends, !o->tid);
	bpf_program__set_autoload(c->skel->progs.switched, o->tid > 0);
	bpf_program__set_autoattach(c->skel->progs.softirq_begins_again, false);
	err = edges_bpf__load(c->skel) ?: edges_bpf__attach(c->skel);
	if (err == -ENOMEM)
		return diag_set(d, err, "no memory for the clock of the receiver's work");
	if (err)
		return diag_set(d, -EOPNOTSUPP, "this kernel refuses the clock of the receiver's work: %s",
				kernel_words_first_warning()[0] ? kernel_words_first_warning() : strerror(-err));
	p = mmap(NULL, sizeof(*c->foreigns) * TURN_FOREIGN, PROT_READ, MAP_SHARED,
		 bpf_map__fd(c->skel->maps.turn_foreigns), 0);
	if (p == MAP_FAILED)
		return diag_set(d, -errno, "no memory for the polls of other devices");
	c->foreigns = p;
	return 0;
}

int work_clock_read(const struct work_clock *c, struct work_edge *e, struct diag *d)
{
	LIBBPF_OPTS(bpf_test_run_opts, run, .ctx_in = e, .ctx_size_in = sizeof(*e));
	int err;

	*e = c->of;
	err = bpf_prog_test_run_opts(bpf_program__fd(c->skel->progs.read_edge), &run);
	return err ? diag_set(d, err, "the clock of the receiver's work cannot be read: %s", strerror(-err)) : 0;
}

/*
 * What a pair of readings adds: the mean of those that nothing interrupted; of all, where most took long, for that is
 * what this clock takes. 0: no pair.
 */
int clock_calibrate(struct bpf_link **link, const struct bpf_program *second, struct clock_pairs pairs[2], bool on,
		    double *stamp_ns, struct diag *d)
{
	struct clock_pairs p;

	if (on) {
		memset(pairs, 0, 2 * sizeof(*pairs));
		*link = bpf_program__attach(second);
		return *link ? 0 : diag_set(d, -errno, "cannot attach the second clock: %s", strerror(errno));
	}
	bpf_link__destroy(*link);
	*link = NULL;
	p = pairs[0];
	if (pairs[1].n > p.n) {
		p.n += pairs[1].n;
		p.ns += pairs[1].ns;
	}
	*stamp_ns = p.n ? (double)p.ns / (double)p.n : 0;
	return 0;
}

int work_clock_calibrate(struct work_clock *c, bool on, struct diag *d)
{
	return c->of.tid ? 0
			 : clock_calibrate(&c->skel->links.softirq_begins_again, c->skel->progs.softirq_begins_again,
					   c->skel->bss->again, on, &c->stamp_ns, d);
}

/* ---- fd_owner ---- */

static bool has_line(const char *path, const char *wanted)
{
	char line[256];

	file_scan (line, "%s", path) {
		line[strcspn(line, "\n")] = '\0';
		if (!strcmp(line, wanted))
			return true;
	}
	return false;
}

void fd_owner_each(pid_t pid, bool (*take)(int fd, const char *link, void *arg), void *arg)
{
	struct dirent *e;
	char link[128];

	dir_scan (e, &facts_here, "proc/%d/fd", pid) {
		ssize_t n = readlinkat(dirfd(scanned), e->d_name, link, sizeof(link) - 1);

		if (n < 0)
			continue;
		link[n] = '\0';
		if (!take((int)strtol(e->d_name, NULL, 10), link, arg))
			return;
	}
}

bool fd_owner_tap(int pidfd, int fd, char name[IFNAMSIZ], unsigned int *netns)
{
	int copy = pidfd_getfd(pidfd, fd, 0), space = copy >= 0 ? ioctl(copy, TUNGETDEVNETNS) : -1;
	struct ifreq tap = {};
	struct stat s;
	bool is = space >= 0 && !fstat(space, &s) && !ioctl(copy, TUNGETIFF, &tap);

	if (is) {
		snprintf(name, IFNAMSIZ, "%.15s", tap.ifr_name);
		*netns = (unsigned int)s.st_ino;
	}
	fd_close(space);
	fd_close(copy);
	return is;
}

struct held {
	pid_t pid;
	const char *link, *line;
	bool found;
};

static bool is_held(int fd, const char *link, void *arg)
{
	struct held *h = arg;
	char path[64];

	snprintf(path, sizeof(path), "proc/%d/fdinfo/%d", h->pid, fd);
	h->found = !strcmp(link, h->link) && (!h->line || has_line(path, h->line));
	return !h->found;
}

bool fd_owner_find(const char *link, const char *line, struct fd_owner *owner)
{
	char path[64], parent[40];
	struct dirent *e;

	*owner = (struct fd_owner){};
	dir_scan (e, &facts_here, "proc") {
		struct held h = {(pid_t)strtol(e->d_name, NULL, 10), link, line, false};

		if (h.pid > 0)
			fd_owner_each(h.pid, is_held, &h);
		if (!h.found)
			continue;
		owner->pid = h.pid;
		snprintf(path, sizeof(path), "proc/%d/status", h.pid);
		snprintf(parent, sizeof(parent), "PPid:\t%d", getpid());
		owner->own = h.pid == getpid() || has_line(path, parent);
		/* a command is a name that any user may take */
		if (facts_line(&facts_here, owner->comm, sizeof(owner->comm), "proc/%d/comm", h.pid))
			strcpy(owner->comm, "?");
		printable_in_place(owner->comm);
		return true;
	}
	return false;
}

/* ---- sample_cost ---- */

#define SPIN_NS    25000000ULL
#define SPIN_PAIRS 8
#define RING_PAGES 64

void sampler_close(struct sampler *s)
{
	if (s->ring)
		munmap(s->ring, (RING_PAGES + 1) * sysconf(_SC_PAGESIZE));
	fd_close(s->fd);
	s->fd = -1;
	s->ring = NULL;
}

int sampler_open(struct sampler *s, const char *event, int cpu)
{
	s->ring = NULL;
	s->fd = perf_tool_open(event, cpu, SAMPLER_HZ);
	if (s->fd < 0)
		return -errno;
	s->ring = mmap(NULL, (RING_PAGES + 1) * sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED, s->fd, 0);
	if (s->ring == MAP_FAILED) {
		int err = -errno;

		s->ring = NULL;
		sampler_close(s);
		return err;
	}
	return 0;
}

void sampler_switch(struct sampler *s, bool on)
{
	s->ring->data_tail = s->ring->data_head; /* empty: in a full ring, a sample is lost and costs less */
	ioctl(s->fd, on ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE, 0);
}

struct spin {
	int cpu;
	struct sampler sampler;
	double cost_ns;
};

/* Returns turns of a loop per ns: fewer when something takes time away. */
static double spin_speed(void)
{
	uint64_t start = now_ns(), now, turns = 0;

	do {
		for (volatile int i = 0; i < 200; i++)
			;
		turns++;
		now = now_ns();
	} while (now - start < SPIN_NS);
	return (double)turns / (now - start);
}

static void *spin_main(void *arg)
{
	struct spin *s = arg;
	double cost[SPIN_PAIRS];

	cpu_pin(0, s->cpu);
	priority_realtime_begin(); /* other tasks on the CPU would take more from the loop than samples do */
	for (int i = 0; i < SPIN_PAIRS; i++) {
		double off = spin_speed(), on;

		sampler_switch(&s->sampler, true);
		on = spin_speed();
		sampler_switch(&s->sampler, false);
		cost[i] = (1 - on / off) * 1e9 / SAMPLER_HZ;
	}
	s->cost_ns = stats_median(cost, SPIN_PAIRS);
	return NULL;
}

double sample_cost_spin_ns(const char *event, int cpu)
{
	struct spin s = {.cpu = cpu};
	pthread_t thread;

	if (sampler_open(&s.sampler, event, cpu))
		return 0;
	if (!pthread_create(&thread, NULL, spin_main, &s))
		pthread_join(thread, NULL);
	sampler_close(&s.sampler);
	return s.cost_ns > 0 ? s.cost_ns : 0;
}

/* ---- skb_slabs ---- */

#define SKB_ROOM   4096 /* that the socket accounts for an skb of one byte, at most */
#define MOST_ENDS  4    /* tries to end with a slab: another CPU may take a new one at the same time */
#define MOST_HOLES 1024 /* skbs, in one try */
#define CACHE      "sys/kernel/slab/skbuff_head_cache/"

void skb_slabs_release(struct skb_slabs *s)
{
	for (int i = 0; i < 2; i++)
		fd_close(s->sockets[i]);
	*s = (struct skb_slabs){{-1, -1}};
}

struct filling {
	const struct skb_slabs *slabs;
	int cpu, held;
};

/* On the CPU itself, as skbs are allocated by who sends them. */
static void *fill_main(void *arg)
{
	struct filling *f = arg;
	int fd = f->slabs->sockets[0];
	long long slab = 0, slabs, now;
	bool new_slab = true;

	if (cpu_pin(0, f->cpu))
		return NULL;
	priority_realtime_begin(); /* some ms of work, for which it would wait beside compilers */
	while (f->held < SKB_SLABS_HELD && send(fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		f->held++;
	/* The skb for which the cache got a new slab is the first one in it. With all others the slab is used up. */
	if (f->held == SKB_SLABS_HELD)
		facts_number(&facts_here, &slab, CACHE "objs_per_slab");
	for (int i = 0; slab > 0 && new_slab && i < 2 * MOST_ENDS; i++) {
		slabs = now = 0;
		new_slab = false;
		facts_number(&facts_here, &slabs, CACHE "slabs");
		for (long long most = i % 2 ? slab - 1 : MOST_HOLES; most && !new_slab; most--) {
			if (send(fd, "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
				break;
			f->held++;
			facts_number(&facts_here, &now, CACHE "slabs");
			new_slab = now > slabs;
		}
	}
	return NULL;
}

int skb_slabs_fill(struct skb_slabs *s, int cpu)
{
	struct filling f = {.slabs = s, .cpu = cpu};
	int room = (SKB_SLABS_HELD + MOST_ENDS * MOST_HOLES) * SKB_ROOM;
	pthread_t thread;

	skb_slabs_release(s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->sockets)) {
		*s = (struct skb_slabs){{-1, -1}};
		return 0;
	}
	setsockopt(s->sockets[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)); /* refused: there is less room */
	if (!pthread_create(&thread, NULL, fill_main, &f))
		pthread_join(thread, NULL);
	return f.held < SKB_SLABS_HELD ? f.held : SKB_SLABS_HELD;
}
