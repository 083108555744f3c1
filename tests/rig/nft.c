// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs its arguments as commands of nft, as nft(8) does, which need not be installed. Prints what they print.
 * cc -o nft nft.c -lnftables
 */
#include <nftables/libnftables.h>

int main(int argc, char **argv)
{
	struct nft_ctx *nft = nft_ctx_new(NFT_CTX_DEFAULT);
	int failed = !nft;

	for (int i = 1; i < argc && !failed; i++)
		failed = nft_run_cmd_from_buffer(nft, argv[i]);
	if (nft)
		nft_ctx_free(nft);
	return failed != 0;
}
