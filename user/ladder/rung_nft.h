/*
 * rung_nft - the rules of a rung, in a table of nft of their own
 *
 * in:    rules with %1$s for the device and %2$s for the table; a device of the calling process's network namespace
 * out:   the table; what its counter "seen" has counted; what other rules of the namespace there are
 * units: frames
 * law:   the table belongs to a netlink socket of this process (flag "owner"). So no other process can change it, and
 *        the kernel removes it when this process ends, however it ends. Other tables are read, and never changed.
 *        After rung_nft_open() the calls work from any namespace
 * error: -EOPNOTSUPP this kernel lacks what the rules need, with nft's words; -EIO, -ENOMEM
 */
#ifndef USER_RUNG_NFT_H
#define USER_RUNG_NFT_H

#include <stddef.h>
#include <stdint.h>
#include "base/diag.h"

struct nft_ctx;

struct rung_nft {
	struct nft_ctx *ctx; /* NULL: no rules */
	char family[8], table[32];
};

int rung_nft_open(struct rung_nft *n, const char *family, const char *rules, const char *dev, struct diag *d);
int rung_nft_frames(const struct rung_nft *n, uint64_t *frames, struct diag *d);
void rung_nft_close(struct rung_nft *n); /* may be called twice */
/* The rules of others in this namespace: "table inet filter, table ip nat (iptables)". "": none. */
void rung_nft_foreign(char *words, size_t size);

#endif
