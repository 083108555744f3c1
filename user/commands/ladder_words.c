// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

#include <stdio.h>
#include <string.h>

static bool ladder_words_receives(const struct run_variant *v)
{
	return !run_layer_forwards(v) && !run_layer_sends(v);
}

static bool receives_from_device(const struct run_variant *v)
{
	return ladder_words_receives(v) && v->layer != RUN_LAYER_TEST_RUN;
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
	{"rx",
	 ladder_words_receives,
	 {{"drop/no-touch@native", RUN_LAYER_XSK_COPY}, {"drop/no-touch@skb", RUN_LAYER_PACKET_RING}}},
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

	while (strcmp(ladder->what, what) != 0)
		ladder++;
	struct run_variant v;

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
