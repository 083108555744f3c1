// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/gen/frames.h"

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
		return diag_set(d, -errno, "%s: %s", path, strerror(errno));
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
	return s->file || s->words.n;
}

int frames_take(struct frames *f, const struct frame_source *s, struct diag *d)
{
	int err = s->file ? frames_add_file(f, s->file, d) : 0;

	if (!err && s->file && !f->n)
		err = diag_set(d, -EINVAL, "%s holds no frame", s->file);
	for (size_t i = 0; i < s->words.n && !err; i++)
		err = frames_add_words(f, s->words.items[i], d);
	return err;
}

void frames_release(struct frames *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->list[i].data);
	free(f->list);
	memset(f, 0, sizeof(*f));
}
