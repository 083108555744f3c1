// SPDX-License-Identifier: GPL-2.0-or-later
/* What sits at the hooks of tc, tcx and netkit in a namespace. */
#include <linux/pkt_sched.h>
#include <netlink/msg.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

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

static void read_tc(struct map_filters *f)
{
	static const struct {
		uint32_t parent;
		const char *hook;
	} hooks[] = {
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_INGRESS), "tc-ingress"},
		{TC_H_MAKE(TC_H_CLSACT, TC_H_MIN_EGRESS), "tc-egress"},
	};
	struct tcmsg head = {.tcm_family = AF_UNSPEC};

	if (netlink_ask(f->sk, RTM_GETQDISC, &head, sizeof(head), take_qdisc, f))
		return;
	for (size_t i = 0; i < f->nfound; i++) {
		f->device = map_find(f->m, f->m->space, f->found[i]);
		for (size_t k = 0; k < 2 && f->device; k++) {
			head.tcm_ifindex = f->found[i];
			head.tcm_parent = hooks[k].parent;
			f->hook = hooks[k].hook;
			netlink_ask(f->sk, RTM_GETTFILTER, &head, sizeof(head), take_filter, f);
		}
	}
}

static void read_tcx(struct map *m)
{
	static const struct {
		int type;
		const char *hook;
		bool netkit;
	} hooks[] = {
		{ATTACHED_TCX_INGRESS, "tcx-ingress", false},
		{ATTACHED_TCX_EGRESS, "tcx-egress", false},
		{ATTACHED_NETKIT_PRIMARY, "netkit-primary", true},
		{ATTACHED_NETKIT_PEER, "netkit-peer", true},
	};
	uint32_t ids[ATTACHED_QUERY_MAX];

	for (size_t k = 0; k < sizeof(hooks) / sizeof(*hooks); k++)
		for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++) {
			int n = v->space != m->space || (hooks[k].netkit && strcmp(v->kind, "netkit"))
					? 0
					: attached_query(v->ifindex, hooks[k].type, ids);

			if (n == -EPERM) {
				map_unseen(m, "programs at tcx and netkit: this needs CAP_NET_ADMIN");
				return;
			}
			for (int i = 0; i < n; i++)
				map_attach(m, v, ids[i], hooks[k].hook);
		}
}

void map_read_filters(struct map *m)
{
	int found[4096];
	struct map_filters f = {.m = m, .sk = netlink_open(NETLINK_ROUTE), .found = found, .max = 4096};

	if (!f.sk)
		m->json.failed = true;
	else
		read_tc(&f);
	nl_socket_free(f.sk);
	if (f.nfound == f.max)
		map_unseen(m, "filters of tc beyond the first %zu devices of namespace %s", f.max,
			   m->spaces[m->space].label);
	read_tcx(m);
}
