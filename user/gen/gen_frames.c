// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/gen/gen.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "bpf/layout.h"

uint32_t gen_frames_count(const struct gen_options *o)
{
	return o->frames ? (uint32_t)o->frames->n : 0;
}

uint32_t gen_frames_longest(const struct gen_options *o)
{
	uint32_t bytes = 0;

	for (size_t i = 0; o->frames && i < o->frames->n; i++)
		if (o->frames->list[i].bytes > bytes)
			bytes = o->frames->list[i].bytes;
	return bytes;
}

/* The kernel rounds values up to 8 bytes too. */
static size_t value_bytes(const struct gen_options *o)
{
	return (sizeof(struct gen_frame_head) + gen_frames_longest(o) + 7) / 8 * 8;
}

int gen_frames_alone(const struct gen_options *o, struct diag *d)
{
	if (o->bytes != GEN_BYTES || o->flows != 1)
		return diag_set(d, -EINVAL, "--size and --flows are for the generator's own frames, not for --frames");
	return 0;
}

int gen_frames_check(const struct gen_options *o, struct diag *d)
{
	for (size_t i = 0; o->frames && i < o->frames->n; i++)
		if (o->frames->list[i].bytes > GEN_MAX_BYTES)
			return diag_set(d, -EINVAL,
					"frame %zu has %u bytes; live frames lie in one buffer, which has room for %d "
					"bytes (gen, and record with --view blocks, send longer ones)",
					i + 1, o->frames->list[i].bytes, GEN_MAX_BYTES);
	if (o->frames && o->frames->n > GEN_FRAMES_MAX_BYTES / value_bytes(o))
		return diag_set(d, -EINVAL,
				"%zu frames of up to %u bytes are more than the %u MB that the generator has for them",
				o->frames->n, gen_frames_longest(o), GEN_FRAMES_MAX_BYTES >> 20);
	return 0;
}

int gen_frames_size(struct bpf_map *map, const struct gen_options *o)
{
	int err;

	if (!o->frames)
		return 0;
	err = bpf_map__set_value_size(map, (__u32)value_bytes(o));
	return err ? err : bpf_map__set_max_entries(map, gen_frames_count(o));
}

int gen_frames_fill(const struct bpf_map *map, const struct gen_options *o, const unsigned char src_mac[6])
{
	unsigned char *value = o->frames ? calloc(1, value_bytes(o)) : NULL;
	struct gen_frame_head *head = (void *)value;
	int err = 0;

	if (!o->frames)
		return 0;
	if (!value)
		return -ENOMEM;
	for (__u32 i = 0; i < gen_frames_count(o) && !err; i++) {
		const struct frame *f = &o->frames->list[i];

		head->bytes = f->bytes;
		memcpy(head + 1, f->data, f->bytes);
		memcpy(head + 1, o->dst_mac, ETH_ALEN);
		memcpy((char *)(head + 1) + ETH_ALEN, src_mac, ETH_ALEN);
		err = bpf_map_update_elem(bpf_map__fd(map), &i, value, BPF_ANY);
	}
	free(value);
	return err;
}
