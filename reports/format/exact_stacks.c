// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/format/format.h"

int exact_stacks_build(struct stacks *s, const struct exact_variant *v)
{
	uint32_t *frame;
	size_t nframes = 0;

	for (size_t i = 0; i < v->npaths; i++)
		nframes += v->paths[i].depth;
	*s = (struct stacks){.symbols = v->names.symbols, .nsymbols = v->names.nsymbols};
	s->rows = calloc(v->npaths + 1, sizeof(*s->rows));
	frame = s->frames = calloc(nframes + 1, sizeof(*s->frames));
	if (!s->rows || !frame) {
		stacks_release(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < v->npaths; i++) {
		const struct exact_path *p = &v->paths[i];

		if (!p->counted)
			continue;
		s->rows[s->nrows++] = (struct stacks_row){frame, p->depth, p->component, p->counted, p->instructions};
		for (unsigned int at = p->depth; at--;)
			*frame++ = p->frames[at];
	}
	return 0;
}

int exact_stacks_diff_build(struct stacks_diff *paths, const struct exact_diff *d)
{
	struct stacks base, new = {};
	int err = exact_stacks_build(&base, d->base);

	*paths = (struct stacks_diff){};
	if (!err)
		err = exact_stacks_build(&new, d->new) ?: stacks_diff_build(paths, &base, &new, d->keys);
	stacks_release(&new);
	stacks_release(&base);
	return err;
}
