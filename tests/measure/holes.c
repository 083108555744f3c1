// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * holes - leaves a CPU slabs of skbs that are half full: every other skb is freed, on that CPU, and the rest stays
 * usage: holes CPU NUMBER    prints a line when it is done, and holds the rest until its input ends
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int stay[2], go[2], room = 64 << 20;
	cpu_set_t cpus;
	char byte;

	CPU_ZERO(&cpus);
	CPU_SET(argc > 1 ? atoi(argv[1]) : 0, &cpus);
	if (argc != 3 || sched_setaffinity(0, sizeof(cpus), &cpus) || socketpair(AF_UNIX, SOCK_STREAM, 0, stay) ||
	    socketpair(AF_UNIX, SOCK_STREAM, 0, go))
		return 1;
	setsockopt(stay[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	setsockopt(go[0], SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
	for (int i = 0; i < atoi(argv[2]); i++)
		if (send(i % 2 ? stay[0] : go[0], "", 1, MSG_DONTWAIT) != 1)
			return 1;
	close(go[0]);
	close(go[1]);
	puts("done");
	fflush(stdout);
	while (read(0, &byte, 1) > 0)
		;
	return 0;
}
