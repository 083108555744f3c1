// SPDX-License-Identifier: GPL-2.0-or-later
/* AF_XDP sockets, and the hooks of nftables, of a namespace. */
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <netlink/msg.h>
#include <nftables/libnftables.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

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

/* proc_pid_net(5), protocols: the third column is the number of sockets. */
static bool has_sockets(void)
{
	char line[256];
	int n;

	file_scan (line, "proc/thread-self/net/protocols")
		if (sscanf(line, "XDP %*d %d", &n) == 1)
			return n != 0;
	return true;
}

/* To ask for them may load a module. */
void map_read_sockets(struct map *m)
{
	struct xdp_diag_req head = {.sdiag_family = AF_XDP,
				    .xdiag_show = XDP_SHOW_INFO | XDP_SHOW_RING_CFG | XDP_SHOW_UMEM};
	int err = has_sockets()
			  ? netlink_dump(NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, &head, sizeof(head), take_socket, m)
			  : 0;

	if (err == -NLE_NOMEM)
		m->json.failed = true;
	else if (err)
		map_unseen(m, "AF_XDP sockets: %s",
			   err == -NLE_PERM ? "only root may list them"
					    : "this kernel lists none (CONFIG_XDP_SOCKETS_DIAG)");
}

/* ---- nftables ------------------------------------------------------------------------------------------------- */

/* Chains without a hook are called by others alone. */
static void take_hook(struct map *m, const char *kind, const json_t *of)
{
	if (!json_object_get(of, "hook"))
		return;
	json_out_add(&m->json, m->hooks,
		     json_pack("{s:s, s:o, s:O*, s:O*, s:O*, s:O*, s:O?, s:O*}", "kind", kind, "namespace",
			       json_text_string(m->spaces[m->space].label), "family", json_object_get(of, "family"),
			       "table", json_object_get(of, "table"), "name", json_object_get(of, "name"), "hook",
			       json_object_get(of, "hook"), "priority", json_object_get(of, "prio"), "devices",
			       json_object_get(of, "dev")));
}

static void list_hooks(struct map *m, struct nft_ctx *ctx, const char *command, const char *member, const char *kind)
{
	json_t *answer, *o;
	size_t i;

	if (nft_run_cmd_from_buffer(ctx, command)) {
		map_unseen(m, "hooks of nftables: this kernel cannot list them");
		return;
	}
	answer = json_loads(nft_ctx_get_output_buffer(ctx), 0, NULL);
	json_array_foreach (json_object_get(answer, "nftables"), i, o)
		take_hook(m, kind, json_object_get(o, member));
	json_decref(answer);
}

void map_read_nft(struct map *m)
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
