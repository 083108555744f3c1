// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#define SKB_ROOM   4096 /* that the socket accounts for an skb of one byte, at most */
#define MOST_ENDS  4    /* tries to end with a slab: another CPU may take a new one at the same time */
#define MOST_HOLES 1024 /* skbs, in one try */
#define CACHE      "sys/kernel/slab/skbuff_head_cache/"

void skb_slabs_init(struct skb_slabs *s)
{
	s->sockets[0] = s->sockets[1] = -1;
}

void skb_slabs_release(struct skb_slabs *s)
{
	for (int i = 0; i < 2; i++)
		if (s->sockets[i] >= 0)
			close(s->sockets[i]);
	skb_slabs_init(s);
}

struct filling {
	const struct skb_slabs *slabs;
	int cpu, held;
};

/* The first number of a file about the cache; 0: this kernel does not have it. */
static unsigned long cache_number(const char *name)
{
	long long n = 0;

	facts_number(&facts_here, &n, CACHE "%s", name);
	return (unsigned long)n;
}

static bool hold_one(struct filling *f)
{
	if (send(f->slabs->sockets[0], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
		return false;
	f->held++;
	return true;
}

/* Holds at most n skbs, until the cache gets a new slab. False: it got none. */
static bool hold_until_new(struct filling *f, unsigned long n)
{
	unsigned long slabs = cache_number("slabs");

	while (n-- && hold_one(f))
		if (cache_number("slabs") > slabs)
			return true;
	return false;
}

/* The skb for which the cache got a new slab is the first one in it. With all others the slab is used up. */
static void end_with_slab(struct filling *f)
{
	unsigned long slab = cache_number("objs_per_slab");

	for (int i = 0; slab && i < MOST_ENDS; i++)
		if (!hold_until_new(f, MOST_HOLES) || !hold_until_new(f, slab - 1))
			return;
}

/* On the CPU itself, as skbs are allocated by who sends them. */
static void *fill_main(void *arg)
{
	struct filling *f = arg;

	if (cpu_pin(0, f->cpu))
		return NULL;
	priority_realtime_begin(); /* some ms of work, for which it would wait beside compilers */
	while (f->held < SKB_SLABS_HELD && hold_one(f))
		;
	if (f->held == SKB_SLABS_HELD)
		end_with_slab(f);
	return NULL;
}

int skb_slabs_fill(struct skb_slabs *s, int cpu)
{
	struct filling f = {.slabs = s, .cpu = cpu};
	int room = (SKB_SLABS_HELD + MOST_ENDS * MOST_HOLES) * SKB_ROOM;
	pthread_t thread;

	skb_slabs_release(s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->sockets)) {
		skb_slabs_init(s);
		return 0;
	}
	setsockopt(s->sockets[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)); /* refused: there is less room */
	if (!pthread_create(&thread, NULL, fill_main, &f))
		pthread_join(thread, NULL);
	return f.held < SKB_SLABS_HELD ? f.held : SKB_SLABS_HELD;
}
