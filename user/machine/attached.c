// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <linux/pkt_cls.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

struct found {
	struct attached *list;
	size_t n;
	const char *hook;
};

/* What cannot be seen is 0. */
static struct bpf_prog_info info_of(uint32_t id)
{
	struct bpf_prog_info info = {};
	__u32 len = sizeof(info);
	int fd = bpf_prog_get_fd_by_id(id);

	if (fd >= 0 && bpf_obj_get_info_by_fd(fd, &info, &len))
		info = (struct bpf_prog_info){};
	if (fd >= 0)
		close(fd);
	return info;
}

uint64_t attached_runs(const struct attached *a)
{
	return info_of(a->id).run_cnt;
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
	snprintf(f->list[f->n++].name, sizeof(f->list->name), "%.16s", info_of(id).name);
}

static void add_xdp(struct found *f, int ifindex)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, q);

	if (bpf_xdp_query(ifindex, 0, &q))
		return;
	add(f, "xdp-hw", q.hw_prog_id);
	add(f, "xdp-native", q.drv_prog_id);
	add(f, "xdp-skb", q.skb_prog_id);
}

int attached_query(int ifindex, int type, uint32_t ids[ATTACHED_QUERY_MAX])
{
	uint32_t n = ATTACHED_QUERY_MAX, flags = 0;

	return bpf_prog_query(ifindex, type, 0, &flags, ids, &n) ? -errno : (int)n;
}

static void add_tcx(struct found *f, int ifindex, int where, const char *hook)
{
	uint32_t ids[ATTACHED_QUERY_MAX];
	int n = attached_query(ifindex, where, ids);

	for (int i = 0; i < n; i++)
		add(f, hook, ids[i]);
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

static void add_clsact(struct found *f, int ifindex, uint32_t where, const char *hook)
{
	struct tcmsg head = {.tcm_ifindex = ifindex, .tcm_parent = TC_H_MAKE(TC_H_CLSACT, where)};
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);

	f->hook = hook;
	if (sk) {
		nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, add_filter, f);
		if (nl_send_simple(sk, RTM_GETTFILTER, NLM_F_DUMP, &head, sizeof(head)) >= 0)
			nl_recvmsgs_default(sk);
	}
	nl_socket_free(sk);
}

size_t attached_find(int ifindex, struct attached list[ATTACHED_MAX])
{
	struct found f = {.list = list};

	add_xdp(&f, ifindex);
	add_tcx(&f, ifindex, ATTACHED_TCX_INGRESS, "tcx-ingress");
	add_clsact(&f, ifindex, TC_H_MIN_INGRESS, "tc-ingress");
	add_tcx(&f, ifindex, ATTACHED_TCX_EGRESS, "tcx-egress");
	add_clsact(&f, ifindex, TC_H_MIN_EGRESS, "tc-egress");
	return f.n;
}
