// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/commands/commands.h"

#include <stdio.h>
#include <string.h>

static bool ladder_words_receives(const struct run_variant *v)
{
	return !run_rung_forwards(v) && !run_rung_sends(v);
}

static bool receives_from_device(const struct run_variant *v)
{
	return ladder_words_receives(v) && v->rung != RUN_RUNG_TEST_RUN;
}

static bool sends(const struct run_variant *v)
{
	return run_rung_sends(v) && !run_rung_is_tcp(v);
}

/* A ladder has these variants too, which are XDP programs of ours: each below this rung, which is the first or not. */
static const struct ladder {
	const char *what;
	bool (*has)(const struct run_variant *v); /* is this rung one of the ladder's? */
	struct {
		const char *variant;
		enum run_rung rung;
	} ours[3];
} ladders[] = {
	{"rx",
	 ladder_words_receives,
	 {{"drop/no-touch@native", RUN_RUNG_XSK_COPY}, {"drop/no-touch@skb", RUN_RUNG_PACKET_RING}}},
	{"rx-device",
	 receives_from_device,
	 {{"drop/no-touch@native", RUN_RUNG_XSK_COPY},
	  {"xsk:zero-copy/no-touch@native", RUN_RUNG_CPUMAP},
	  {"drop/no-touch@skb", RUN_RUNG_PACKET_RING}}},
	{"forward",
	 run_rung_forwards,
	 {{"tx/swap-macs@native", RUN_RUNG_XDP_REDIRECT}, {"tx/swap-macs@skb", RUN_RUNG_SKB_REDIRECT}}},
	{"tx", sends, {}},
	{"tcp", run_rung_is_tcp, {}},
};

static const struct ladder *ladder_of(const char *what)
{
	const struct ladder *l = ladders;

	while (strcmp(l->what, what) != 0)
		l++;
	return l;
}

void ladder_words_fill(struct ladder_words *words, const char *what, bool (*wanted)(const struct run_variant *v),
		       struct opt_list *list)
{
	const struct ladder *ladder = ladder_of(what);
	struct run_variant v;

	for (int i = RUN_RUNG_NONE + 1; i < RUN_RUNGS; i++) {
		snprintf(words->rungs[i], sizeof(words->rungs[i]), "rung:%s", run_rungs[i].word);
		if (run_variant_parse(&v, words->rungs[i], NULL) || !ladder->has(&v))
			continue;
		for (int k = 0; k < 3; k++)
			if (ladder->ours[k].rung == v.rung)
				list->items[list->n++] = ladder->ours[k].variant;
		if (!wanted || wanted(&v))
			list->items[list->n++] = words->rungs[i];
	}
}
