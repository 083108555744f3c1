// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <netlink/genl/ctrl.h>
#include <netlink/genl/genl.h>
#include <netlink/netlink.h>
#include "user/machine/machine.h"

/* From include/uapi/linux/netdev.h; the kernel headers of many systems are too old to have these. */
enum { DEV_GET = 1, QUEUE_GET = 10, NAPI_GET = 11 };
enum { DEV_IFINDEX = 1, DEV_XDP_FEATURES = 3 };
enum { QUEUE_ID = 1, QUEUE_IFINDEX, QUEUE_TYPE, QUEUE_NAPI_ID };
enum { NAPI_IFINDEX = 1, NAPI_ID, NAPI_IRQ, NAPI_PID };
enum { QUEUE_TYPE_RX = 0 };

#define ATTR_MAX 16

/* A request about a device: ask() passes the attributes of each answer to take(). */
struct asked {
	void (*take)(struct nlattr **attrs, void *arg);
	void *arg;
};

static int on_answer(struct nl_msg *msg, void *arg)
{
	struct nlattr *attrs[ATTR_MAX + 1];
	struct asked *a = arg;

	if (genlmsg_parse(nlmsg_hdr(msg), 0, attrs, ATTR_MAX, NULL) == 0)
		a->take(attrs, a->arg);
	return NL_OK;
}

/* ifindex 0: all devices of the namespace */
static int send_request(struct nl_sock *sk, int family, int command, int flags, int ifindex)
{
	struct nl_msg *msg = nlmsg_alloc();
	int err = -NLE_NOMEM;

	/* The interface index is attribute 1 for devices and NAPIs, but attribute 2 for queues. */
	if (msg && genlmsg_put(msg, NL_AUTO_PORT, NL_AUTO_SEQ, family, 0, flags, command, 1) &&
	    (!ifindex || nla_put_u32(msg, command == QUEUE_GET ? QUEUE_IFINDEX : DEV_IFINDEX, ifindex) == 0))
		err = nl_send_auto(sk, msg);
	nlmsg_free(msg);
	return err < 0 ? err : 0;
}

static int ask(int command, int flags, int ifindex, struct asked *a)
{
	struct nl_sock *sk = netlink_open(NETLINK_GENERIC);
	int family, err = sk ? 0 : -NLE_OPNOTSUPP;

	if (!err) {
		family = genl_ctrl_resolve(sk, "netdev");
		err = family < 0 ? family : send_request(sk, family, command, flags, ifindex);
	}
	if (!err) {
		nl_socket_modify_cb(sk, NL_CB_VALID, NL_CB_CUSTOM, on_answer, a);
		err = nl_recvmsgs_default(sk);
		/* After the answer to a request that is no dump, the kernel sends an acknowledgement. */
		if (!err && !(flags & NLM_F_DUMP))
			err = nl_wait_for_ack(sk);
	}
	nl_socket_free(sk);
	return !err ? 0 : err == -NLE_NODEV ? -ENODEV : err == -NLE_NOMEM ? -ENOMEM : -EOPNOTSUPP;
}

static void take_features(struct nlattr **attrs, void *arg)
{
	if (attrs[DEV_XDP_FEATURES])
		*(uint64_t *)arg = nla_get_u64(attrs[DEV_XDP_FEATURES]);
}

int netdev_genl_xdp(int ifindex, uint64_t *features)
{
	struct asked a = {take_features, features};

	*features = 0;
	return ask(DEV_GET, 0, ifindex, &a);
}

/* ---- NAPIs and queues ------------------------------------------------------------------------------------------- */

struct takers {
	netdev_take_napi *napi;
	netdev_take_queue *queue;
	void *arg;
};

static int number_of(const struct nlattr *attr)
{
	return attr ? (int)nla_get_u32(attr) : -1;
}

static void pass_napi(struct nlattr **attrs, void *arg)
{
	const struct takers *t = arg;

	if (attrs[NAPI_ID])
		t->napi(&(struct netdev_napi){.id = nla_get_u32(attrs[NAPI_ID]),
					      .irq = number_of(attrs[NAPI_IRQ]),
					      .pid = number_of(attrs[NAPI_PID]),
					      .rx_queue = -1},
			number_of(attrs[NAPI_IFINDEX]), t->arg);
}

static void pass_queue(struct nlattr **attrs, void *arg)
{
	const struct takers *t = arg;

	if (attrs[QUEUE_ID] && attrs[QUEUE_TYPE] && attrs[QUEUE_NAPI_ID])
		t->queue(&(struct netdev_queue){.ifindex = number_of(attrs[QUEUE_IFINDEX]),
						.id = nla_get_u32(attrs[QUEUE_ID]),
						.napi = nla_get_u32(attrs[QUEUE_NAPI_ID]),
						.rx = nla_get_u32(attrs[QUEUE_TYPE]) == QUEUE_TYPE_RX},
			 t->arg);
}

int netdev_genl_each(int ifindex, netdev_take_napi *napi, netdev_take_queue *queue, void *arg)
{
	struct takers t = {napi, queue, arg};
	struct asked a = {pass_napi, &t};
	int err = ask(NAPI_GET, NLM_F_DUMP, ifindex, &a);

	if (err)
		return err;
	a.take = pass_queue;
	ask(QUEUE_GET, NLM_F_DUMP, ifindex, &a); /* may fail: then the NAPIs have no queues */
	return 0;
}

struct napi_list {
	struct netdev_napi *napis;
	size_t n, max;
};

static void list_napi(const struct netdev_napi *n, int ifindex, void *arg)
{
	struct napi_list *l = arg;

	(void)ifindex;
	if (l->n < l->max)
		l->napis[l->n++] = *n;
}

static void list_queue(const struct netdev_queue *q, void *arg)
{
	struct napi_list *l = arg;

	for (size_t i = 0; i < l->n && q->rx; i++)
		if (l->napis[i].id == q->napi && (l->napis[i].rx_queue < 0 || (int)q->id < l->napis[i].rx_queue))
			l->napis[i].rx_queue = (int)q->id;
}

int netdev_genl_napis(int ifindex, struct netdev_napi *napis, size_t max)
{
	struct napi_list l = {.napis = napis, .max = max};
	int err = netdev_genl_each(ifindex, list_napi, list_queue, &l);

	return err ?: (int)l.n;
}
