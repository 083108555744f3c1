/*
 * skb_slabs - gives a CPU slabs of socket buffers (skbs) in which nobody else has any
 *
 * A receiver in skb mode takes the heads of some 16 skbs from the slab that is its CPU's, and frees them soon after. If
 * that slab was whole, each of them is freed into it: the fast path of the slab allocator. If others hold one of its
 * objects, the batch reaches into a second slab. That one is the CPU's when the batch is freed, so that many of its
 * frees take the slow path, and two such slabs take turns for as long as nothing else happens. What the machine did
 * before decides which of these it is. So the holes are filled first: with skbs that wait in a socket and live until
 * the next call. A slab holds 16 skbs, too (x86-64, pages of 4 kB), so a receiver that begins within one never has it
 * for itself. So skbs are held until a slab is used up, where the kernel counts slabs (CONFIG_SLUB_DEBUG, sysfs).
 *
 * in:    a CPU. The sockets need CAP_NET_ADMIN for as much room as they take; without it fewer skbs are held
 * units: skbs; of each some 830 bytes
 * law:   takes a few ms of the CPU. Call it just before windows, never in one: what others do on the CPU later may
 *        begin with another slab. Holes of slabs that other CPUs hold stay; the CPU does not come to these
 * src:   linux mm/slub.c, ___slab_alloc() and __slab_free(); net/core/skbuff.c, napi_skb_cache_get_bulk();
 *        drivers/net/veth.c, veth_xdp_rcv_bulk_skb(). Figures are in docs/figures.rst
 */
#ifndef USER_SKB_SLABS_H
#define USER_SKB_SLABS_H

#define SKB_SLABS_HELD 4096

struct skb_slabs {
	int sockets[2]; /* what is sent to the first waits in the second; -1: none */
};

void skb_slabs_init(struct skb_slabs *s);
/*
 * Lets go of what was held before. Returns how many skbs are held now (SKB_SLABS_HELD: so many or more); 0: the CPU's
 * slabs are as they were found.
 */
int skb_slabs_fill(struct skb_slabs *s, int cpu);
void skb_slabs_release(struct skb_slabs *s); /* may be called twice */

#endif
