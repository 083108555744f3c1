// SPDX-License-Identifier: GPL-2.0-or-later
/* The devices of a namespace, what XDP programs they have, and which device leads to which. */
#include <netlink/msg.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

#define LOWER_UP 0x10000 /* IFF_LOWER_UP of linux/if.h, which excludes net/if.h */

static uint32_t number_of(const struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static json_t *count_of(const struct nlattr *attr)
{
	return attr ? json_integer(nla_get_u32(attr)) : json_null();
}

/* The number of a VLAN and the like, which people know the device by. */
static void put_kind(struct map *m, struct map_device *v, struct nlattr *info)
{
	struct nlattr *attrs[IFLA_INFO_MAX + 1], *data[16 + 1];
	struct netdev nd;

	if (info && !nla_parse_nested(attrs, IFLA_INFO_MAX, info, NULL) && attrs[IFLA_INFO_KIND])
		snprintf(v->kind, sizeof(v->kind), "%s", nla_get_string(attrs[IFLA_INFO_KIND]));
	else if (!netdev_open(&nd, v->name, NULL))
		snprintf(v->kind, sizeof(v->kind), "%s", nd.driver);
	json_out_put(&m->json, v->json, "kind", json_out_known(v->kind));
	if (!strcmp(v->kind, "vlan") && attrs[IFLA_INFO_DATA] &&
	    !nla_parse_nested(data, 16, attrs[IFLA_INFO_DATA], NULL) && data[IFLA_VLAN_ID])
		json_out_put(&m->json, v->json, "vlan", json_integer(nla_get_u16(data[IFLA_VLAN_ID])));
}

static void put_xdp(struct map *m, const struct map_device *v, struct nlattr *xdp)
{
	static const struct {
		int attr;
		const char *hook;
	} modes[] = {
		{IFLA_XDP_DRV_PROG_ID, "xdp-native"},
		{IFLA_XDP_SKB_PROG_ID, "xdp-skb"},
		{IFLA_XDP_HW_PROG_ID, "xdp-hw"},
	};
	struct nlattr *attrs[IFLA_XDP_MAX + 1];

	if (!xdp || nla_parse_nested(attrs, IFLA_XDP_MAX, xdp, NULL))
		return;
	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++)
		if (number_of(attrs[modes[i].attr]))
			map_attach(m, v, number_of(attrs[modes[i].attr]), modes[i].hook);
}

/* Two names that are no UTF-8 may look the same. */
static void show_name(const struct map *m, struct map_device *v)
{
	snprintf(v->shown, sizeof(v->shown), "%s", v->name);
	json_text_in_place(v->shown);
	for (const struct map_device *o = m->devices + m->spaces[v->space].first; o < v; o++)
		if (!strcmp(o->shown, v->shown)) {
			snprintf(v->shown + strlen(v->shown), 12, "#%d", v->ifindex);
			return;
		}
}

static int take_link(struct nl_msg *msg, void *arg)
{
	struct map *m = arg;
	const struct ifinfomsg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[IFLA_MAX + 1];
	struct map_device *v;
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
	show_name(m, v);
	v->json = json_pack("{s:o, s:o, s:o, s:i}", "device", json_text_string(map_device_id(m, v, id, sizeof(id))),
			    "namespace", json_text_string(m->spaces[m->space].label), "name", json_text_string(v->name),
			    "ifindex", v->ifindex);
	put_kind(m, v, attrs[IFLA_LINKINFO]);
	m->json.failed |= json_object_update_new(
		v->json,
		json_pack("{s:b, s:b, s:o, s:o, s:o, s:o}", "up", head->ifi_flags & IFF_UP, "carrier",
			  head->ifi_flags & LOWER_UP, "mtu", count_of(attrs[IFLA_MTU]), "rx_queues",
			  count_of(attrs[IFLA_NUM_RX_QUEUES]), "tx_queues", count_of(attrs[IFLA_NUM_TX_QUEUES]),
			  "qdisc", json_out_known(attrs[IFLA_QDISC] ? nla_get_string(attrs[IFLA_QDISC]) : "")));
	put_xdp(m, v, attrs[IFLA_XDP]);
	return NL_OK;
}

int map_read_links(struct map *m, struct diag *d)
{
	struct ifinfomsg head = {.ifi_family = AF_UNSPEC};
	int err = netlink_dump(NETLINK_ROUTE, RTM_GETLINK, &head, sizeof(head), take_link, m);

	return err ? diag_set(d, -EIO, "cannot list the devices of namespace %s: %s", m->spaces[m->space].label,
			      nl_geterror(err))
		   : 0;
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
static void join(struct map *m, const struct map_device *v, struct nl_sock *sk, int *ids)
{
	const struct map_device *other = v->master ? map_find(m, v->space, v->master) : NULL;
	char from[MAP_ID], to[MAP_ID];

	map_device_id(m, v, from, sizeof(from));
	if (other)
		map_edge(m, "port", from, map_device_id(m, other, to, sizeof(to)));
	if (!v->link || (v->link_nsid < 0 && v->link == v->ifindex))
		return;
	other = lower_of(m, v, sk, ids);
	if (!other) {
		map_unseen(m, "where %s leads: to a namespace that is not visible", from);
		return;
	}
	map_device_id(m, other, to, sizeof(to));
	if (!is_pair(v))
		map_edge(m, "upon", from, to);
	else if (strcmp(from, to) < 0)
		map_edge(m, "peer", from, to);
}

void map_join_links(struct map *m)
{
	struct nl_sock *sk = netlink_open(NETLINK_ROUTE);
	int *ids = malloc(m->nspaces * sizeof(*ids));

	if (!sk || !ids) {
		m->json.failed = true;
		goto out;
	}
	for (size_t i = 0; i < m->nspaces; i++)
		ids[i] = -2;
	for (const struct map_device *v = m->devices; v < m->devices + m->ndevices; v++)
		if (v->space == m->space)
			join(m, v, sk, ids);
out:
	nl_socket_free(sk);
	free(ids);
}
