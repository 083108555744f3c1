// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/replay/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <bpf/bpf.h>

#define GROWTH 512 /* by which a program may lengthen a frame; there is a headroom of 256 bytes */

static int run_frame(struct replay_result *out, const struct frame *in, int prog_fd, size_t number, const char *name,
		     struct diag *d)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .data_in = in->data, .data_size_in = in->bytes, .repeat = 1);
	int err;

	out->after.data = malloc(in->bytes + GROWTH);
	if (!out->after.data)
		return diag_set(d, -ENOMEM, "no memory");
	o.data_out = out->after.data;
	o.data_size_out = in->bytes + GROWTH;
	err = bpf_prog_test_run_opts(prog_fd, &o);
	if (err)
		return diag_set(d, err, "%s: the kernel does not run it on frame %zu of %u bytes: %s", name, number,
				in->bytes, strerror(-err));
	out->after.bytes = o.data_size_out;
	out->verdict = o.retval;
	return 0;
}

static void compare(struct replay_row *row)
{
	const struct frame *a = &row->side[0].after, *b = &row->side[1].after;
	uint32_t shorter = a->bytes < b->bytes ? a->bytes : b->bytes, i = 0;

	while (i < shorter && a->data[i] == b->data[i])
		i++;
	row->first_byte = i;
	row->bytes_differ = i < shorter || a->bytes != b->bytes;
	row->verdicts_differ = row->side[0].verdict != row->side[1].verdict;
}

int replay_run(struct replay *r, const struct frames *frames, const char *const names[REPLAY_SIDES],
	       const int prog_fds[REPLAY_SIDES], struct diag *d)
{
	int err = 0;

	memset(r, 0, sizeof(*r));
	memcpy(r->names, names, sizeof(r->names));
	r->frames = frames;
	r->rows = calloc(frames->n + 1, sizeof(*r->rows));
	if (!r->rows)
		return diag_set(d, -ENOMEM, "no memory");
	for (size_t i = 0; i < frames->n && !err; i++) {
		for (int k = 0; k < REPLAY_SIDES && names[k] && !err; k++)
			err = run_frame(&r->rows[i].side[k], &frames->list[i], prog_fds[k], i + 1, names[k], d);
		if (err || !names[1])
			continue;
		compare(&r->rows[i]);
		r->differ += r->rows[i].verdicts_differ || r->rows[i].bytes_differ;
	}
	return err;
}

void replay_release(struct replay *r)
{
	for (size_t i = 0; r->rows && i < r->frames->n; i++)
		for (int k = 0; k < REPLAY_SIDES; k++)
			free(r->rows[i].side[k].after.data);
	free(r->rows);
	r->rows = NULL;
}
