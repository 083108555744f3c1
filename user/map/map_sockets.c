// SPDX-License-Identifier: GPL-2.0-or-later
/* AF_XDP sockets, and the hooks of nftables, of a namespace. */
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <linux/xdp_diag.h>
#include <netlink/msg.h>
#include <nftables/libnftables.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
#include "user/machine/machine.h"
#include "user/map/map.h"

struct map_sockets {
	struct map *m;
	size_t space;
};

static void put_ring(struct map *m, json_t *o, const char *name, const struct nlattr *attr)
{
	json_out_put(&m->json, o, name,
		     attr ? json_integer(((struct xdp_diag_ring *)nla_data(attr))->entries) : json_null());
}

static int take_socket(struct nl_msg *msg, void *arg)
{
	const struct map_sockets *s = arg;
	const struct xdp_diag_msg *head = nlmsg_data(nlmsg_hdr(msg));
	struct nlattr *attrs[XDP_DIAG_MAX + 1];
	const struct xdp_diag_info *info;
	const struct map_device *v;
	char device[MAP_ID], id[MAP_ID + 32];
	json_t *o;

	if (nlmsg_parse(nlmsg_hdr(msg), sizeof(*head), attrs, XDP_DIAG_MAX, NULL) || !attrs[XDP_DIAG_INFO])
		return NL_OK;
	info = nla_data(attrs[XDP_DIAG_INFO]);
	v = map_find(s->m, s->space, (int)info->ifindex);
	if (!v)
		return NL_OK; /* it is bound to no device yet */
	map_device_id(s->m, v, device, sizeof(device));
	snprintf(id, sizeof(id), "xsk:%s:%u", device, info->queue_id);
	o = json_object();
	json_out_text(&s->m->json, o, "socket", id);
	json_out_text(&s->m->json, o, "device", device);
	json_out_put(&s->m->json, o, "queue", json_integer(info->queue_id));
	json_out_put(&s->m->json, o, "inode", json_integer(head->xdiag_ino));
	put_ring(s->m, o, "rx_ring", attrs[XDP_DIAG_RX_RING]);
	put_ring(s->m, o, "tx_ring", attrs[XDP_DIAG_TX_RING]);
	put_ring(s->m, o, "fill_ring", attrs[XDP_DIAG_UMEM_FILL_RING]);
	put_ring(s->m, o, "completion_ring", attrs[XDP_DIAG_UMEM_COMPLETION_RING]);
	json_out_add(&s->m->json, s->m->sockets, o);
	map_edge(s->m, "xsk", device, id);
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
void map_read_sockets(struct map *m, size_t space)
{
	struct xdp_diag_req head = {.sdiag_family = AF_XDP,
				    .xdiag_show = XDP_SHOW_INFO | XDP_SHOW_RING_CFG | XDP_SHOW_UMEM};
	struct map_sockets s = {m, space};
	int err = has_sockets()
			  ? netlink_dump(NETLINK_SOCK_DIAG, SOCK_DIAG_BY_FAMILY, &head, sizeof(head), take_socket, &s)
			  : 0;

	if (err == -NLE_NOMEM)
		m->json.failed = true;
	else if (err)
		map_unseen(m, "AF_XDP sockets: %s",
			   err == -NLE_PERM ? "only root may list them"
					    : "this kernel lists none (CONFIG_XDP_SOCKETS_DIAG)");
}

/* ---- nftables ------------------------------------------------------------------------------------------------- */

static void copy_word(struct map *m, json_t *to, const char *name, json_t *of, const char *key)
{
	const char *word = json_string_value(json_object_get(of, key));

	if (word)
		json_out_text(&m->json, to, name, word);
}

/* Chains without a hook are called by others alone. */
static void take_hook(struct map *m, size_t space, const char *kind, json_t *of)
{
	json_t *o;

	if (!json_object_get(of, "hook"))
		return;
	o = json_object();
	json_out_text(&m->json, o, "kind", kind);
	json_out_text(&m->json, o, "namespace", m->spaces[space].label);
	copy_word(m, o, "family", of, "family");
	copy_word(m, o, "table", of, "table");
	copy_word(m, o, "name", of, "name");
	copy_word(m, o, "hook", of, "hook");
	json_out_put(&m->json, o, "priority", json_incref(json_object_get(of, "prio") ?: json_null()));
	if (json_object_get(of, "dev"))
		json_out_put(&m->json, o, "devices", json_incref(json_object_get(of, "dev")));
	json_out_add(&m->json, m->hooks, o);
}

static void list_hooks(struct map *m, size_t space, struct nft_ctx *ctx, const char *command, const char *member,
		       const char *kind)
{
	json_t *answer, *o;
	size_t i;

	if (nft_run_cmd_from_buffer(ctx, command)) {
		map_unseen(m, "hooks of nftables: this kernel cannot list them");
		return;
	}
	answer = json_loads(nft_ctx_get_output_buffer(ctx), 0, NULL);
	json_array_foreach (json_object_get(answer, "nftables"), i, o)
		take_hook(m, space, kind, json_object_get(o, member));
	json_decref(answer);
}

void map_read_nft(struct map *m, size_t space)
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
		list_hooks(m, space, ctx, "list chains", "chain", "nft-chain");
		list_hooks(m, space, ctx, "list flowtables", "flowtable", "nft-flowtable");
	} else {
		m->json.failed = true;
	}
	if (ctx)
		nft_ctx_free(ctx);
}
