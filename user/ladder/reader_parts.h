/*
 * reader_parts - what the files behind reader.h share; no other file includes this header
 *
 * law: a way's begin() and read() run in the reader's thread. read() returns the number of frames, 0 when there was
 *      none for READER_IDLE_MS, or -errno. A way without read() has a thread of the kernel's: its open() sets tid
 *      and clock
 */
#ifndef USER_READER_PARTS_H
#define USER_READER_PARTS_H

#include <liburing.h>
#include <linux/if_packet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/socket.h>
#include <time.h>
#include "user/ladder/reader.h"
#include "user/stage/xsk_queue.h"

#define READER_NICE     (-20)
#define READER_IDLE_MS  50   /* the thread notices within this time that it must end */
#define READER_BYTES    4096 /* of a datagram's buffer; no frame of the generator is larger */
#define READER_BLOCKS   64   /* of a packet socket's ring */
#define READER_BLOCK    (64 * 1024)
#define READER_BUFFERS  256 /* of io_uring; a power of two */
#define READER_GRO_MOST 65536

struct bench_count;
struct readers_bpf;

struct reader {
	struct reader_options o;
	int fd, counts_fd;
	struct bench_count *counts; /* mapped */
	char *memory;               /* buffers of datagrams, or the mapped ring */
	size_t bytes;
	struct mmsghdr messages[READER_BATCH];
	struct iovec pieces[READER_BATCH];
	unsigned int block; /* of the packet socket's ring, which is read next */
	uint64_t refused;
	struct io_uring uring;
	struct io_uring_buf_ring *buffers;
	bool has_uring, armed;
	struct readers_bpf *skel; /* of the ways through XDP */
	int link_fd;              /* -1: none */
	struct xsk_queue queue;
	pthread_t thread;
	clockid_t clock;
	bool running;
	atomic_int tid; /* 0: the thread has not begun, < 0: it failed, -errno */
	atomic_int failed;
	atomic_bool stop;
};

struct reader_kind {
	const char *words;
	int (*open)(struct reader *r, struct diag *d); /* in the caller's thread */
	int (*begin)(struct reader *r);                /* NULL: nothing to do */
	int (*read)(struct reader *r);
	void (*end)(struct reader *r); /* in the caller's thread, after the reader's has ended; NULL: nothing to do */
};

int reader_open_udp(struct reader *r, struct diag *d);
int reader_read_recv(struct reader *r);
int reader_begin_recvmmsg(struct reader *r);
int reader_read_recvmmsg(struct reader *r);
int reader_open_gro(struct reader *r, struct diag *d);
int reader_read_gro(struct reader *r);
int reader_begin_uring(struct reader *r);
int reader_read_uring(struct reader *r);
void reader_end_uring(struct reader *r);
int reader_open_ring(struct reader *r, struct diag *d);
int reader_read_ring(struct reader *r);
int reader_open_xsk(struct reader *r, struct diag *d);
int reader_read_xsk(struct reader *r);
int reader_open_cpumap(struct reader *r, struct diag *d);
void reader_end_xdp(struct reader *r);

#endif
