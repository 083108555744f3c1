// SPDX-License-Identifier: GPL-2.0-or-later
/* This machine's namespaces read, one after the other, into a map. */
#include <linux/pkt_sched.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <netlink/msg.h>
#include <nftables/libnftables.h>
#include <sys/pidfd.h>
#include <sys/utsname.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

#define MAP_BYTES (1LL << 28) /* of a file that is read */

void map_unseen(struct map *m, const char *fmt, ...)
{
	json_t *old, *new;
	char text[512];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	new = json_text_string(text);
	json_array_foreach (m->unknown, i, old)
		if (json_equal(old, new)) {
			json_decref(new);
			return;
		}
	json_out_add(&m->json, m->unknown, new);
}

const char *map_device_id(const struct map *m, const struct map_device *v, char *id, size_t size)
{
	snprintf(id, size, "%s/%s", m->spaces[v->space].label, v->shown);
	return id;
}

/* Devices stand in the order of their namespaces, and there as the kernel lists them: by number, most of the time. */
struct map_device *map_find(const struct map *m, size_t space, int ifindex)
{
	for (size_t i = m->spaces[space].first; i < m->spaces[space].end; i++)
		if (m->devices[i].ifindex == ifindex)
			return &m->devices[i];
	return NULL;
}

json_t *map_edge(struct map *m, const char *kind, const char *from, const char *to)
{
	json_t *o =
		json_pack("{s:s, s:o, s:o}", "kind", kind, "from", json_text_string(from), "to", json_text_string(to));

	json_out_add(&m->json, m->edges, o);
	return o;
}

static void map_attach(struct map *m, const struct map_device *v, uint32_t program, const char *hook)
{
	char id[MAP_ID], name[32];

	snprintf(name, sizeof(name), "prog:%u", program);
	json_out_add(&m->json, m->attachments,
		     json_pack("{s:o, s:s, s:s}", "device", json_text_string(map_device_id(m, v, id, sizeof(id))),
			       "hook", hook, "program", name));
	map_reach(m, program, v->space);
}

/* ---- devices, their XDP programs, and which device leads to which ------------------------------------------------ */

#define LOWER_UP 0x10000 /* IFF_LOWER_UP of linux/if.h, which excludes net/if.h */

static uint32_t number_of(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static json_t *count_of(const struct nlattr *attr)
{
	return attr ? json_integer(nla_get_u32(attr)) : json_null();
}

static int take_link(struct nl_msg *msg, void *arg)
{
	static const struct {
		int attr;
		const char *hook;
	} modes[] = {
		{IFLA_XDP_DRV_PROG_ID, "xdp-native"},
		{IFLA_XDP_SKB_PROG_ID, "xdp-skb"},
		{IFLA_XDP_HW_PROG_ID, "xdp-hw"},
	};
	struct map *m = arg;
	const struct ifinfomsg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1], *data[16 + 1], *xdp[IFLA_XDP_MAX + 1];
	struct map_device *v;
	struct netdev nd;
	char id[MAP_ID];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, IFLA_MAX, NULL) || !attrs[IFLA_IFNAME])
		return NL_OK;
	v = array_add(&m->devices, &m->ndevices, sizeof(*v));
	if (!v) {
		m->json.failed = true;
		return NL_STOP;
	}
	*v = (struct map_device){
		.space = m->space,
		.ifindex = head->ifi_index,
		.link = (int)number_of(attrs[IFLA_LINK]),
		.link_nsid = attrs[IFLA_LINK_NETNSID] ? (int)nla_get_u32(attrs[IFLA_LINK_NETNSID]) : -1,
		.master = (int)number_of(attrs[IFLA_MASTER]),
	};
	snprintf(v->name, sizeof(v->name), "%s", nla_get_string(attrs[IFLA_IFNAME]));
	snprintf(v->shown, sizeof(v->shown), "%s", v->name);
	json_text_in_place(v->shown);
	for (const struct map_device *o = m->devices + m->spaces[v->space].first; o < v; o++)
		if (!strcmp(o->shown, v->shown)) { /* two names that are no UTF-8 may look the same */
			snprintf(v->shown + strlen(v->shown), 12, "#%d", v->ifindex);
			break;
		}
	v->json = json_pack("{s:o, s:o, s:o, s:i}", "device", json_text_string(map_device_id(m, v, id, sizeof(id))),
			    "namespace", json_text_string(m->spaces[m->space].label), "name", json_text_string(v->name),
			    "ifindex", v->ifindex);
	if (attrs[IFLA_LINKINFO] && !nla_parse_nested(info, IFLA_INFO_MAX, attrs[IFLA_LINKINFO], NULL) &&
	    info[IFLA_INFO_KIND])
		snprintf(v->kind, sizeof(v->kind), "%s", nla_get_string(info[IFLA_INFO_KIND]));
	else if (!netdev_open(&nd, v->name, NULL))
		snprintf(v->kind, sizeof(v->kind), "%s", nd.driver);
	json_out_put(&m->json, v->json, "kind", json_out_known(v->kind));
	/* The number of a VLAN and the like, which people know the device by. */
	if (!strcmp(v->kind, "vlan") && info[IFLA_INFO_DATA] &&
	    !nla_parse_nested(data, 16, info[IFLA_INFO_DATA], NULL) && data[IFLA_VLAN_ID])
		json_out_put(&m->json, v->json, "vlan", json_integer(nla_get_u16(data[IFLA_VLAN_ID])));
	m->json.failed |= json_object_update_new(
		v->json,
		json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "up", head->ifi_flags & IFF_UP, "carrier",
			  head->ifi_flags & LOWER_UP, "mtu", count_of(attrs[IFLA_MTU]), "rx_queues",
			  count_of(attrs[IFLA_NUM_RX_QUEUES]), "tx_queues", count_of(attrs[IFLA_NUM_TX_QUEUES]),
			  "qdisc", json_out_known(attrs[IFLA_QDISC] ? nla_get_string(attrs[IFLA_QDISC]) : "")));
	if (!attrs[IFLA_XDP] || nla_parse_nested(xdp, IFLA_XDP_MAX, attrs[IFLA_XDP], NULL))
		return NL_OK;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (number_of(xdp[modes[i].attr]))
			map_attach(m, v, number_of(xdp[modes[i].attr]), modes[i].hook);
	return NL_OK;
}

/* ---- which device leads to which ------------------------------------------------------------------------------ */

static bool is_pair(const struct map_device *v)
{
	return !strcmp(v->kind, "veth") || !strcmp(v->kind, "netkit") || !strcmp(v->kind, "vxcan");
}

/* ids: what the namespaces are numbered as in that of v; -2: nobody has asked yet. */
static const struct map_device *lower_of(const struct map *m, const struct map_device *v, struct nl_sock *sk, int *ids)
{
	if (v->link_nsid < 0)
		return map_find(m, v->space, v->link);
	for (size_t i = 0; i < m->nspaces; i++) {
		const struct map_device *o = map_find(m, i, v->link);

		if (!o || (is_pair(v) && o->link != v->ifindex))
			continue;
		if (ids[i] == -2)
			ids[i] = netns_id(sk, m->spaces[i].fd);
		if (ids[i] == v->link_nsid)
			return o;
	}
	return NULL;
}

/* Each pair is one edge, from the end that sorts first. */
static void map_join_links(struct map *m)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	int *ids = malloc(m->nspaces * sizeof(*ids));
	char from[MAP_ID], to[MAP_ID];

	if (!sk || !ids) {
		m->json.failed = true;
		goto out;
	}
	for (size_t i = 0; i < m->nspaces; i++)
		ids[i] = -2;
	for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++) {
		const struct map_device *other;

		if (v->space != m->space)
			continue;
		other = v->master ? map_find(m, v->space, v->master) : NULL;
		map_device_id(m, v, from, sizeof(from));
		if (other)
			map_edge(m, "port", from, map_device_id(m, other, to, sizeof(to)));
		if (!v->link || (v->link_nsid < 0 && v->link == v->ifindex))
			continue;
		other = lower_of(m, v, sk, ids);
		if (!other) {
			map_unseen(m, "where %s leads: to a namespace that is not visible", from);
			continue;
		}
		map_device_id(m, other, to, sizeof(to));
		if (!is_pair(v))
			map_edge(m, "upon", from, to);
		else if (strcmp(from, to) < 0)
			map_edge(m, "peer", from, to);
	}
out:
	nl_socket_free(sk);
	free(ids);
}

/* ---- what sits at the hooks of tc, tcx and netkit ---------------------------------------------------------------- */

struct map_filters {
	struct map *m;
	struct nl_sock *sk;
	const struct map_device *device;
	const char *hook;
	int *found; /* ifindexes with a qdisc of tc's hooks */
	size_t nfound, max;
};

static int take_filter(struct nl_msg *msg, void *arg)
{
	const struct map_filters *f = arg;
	uint32_t program;
	const char *kind = attached_filter(msg, &program);
	char id[MAP_ID];
	json_t *o;

	if (program)
		map_attach(f->m, f->device, program, f->hook);
	if (!*kind || !strcmp(kind, "bpf"))
		return NL_OK;
	o = json_pack("{s:s, s:o, s:o}", "kind", f->hook, "device",
		      json_text_string(map_device_id(f->m, f->device, id, sizeof(id))), "name", json_text_string(kind));
	/* a kind is there once, however many filters and tables of it the kernel lists */
	if (json_equal(o, json_array_get(f->m->hooks, json_array_size(f->m->hooks) - 1)))
		json_decref(o);
	else
		json_out_add(&f->m->json, f->m->hooks, o);
	return NL_OK;
}

static int take_qdisc(struct nl_msg *msg, void *arg)
{
	struct map_filters *f = arg;
	const struct tcmsg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[TCA_MAX + 1];

	if (!nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, TCA_MAX, NULL) && attrs[TCA_KIND] &&
	    f->nfound < f->max &&
	    (!strcmp(nla_get_string(attrs[TCA_KIND]), "clsact") || !strcmp(nla_get_string(attrs[TCA_KIND]), "ingress")))
		f->found[f->nfound++] = head->tcm_ifindex;
	return NL_OK;
}

static void map_read_filters(struct map *m)
{
	static const struct {
		uint32_t parent;
		const char *hook;
	} hooks[] = {
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), "tc-ingress"},
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), "tc-egress"},
	};
	static const struct {
		int type;
		const char *hook;
		bool netkit;
	} tcx[] = {
		{ATTACHED_TCX_INGRESS, "tcx-ingress", false},
		{ATTACHED_TCX_EGRESS, "tcx-egress", false},
		{ATTACHED_NETKIT_PRIMARY, "netkit-primary", true},
		{ATTACHED_NETKIT_PEER, "netkit-peer", true},
	};
	uint32_t ids[ATTACHED_QUERY_MAX];
	struct tcmsg head = {.tcm_family = AF_UNSPEC};
	int found[4096];
	struct map_filters f = {.m = m, .sk = netlink_open(NETLINK_ROUTE), .found = found, .max = 4096};
	bool listed = f.sk && !netlink_ask(f.sk, RTM_GETQDISC, &head, sizeof(head), take_qdisc, &f);

	m->json.failed |= !f.sk;
	for (size_t i = 0; i < f.nfound && listed; i++) {
		f.device = map_find(m, m->space, found[i]);
		for (size_t k = 0; k < 2 && f.device; k++) {
			head.tcm_ifindex = found[i];
			head.tcm_parent = hooks[k].parent;
			f.hook = hooks[k].hook;
			netlink_ask(f.sk, RTM_GETTFILTER, &head, sizeof(head), take_filter, &f);
		}
	}
	nl_socket_free(f.sk);
	if (f.nfound == f.max)
		map_unseen(m, "filters of tc beyond the first %zu devices of namespace %s", f.max,
			   m->spaces[m->space].label);
	for (size_t k = 0; k < sizeof(tcx) / sizeof(*tcx); k++)
		for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++) {
			int n = 0;

			if (v->space == m->space && (!tcx[k].netkit || !strcmp(v->kind, "netkit")))
				n = attached_query(v->ifindex, tcx[k].type, ids);
			if (n == -EPERM) {
				map_unseen(m, "programs at tcx and netkit: this needs CAP_NET_ADMIN");
				return;
			}
			for (int i = 0; i < n; i++)
				map_attach(m, v, ids[i], tcx[k].hook);
		}
}

/* ---- AF_XDP sockets ---------------------------------------------------------------------------------------------- */

static json_t *entries_of(const struct nlattr *ring)
{
	return ring ? json_integer(((struct xdp_diag_ring *)nla_data(ring))->entries) : json_null();
}

static int take_socket(struct nl_msg *msg, void *arg)
{
	struct map *m = arg;
	const struct xdp_diag_msg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[XDP_DIAG_MAX + 1];
	const struct xdp_diag_info *info;
	const struct map_device *v;
	char device[MAP_ID], id[MAP_ID + 32];

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, XDP_DIAG_MAX, NULL) || !attrs[XDP_DIAG_INFO])
		return NL_OK;
	info = nla_data(attrs[XDP_DIAG_INFO]);
	v = map_find(m, m->space, (int)info->ifindex);
	if (!v)
		return NL_OK; /* it is bound to no device yet */
	map_device_id(m, v, device, sizeof(device));
	snprintf(id, sizeof(id), "xsk:%s:%u", device, info->queue_id);
	json_out_add(&m->json, m->sockets,
		     json_pack("{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "socket", json_text_string(id), "device",
			       json_text_string(device), "queue", (json_int_t)info->queue_id, "inode",
			       (json_int_t)head->xdiag_ino, "rx_ring", entries_of(attrs[XDP_DIAG_RX_RING]), "tx_ring",
			       entries_of(attrs[XDP_DIAG_TX_RING]), "fill_ring",
			       entries_of(attrs[XDP_DIAG_UMEM_FILL_RING]), "completion_ring",
			       entries_of(attrs[XDP_DIAG_UMEM_COMPLETION_RING])));
	map_edge(m, "xsk", device, id);
	return NL_OK;
}

/* To ask for them may load a module. */
static void map_read_sockets(struct map *m)
{
	struct xdp_diag_req head = {.sdiag_family = AF_XDP,
				    .xdiag_show = XDP_SHOW_INFO | XDP_SHOW_RING_CFG | XDP_SHOW_UMEM};
	char line[256];
	int n = 1, err = 0;

	/* proc_pid_net(5), protocols: the third column is the number of sockets. */
	file_scan (line, "proc/thread-self/net/protocols")
		if (sscanf(line, "XDP %*d %d", &n) == 1)
			break;
	if (n)
		err = netlink_dump(NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, &head, sizeof(head), take_socket, m);
	if (err == -NLE_NOMEM)
		m->json.failed = true;
	else if (err)
		map_unseen(m, "AF_XDP sockets: %s",
			   err == -NLE_PERM ? "only root may list them"
					    : "this kernel lists none (CONFIG_XDP_SOCKETS_DIAG)");
}

/* ---- nftables ------------------------------------------------------------------------------------------------- */

static void list_hooks(struct map *m, struct nft_ctx *ctx, const char *command, const char *member, const char *kind)
{
	json_t *answer, *o;
	size_t i;

	if (nft_run_cmd_from_buffer(ctx, command)) {
		map_unseen(m, "hooks of nftables: this kernel cannot list them");
		return;
	}
	answer = json_loads(nft_ctx_get_output_buffer(ctx), 0, NULL);
	json_array_foreach (json_object_get(answer, "nftables"), i, o) {
		const json_t *of = json_object_get(o, member);

		if (!json_object_get(of, "hook")) /* a chain without one is called by others alone */
			continue;
		json_out_add(&m->json, m->hooks,
			     json_pack("{s:s, s:o, s:O*, s:O*, s:O*, s:O*, s:O?, s:O*}", "kind", kind, "namespace",
				       json_text_string(m->spaces[m->space].label), "family",
				       json_object_get(of, "family"), "table", json_object_get(of, "table"), "name",
				       json_object_get(of, "name"), "hook", json_object_get(of, "hook"), "priority",
				       json_object_get(of, "prio"), "devices", json_object_get(of, "dev")));
	}
	json_decref(answer);
}

static void map_read_nft(struct map *m)
{
	struct nft_ctx *ctx;

	if (facts_module_is_out(&facts_here, "nf_tables"))
		return;
	if (geteuid()) { /* the library itself prints that it is not root */
		map_unseen(m, "hooks of nftables: only root may list them");
		return;
	}
	ctx = nft_ctx_new(NFT_CTX_DEFAULT);
	if (ctx && !nft_ctx_buffer_output(ctx) && !nft_ctx_buffer_error(ctx)) {
		nft_ctx_output_set_flags(ctx, NFT_CTX_OUTPUT_JSON);
		list_hooks(m, ctx, "list chains", "chain", "nft-chain");
		list_hooks(m, ctx, "list flowtables", "flowtable", "nft-flowtable");
	} else {
		m->json.failed = true;
	}
	if (ctx)
		nft_ctx_free(ctx);
}

/* ---- processes that hold a tun or tap device: a packet that it sends goes to one of them ------------------------- */

struct map_holder {
	struct map *m;
	int pid, pidfd;
	const char *comm;
	size_t first; /* of its edges */
};

static bool leads_to_process(const struct map *m, size_t first, const char *device)
{
	for (size_t i = first; i < json_array_size(m->edges); i++) {
		const json_t *o = json_array_get(m->edges, i);

		if (!strcmp(json_text_of(o, "kind"), "process") && !strcmp(json_text_of(o, "from"), device))
			return true;
	}
	return false;
}

/* Each queue of a device has a descriptor of its own. */
static bool take_descriptor(int fd, const char *link, void *arg)
{
	const struct map_holder *h = arg;
	char name[IFNAMSIZ], device[MAP_ID], to[32], owner[288];
	json_t *edge;
	const struct map_device *v = NULL;
	unsigned int netns;

	if (strcmp(link, FD_TAP) || !fd_owner_tap(h->pidfd, fd, name, &netns))
		return true;
	for (const struct map_device *o = h->m->devices; o < h->m->devices + h->m->ndevices && !v; o++)
		if (h->m->spaces[o->space].inum == netns && !strcmp(o->name, name))
			v = o;
	if (!v || leads_to_process(h->m, h->first, map_device_id(h->m, v, device, sizeof(device))))
		return true;
	snprintf(to, sizeof(to), "process:%d", h->pid);
	edge = map_edge(h->m, "process", device, to);
	json_out_text(&h->m->json, edge, "command", h->comm);
	json_out_text(&h->m->json, edge, "owner", map_owner(h->pid, owner, sizeof(owner)));
	return true;
}

static void map_read_taps(struct map *m)
{
	bool taps = false;
	char comm[80], device[MAP_ID];
	int pid;

	for (size_t i = 0; i < m->ndevices; i++)
		taps |= !strcmp(m->devices[i].kind, "tun");
	if (!taps)
		return;
	process_scan (&facts_here, pid, comm) {
		struct map_holder h = {m, pid, pidfd_open(pid, 0), comm, json_array_size(m->edges)};

		if (h.pidfd < 0)
			continue;
		fd_owner_each(pid, take_descriptor, &h);
		close(h.pidfd);
	}
	/* A device without a holder has no carrier. */
	for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++)
		if (!strcmp(v->kind, "tun") && json_is_true(json_object_get(v->json, "carrier")) &&
		    !leads_to_process(m, 0, map_device_id(m, v, device, sizeof(device))))
			map_unseen(m, "the process that holds %s: %s", device,
				   geteuid() ? "only root may read it" : "not readable from here");
}

/* ---- NAPI instances ------------------------------------------------------------------------------------------- */

static void take_napi(const struct netdev_napi *n, int ifindex, void *arg)
{
	struct map *m = arg;
	const struct map_device *v = map_find(m, m->space, ifindex);
	char cpus[64] = "";

	if (!v)
		return;
	if (n->irq >= 0)
		facts_line(&facts_here, cpus, sizeof(cpus), "proc/irq/%d/effective_affinity_list", n->irq);
	if (!json_object_get(v->json, "napis"))
		json_out_put(&m->json, v->json, "napis", json_array());
	json_out_add(&m->json, json_object_get(v->json, "napis"),
		     json_pack("{s:I, s:o, s:o, s:o, s:[], s:[]}", "id", (json_int_t)n->id, "irq",
			       json_out_whole_value(n->irq), "irq_cpus", json_out_known(cpus), "thread",
			       json_out_whole_value(n->pid), "rx_queues", "tx_queues"));
}

static void take_queue(const struct netdev_queue *q, void *arg)
{
	struct map *m = arg;
	const struct map_device *v = map_find(m, m->space, q->ifindex);
	json_t *napi;
	size_t i;

	json_array_foreach (v ? json_object_get(v->json, "napis") : NULL, i, napi)
		if (json_integer_value(json_object_get(napi, "id")) == q->napi)
			json_out_add(&m->json, json_object_get(napi, q->rx ? "rx_queues" : "tx_queues"),
				     json_integer(q->id));
}

/* ---- all of it ------------------------------------------------------------------------------------------------ */

static int read_space(struct map *m, struct map_space *s, struct diag *d)
{
	struct ifinfomsg head = {.ifi_family = AF_UNSPEC};
	int saved, err = netns_visit_fd(s->fd, &saved, NULL);

	if (err && s->here)
		return diag_set(d, err, "cannot read this network namespace: %s", strerror(-err));
	if (err) {
		map_unseen(m, "what is in namespace %s: %s", s->label, strerror(-err));
		return 0;
	}
	s->first = m->ndevices;
	s->end = (size_t)-1;
	err = netlink_dump(NETLINK_ROUTE, RTM_GETLINK, &head, sizeof(head), take_link, m);
	if (err)
		err = diag_set(d, -EIO, "cannot list the devices of namespace %s: %s", s->label, nl_geterror(err));
	s->end = m->ndevices;
	if (!err) {
		if (netdev_genl_each(0, take_napi, take_queue, m))
			map_unseen(m, "queues and NAPI instances: this kernel does not list them (Linux 6.8 does)");
		map_read_filters(m);
		map_read_sockets(m);
		map_read_nft(m);
	}
	netns_back(&saved);
	return err;
}

struct sorted {
	json_t *o;
	char *text;
};

static int map_by_text(const void *a, const void *b)
{
	const struct sorted *x = a, *y = b;

	return strcmp(x->text ?: "", y->text ?: "");
}

static json_t *put_array(struct map *m, const char *name)
{
	json_t *array = json_array();

	json_out_put(&m->json, m->root, name, array);
	return array;
}

static int map_read_all(struct map *m, struct diag *d)
{
	json_t *spaces = put_array(m, "namespaces"), *devices = put_array(m, "devices");
	int err;

	m->programs = put_array(m, "programs");
	m->attachments = put_array(m, "attachments");
	m->edges = put_array(m, "edges");
	m->sockets = put_array(m, "sockets");
	m->hooks = put_array(m, "hooks");
	m->unknown = put_array(m, "unknown");
	err = m->json.failed ? -ENOMEM : map_spaces_open(m, d);
	for (m->space = 0; m->space < m->nspaces && !err; m->space++)
		err = read_space(m, &m->spaces[m->space], d);
	for (m->space = 0; m->space < m->nspaces && !err; m->space++) {
		const struct map_space *s = &m->spaces[m->space];
		int saved;

		if (s->first == s->end)
			continue;
		err = netns_visit_fd(s->fd, &saved, d);
		if (err)
			break;
		map_join_links(m);
		netns_back(&saved);
	}
	if (!err)
		map_read_taps(m);
	for (size_t i = 0; i < m->ndevices; i++)
		json_out_add(&m->json, devices, m->devices[i].json);
	if (!err)
		map_read_programs(m);
	for (const struct map_space *s = m->spaces; s < m->spaces + m->nspaces; s++) {
		json_t *o = json_pack("{s:o, s:I, s:b}", "namespace", json_text_string(s->label), "inode",
				      (json_int_t)s->inum, "here", s->here);
		char command[80], owner[288];

		if (s->pid && facts_line(&facts_here, command, sizeof(command), "proc/%d/comm", s->pid) == 0) {
			json_out_put(&m->json, o, "process", json_integer(s->pid));
			json_out_text(&m->json, o, "command", command);
			json_out_text(&m->json, o, "owner", map_owner(s->pid, owner, sizeof(owner)));
		}
		json_out_add(&m->json, spaces, o);
	}
	for (json_t **list = (json_t *[]){m->attachments, m->edges, m->sockets, m->hooks, m->unknown, NULL}; *list;
	     list++) {
		/* Edges and the like come in the order of the kernel's tables, which differs from time to time. */
		json_t *array = *list;
		size_t n = json_array_size(array);
		struct sorted *all = calloc(n + 1, sizeof(*all));

		for (size_t i = 0; all && i < n; i++) {
			all[i].o = json_incref(json_array_get(array, i));
			all[i].text = json_dumps(all[i].o, JSON_COMPACT | JSON_ENCODE_ANY);
		}
		if (all) {
			qsort(all, n, sizeof(*all), map_by_text);
			json_array_clear(array);
		}
		for (size_t i = 0; all && i < n; i++) {
			json_out_add(&m->json, array, all[i].o);
			free(all[i].text);
		}
		m->json.failed |= !all;
		free(all);
	}
	return err;
}

int map_read(json_t **map, struct diag *d)
{
	struct map m = {.root = json_object()};
	struct utsname u;
	int err;

	json_out_text(&m.json, m.root, "schema", MAP_SCHEMA);
	json_out_put(&m.json, m.root, "kernel", uname(&u) ? json_null() : json_text_string(u.release));
	err = map_read_all(&m, d);
	if (!err && m.json.failed)
		err = diag_set(d, -ENOMEM, "no memory for the map");
	for (size_t i = 0; i < m.nspaces; i++)
		close(m.spaces[i].fd);
	free(m.spaces);
	free(m.devices);
	free(m.reached);
	*map = err ? NULL : m.root;
	if (err)
		json_decref(m.root);
	return err;
}

/* ---- a map that was written before ---------------------------------------------------------------------------- */

/* Each member of the array has these texts. */
static bool has_texts(const json_t *map, const char *array, const char *const *names)
{
	json_t *all = json_object_get(map, array), *o;
	size_t i;

	json_array_foreach (all, i, o)
		for (const char *const *name = names; *name; name++)
			if (!json_is_string(json_object_get(o, *name)))
				return false;
	return json_is_array(all);
}

#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

int map_load(json_t **map, const char *path, struct diag *d)
{
	json_error_t error;
	const char *schema;
	json_t *m, *o;
	size_t i;
	FILE *f;
	int err = foreign_file_open(&f, AT_FDCWD, path, false, MAP_BYTES, d);
	bool ok;

	*map = NULL;
	if (err)
		return err;
	m = json_loadf(f, JSON_REJECT_DUPLICATES, &error);
	fclose(f);
	schema = json_string_value(json_object_get(m, "schema"));
	ok = schema && !strcmp(schema, MAP_SCHEMA) && has_texts(m, "namespaces", TEXTS("namespace")) &&
	     has_texts(m, "devices", TEXTS("device", "namespace", "name")) &&
	     has_texts(m, "programs", TEXTS("program")) &&
	     has_texts(m, "attachments", TEXTS("device", "hook", "program")) &&
	     has_texts(m, "edges", TEXTS("kind", "from", "to")) && has_texts(m, "sockets", TEXTS("socket", "device")) &&
	     has_texts(m, "hooks", TEXTS("kind", "name"));
	json_array_foreach (json_object_get(m, "unknown"), i, o)
		ok &= json_is_string(o);
	if (ok) {
		*map = m;
		return 0;
	}
	json_decref(m);
	return diag_set(d, -EINVAL, "%s: no map of xdpzoom map --format json", path);
}
