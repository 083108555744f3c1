// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/gen/gen.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/array.h"
#include "base/known.h"

int frames_add(struct frames *f, const void *data, uint32_t bytes)
{
	void *copy = malloc(bytes);
	struct frame *frame = copy ? array_add(&f->list, &f->n, sizeof(*f->list)) : NULL;

	if (!frame) {
		free(copy);
		return -ENOMEM;
	}
	memcpy(copy, data, bytes);
	frame->data = copy;
	frame->bytes = bytes;
	return 0;
}

static int add_captured(struct frames *f, const struct pcap_pkthdr *h, const unsigned char *data, const char *path,
			struct diag *d)
{
	if (h->caplen != h->len)
		return diag_set(d, -EINVAL,
				"%s: frame %zu was cut after %u of %u bytes; capture whole frames (tcpdump -s 0)", path,
				f->n + 1, h->caplen, h->len);
	if (h->len < 14 || h->len > FRAME_MAX_BYTES)
		return diag_set(d, -EINVAL, "%s: frame %zu has %u bytes, which is outside 14..%d", path, f->n + 1,
				h->len, FRAME_MAX_BYTES);
	return frames_add(f, data, h->len) ? diag_set(d, -ENOMEM, "no memory") : 0;
}

int frames_add_file(struct frames *f, const char *path, struct diag *d)
{
	char why[PCAP_ERRBUF_SIZE] = "";
	const unsigned char *data;
	struct pcap_pkthdr *h;
	int err = 0, got = 1;
	pcap_t *p;

	if (access(path, R_OK))
		return diag_set(d, -errno, "--frames %s: %s%s", path, strerror(errno),
				errno == ENOENT ? "; a frame in words is 'udp 10.0.0.1 > 10.0.0.2:53 len 200'" : "");
	p = pcap_open_offline(path, why);
	if (!p)
		return diag_set(d, -EINVAL, "%s: %s", path, why);
	if (pcap_datalink(p) != DLT_EN10MB)
		err = diag_set(d, -EINVAL, "%s holds frames of the link type %s, and not of Ethernet", path,
			       pcap_datalink_val_to_name(pcap_datalink(p)) ?: NOT_KNOWN);
	while (!err && (got = pcap_next_ex(p, &h, &data)) == 1)
		err = add_captured(f, h, data, path, d);
	if (!err && got == PCAP_ERROR)
		err = diag_set(d, -EINVAL, "%s: %s after %zu frames", path, pcap_geterr(p), f->n);
	pcap_close(p);
	return err;
}

bool frames_wanted(const struct frame_source *s)
{
	return s->list.n;
}

bool frames_names_file(const char *item)
{
	return !strchr(item, ' ') || !access(item, F_OK);
}

const char *frames_file(const struct frame_source *s)
{
	for (size_t i = 0; i < s->list.n; i++)
		if (frames_names_file(s->list.items[i]))
			return s->list.items[i];
	return NULL;
}

/* "udp 10.0.0.1 > 10.0.0.2,udp 10.0.0.1 > 10.0.0.3" */
static int add_list(struct frames *f, const char *words, struct diag *d)
{
	char *copy = strdup(words), *rest = NULL;
	int err = copy ? 0 : diag_set(d, -ENOMEM, "no memory");

	for (char *one = copy ? strtok_r(copy, ",", &rest) : NULL; one && !err; one = strtok_r(NULL, ",", &rest))
		err = frames_add_words(f, one, d);
	free(copy);
	return err;
}

int frames_take(struct frames *f, const struct frame_source *s, struct diag *d)
{
	int err = 0;

	for (size_t i = 0; i < s->list.n && !err; i++) {
		const char *item = s->list.items[i];
		size_t before = f->n;

		err = frames_names_file(item) ? frames_add_file(f, item, d) : add_list(f, item, d);
		if (!err && f->n == before)
			err = diag_set(d, -EINVAL, "%s holds no frame", item);
	}
	return err;
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].data);
	free(f->list);
	memset(f, 0, sizeof(*f));
}
