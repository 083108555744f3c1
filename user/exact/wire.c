// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <sys/un.h>

#define MAX_BATCH  256 /* the smallest ring of a NIC here */
#define PATIENCE_S 10
#define PAYLOAD_AT 42 /* behind Ethernet, IP and UDP */
#define SIZE_BYTES 4  /* QEMU's stream: each frame behind its size */

/* vm/run gives the NIC the first of these addresses. */
static const unsigned char nic_mac[6] = {0x52, 0x54, 0, 0, 0, 1}, host_mac[6] = {0x52, 0x54, 0, 0, 0, 2};

void wire_init(struct wire *w)
{
	*w = (struct wire){.dir_fd = -1, .listen_fd = -1, .ask_fd = -1, .frames_fd = -1, .random = 1};
}

/* A socket's name is short: the directory by its descriptor, because its path may be longer than sun_path. */
static struct sockaddr_un address(const struct wire *w, const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};

	snprintf(a.sun_path, sizeof(a.sun_path), "/proc/self/fd/%d/%s", w->dir_fd, name);
	return a;
}

static int wire_add_frame(struct wire *w, const unsigned char *data, uint32_t bytes, struct diag *d)
{
	struct frame *f;

	if (bytes > ETH_FRAME_LEN)
		return diag_set(d, -EINVAL, "frame %zu has %u bytes; the NIC takes up to %d", w->frames.n + 1, bytes,
				ETH_FRAME_LEN);
	if (frames_add(&w->frames, data, bytes))
		return diag_set(d, -ENOMEM, "no memory");
	f = &w->frames.list[w->frames.n - 1];
	memcpy(f->data, nic_mac, sizeof(nic_mac));
	memcpy(f->data + sizeof(nic_mac), host_mac, sizeof(host_mac));
	return 0;
}

int wire_open(struct wire *w, const char *dir, const struct frames *frames, struct diag *d)
{
	unsigned char own[GEN_BYTES];
	struct gen_options shape;
	struct sockaddr_un ask;
	int err = 0;

	gen_options_init(&shape);
	gen_frame(own, &shape, host_mac);
	w->varies = !frames;
	if (w->varies)
		err = wire_add_frame(w, own, sizeof(own), d);
	for (size_t i = 0; frames && i < frames->n && !err; i++)
		err = wire_add_frame(w, frames->list[i].data, frames->list[i].bytes, d);
	if (err)
		return err;
	w->batch = malloc(MAX_BATCH * (SIZE_BYTES + ETH_FRAME_LEN));
	w->dir_fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
	w->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ask = address(w, "ask");
	if (!w->batch || w->dir_fd < 0 || w->listen_fd < 0 ||
	    bind(w->listen_fd, (struct sockaddr *)&ask, sizeof(ask)) || listen(w->listen_fd, 1))
		return diag_set(d, -errno, "cannot make the wire's socket in %s: %s", dir, strerror(errno));
	return 0;
}

/* In one piece: QEMU reads it at once, and the virtual CPU goes on when all frames are in the NIC's ring. */
static int wire_send_frames(struct wire *w, unsigned int n, struct diag *d)
{
	struct timeval patience = {.tv_sec = PATIENCE_S};
	unsigned char *end = w->batch;
	struct sockaddr_un rx;
	ssize_t sent = 0;

	for (unsigned int i = 0; i < n; i++, w->sent++) {
		struct frame *f = &w->frames.list[w->sent % w->frames.n];
		uint32_t size = htonl(f->bytes);

		/* another payload each time: the lines a device writes differ from those of the frame before */
		for (uint32_t k = PAYLOAD_AT; k < f->bytes && w->varies; k++)
			f->data[k] = (unsigned char)(random_below(&w->random, 256));
		end = mempcpy(mempcpy(end, &size, sizeof(size)), f->data, f->bytes);
	}
	if (w->frames_fd < 0) { /* QEMU listens as long as it runs */
		rx = address(w, "rx");
		w->frames_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (setsockopt(w->frames_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)) ||
		    connect(w->frames_fd, (struct sockaddr *)&rx, sizeof(rx)))
			sent = -1;
	}
	if (!sent)
		sent = send(w->frames_fd, w->batch, (size_t)(end - w->batch), MSG_NOSIGNAL);
	if (sent == end - w->batch)
		return 0;
	return stop_requested ? stopped(d)
			      : diag_set(d, -EIO, "the virtual machine takes no frames: %s", strerror(errno));
}

int wire_serve(struct wire *w, struct diag *d)
{
	char *line = w->line, *end;
	unsigned int wanted;
	ssize_t n;
	int err = 0, length;

	if (w->ask_fd < 0) {
		struct timeval patience = {.tv_sec = PATIENCE_S}; /* with a guest that takes no answers */

		w->ask_fd = accept4(w->listen_fd, NULL, NULL, SOCK_CLOEXEC);
		setsockopt(w->ask_fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
		return 0;
	}
	n = read(w->ask_fd, w->line + w->len, sizeof(w->line) - 1 - w->len);
	if (n <= 0) { /* the virtual machine has ended */
		close(w->ask_fd);
		w->ask_fd = -1;
		return 0;
	}
	w->len += (size_t)n;
	w->line[w->len] = '\0';
	for (; !err && (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		length = 0;
		if (sscanf(line, WIRE_SEND " %u%n", &wanted, &length) == 1 && !line[length] && wanted <= MAX_BATCH)
			err = wire_send_frames(w, wanted, d);
		else if (strcmp(line, WIRE_SENT))
			err = diag_set(d, -EIO, "the virtual machine asks for something unknown: %s", line);
		else if (dprintf(w->ask_fd, "%" PRIu64 "\n", w->sent) < 0)
			err = diag_set(d, -EIO, "the virtual machine does not listen: %s", strerror(errno));
	}
	w->len = strlen(line);
	memmove(w->line, line, w->len + 1);
	if (!err && w->len == sizeof(w->line) - 1)
		err = diag_set(d, -EIO, "the virtual machine asks for something unknown: %s", w->line);
	return err;
}

void wire_release(struct wire *w)
{
	int fds[] = {w->ask_fd, w->listen_fd, w->frames_fd, w->dir_fd};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		fd_close(fds[i]);
	frames_release(&w->frames);
	free(w->batch);
	wire_init(w);
}
