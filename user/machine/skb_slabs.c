// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/skb_slabs.h"

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
#include "user/machine/cpu.h"
#include "user/machine/priority.h"

#define SKB_ROOM 4096 /* that the socket accounts for an skb of one byte, at most */

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

/* On the CPU itself, as skbs are allocated by who sends them. */
static void *fill_main(void *arg)
{
	struct filling *f = arg;

	if (cpu_pin(0, f->cpu))
		return NULL;
	priority_realtime_begin(); /* some ms of work, for which it would wait beside compilers */
	while (f->held < SKB_SLABS_HELD && send(f->slabs->sockets[0], "", 1, MSG_DONTWAIT | MSG_NOSIGNAL) == 1)
		f->held++;
	return NULL;
}

int skb_slabs_fill(struct skb_slabs *s, int cpu)
{
	struct filling f = {.slabs = s, .cpu = cpu};
	int room = SKB_SLABS_HELD * SKB_ROOM;
	pthread_t thread;

	skb_slabs_release(s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->sockets)) {
		skb_slabs_init(s);
		return 0;
	}
	setsockopt(s->sockets[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)); /* refused: there is less room */
	if (!pthread_create(&thread, NULL, fill_main, &f))
		pthread_join(thread, NULL);
	return f.held;
}
