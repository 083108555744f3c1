// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/ladder/ladder.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <jansson.h>
#include <nftables/libnftables.h>
#include "base/listed.h"
#include "user/machine/machine.h"

static struct nft_ctx *context(void)
{
	struct nft_ctx *ctx = nft_ctx_new(NFT_CTX_DEFAULT);

	if (ctx && (nft_ctx_buffer_output(ctx) || nft_ctx_buffer_error(ctx))) {
		nft_ctx_free(ctx);
		return NULL;
	}
	if (ctx)
		nft_ctx_output_set_flags(ctx, NFT_CTX_OUTPUT_JSON);
	return ctx;
}

/* The first line of what nft says. */
static int failed(const struct rung_nft *n, const char *what, struct diag *d)
{
	const char *words = nft_ctx_get_error_buffer(n->ctx);

	return diag_set(d, -EOPNOTSUPP, "nft cannot %s: %.*s", what, (int)strcspn(words ? words : "", "\n"),
			words ? words : "");
}

int rung_nft_open(struct rung_nft *n, const char *family, const char *rules, const char *dev, struct diag *d)
{
	char words[1024];

	snprintf(n->family, sizeof(n->family), "%s", family);
	snprintf(n->table, sizeof(n->table), "xdpzoom_%d", (int)getpid());
	n->ctx = context();
	if (!n->ctx)
		return diag_set(d, -ENOMEM, "no memory for nft");
	snprintf(words, sizeof(words), "add table %s %s { flags owner; }\n", n->family, n->table);
	if (nft_run_cmd_from_buffer(n->ctx, words))
		return failed(n, "make a table that ends with this process", d);
	snprintf(words, sizeof(words), rules, dev, n->table);
	return nft_run_cmd_from_buffer(n->ctx, words) ? failed(n, "set its rules", d) : 0;
}

/* The list in {"nftables": [...]}; the caller releases *answer. */
static json_t *list_of(struct nft_ctx *ctx, json_t **answer)
{
	*answer = json_loads(nft_ctx_get_output_buffer(ctx), 0, NULL);
	return json_object_get(*answer, "nftables");
}

/* {"nftables": [{...}, {"counter": {"name": "seen", "packets": N, ...}}]} */
int rung_nft_frames(const struct rung_nft *n, uint64_t *frames, struct diag *d)
{
	json_t *answer, *list, *member, *packets = NULL;
	char words[80];
	size_t i;

	snprintf(words, sizeof(words), "list counter %s %s seen", n->family, n->table);
	if (nft_run_cmd_from_buffer(n->ctx, words))
		return failed(n, "read its counter", d);
	list = list_of(n->ctx, &answer);
	json_array_foreach (list, i, member)
		packets = packets ?: json_object_get(json_object_get(member, "counter"), "packets");
	*frames = (uint64_t)json_integer_value(packets);
	json_decref(answer);
	return packets ? 0 : diag_set(d, -EIO, "nft shows no counter");
}

void rung_nft_close(struct rung_nft *n)
{
	char words[80];

	if (!n->ctx)
		return;
	snprintf(words, sizeof(words), "delete table %s %s", n->family, n->table);
	nft_run_cmd_from_buffer(n->ctx, words);
	nft_ctx_free(n->ctx);
	n->ctx = NULL;
}

/* ---- rules of others ----------------------------------------------------------------------------------------- */

static void name(char *words, size_t size, const char *family, const char *table, const char *of)
{
	listed_add(words, size, ", ", "table %s %s%s", family, table, of);
}

/* iptables of the old kind have tables of their own, which nft does not show. */
static void name_iptables(char *words, size_t size)
{
	FILE *f = fopen("/proc/thread-self/net/ip_tables_names", "re");
	char line[64];

	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		name(words, size, "ip", line, " (iptables)");
	}
	if (f)
		fclose(f);
}

void rung_nft_foreign(char *words, size_t size)
{
	struct nft_ctx *ctx = facts_module_is_out(&facts_here, "nf_tables") ? NULL : context();
	json_t *answer = NULL, *list, *member;
	size_t i;

	words[0] = '\0';
	if (ctx && !nft_run_cmd_from_buffer(ctx, "list tables")) {
		list = list_of(ctx, &answer);
		json_array_foreach (list, i, member) {
			json_t *table = json_object_get(member, "table");

			if (table)
				name(words, size, json_string_value(json_object_get(table, "family")) ?: "",
				     json_string_value(json_object_get(table, "name")) ?: "", "");
		}
		json_decref(answer);
	}
	if (ctx)
		nft_ctx_free(ctx);
	name_iptables(words, size);
}
