// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

int compared_build(struct compared *c, const struct loaded_variant *base, const struct loaded_variant *new,
		   const char *renames, struct diag *d)
{
	int err;

	*c = (struct compared){.base = *base, .new = *new};
	if (base->measured) {
		err = compare_read_renames(&c->keys, renames, base->measured, new->measured, d);
		return err ? err : compare_build(&c->measured, base->measured, new->measured, c->keys, d);
	}
	err = exact_diff_renames(&c->keys, renames, &base->run->counted, &new->run->counted, d);
	return err ? err
		   : exact_diff_build(&c->counted, (struct exact_side){&base->run->counted, base->counted},
				      (struct exact_side){&new->run->counted, new->counted}, c->keys);
}

void compared_release(struct compared *c)
{
	compare_release(&c->measured);
	exact_diff_release(&c->counted);
	symkeys_free(c->keys);
	c->keys = NULL;
}

int compared_document(struct document *doc, const struct compared *c)
{
	return c->base.measured ? document_of_diff(doc, &c->measured) : document_of_exact_diff(doc, &c->counted);
}

bool compared_fails(const struct compared *c, const struct fail_if *f)
{
	const struct compare *m = &c->measured;
	struct compare_overall h = m->overall;
	bool exact = c->base.counted, failed;
	struct diag none = {};
	char why[200];

	if (fail_if_fits(f, exact, &none))
		return false;
	if (m->runs.nbase) { /* several runs of a side have the last word */
		h.base_ns = m->runs.base_ns;
		h.new_ns = m->runs.new_ns;
		h.delta_ns = m->runs.delta_ns;
		h.half_ns = m->runs.half_ns;
		memcpy(h.ci95_ns, m->runs.ci95_ns, sizeof(h.ci95_ns));
		h.p = m->runs.p;
	}
	failed = exact ? fail_if_counted(f, c->counted.base->total.instructions[EXACT_PACKET], c->counted.change, why,
					 sizeof(why))
		       : fail_if_measured(f, &h, why, sizeof(why));
	if (failed)
		complain("%s", why);
	return failed;
}

/* ---- the variants of a whole ladder ------------------------------------------------------------------------------ */

static bool receives(const struct run_variant *v)
{
	return !run_layer_forwards(v) && !run_layer_sends(v);
}

static bool receives_from_device(const struct run_variant *v)
{
	return receives(v) && v->layer != RUN_LAYER_TEST_RUN;
}

static bool sends(const struct run_variant *v)
{
	return run_layer_sends(v) && !run_layer_is_tcp(v);
}

/* A ladder has these variants too, which are XDP programs of ours: each below this layer, which is the first or not. */
static const struct ladder {
	const char *what;
	bool (*has)(const struct run_variant *v); /* is this layer one of the ladder's? */
	struct {
		const char *variant;
		enum run_layer layer;
	} ours[3];
} ladders[] = {
	{"rx", receives, {{"drop/no-touch@native", RUN_LAYER_XSK_COPY}, {"drop/no-touch@skb", RUN_LAYER_PACKET_RING}}},
	{"rx-device",
	 receives_from_device,
	 {{"drop/no-touch@native", RUN_LAYER_XSK_COPY},
	  {"xsk:zero-copy/no-touch@native", RUN_LAYER_CPUMAP},
	  {"drop/no-touch@skb", RUN_LAYER_PACKET_RING}}},
	{"forward",
	 run_layer_forwards,
	 {{"tx/swap-macs@native", RUN_LAYER_XDP_REDIRECT}, {"tx/swap-macs@skb", RUN_LAYER_SKB_REDIRECT}}},
	{"tx", sends, {}},
	{"tcp", run_layer_is_tcp, {}},
};

void ladder_words_fill(struct ladder_words *words, const char *what, bool (*wanted)(const struct run_variant *v),
		       struct opt_list *list)
{
	const struct ladder *ladder = ladders;
	struct run_variant v;

	while (strcmp(ladder->what, what) != 0)
		ladder++;
	for (int i = RUN_LAYER_NONE + 1; i < RUN_LAYERS; i++) {
		snprintf(words->layers[i], sizeof(words->layers[i]), "layer:%s", run_layers[i].word);
		if (run_variant_parse(&v, words->layers[i], NULL) || !ladder->has(&v))
			continue;
		for (int k = 0; k < 3; k++)
			if (ladder->ours[k].layer == v.layer)
				list->items[list->n++] = ladder->ours[k].variant;
		if (!wanted || wanted(&v))
			list->items[list->n++] = words->layers[i];
	}
}
