/*
 * ladder_words - the variants of a whole ladder, from its lowest rung upwards
 *
 * in:    which ladder: rx, rx-device (rx where the device is not the lab's), forward, tx or tcp
 * out:   words of variants; the list points into the struct
 * law:   the order is that of run_rungs[] (reports/run/run.h). Our own XDP programs stand where a packet meets them
 */
#ifndef USER_LADDER_WORDS_H
#define USER_LADDER_WORDS_H

#include <stdbool.h>
#include "base/opts.h"
#include "reports/run/run.h"

struct ladder_words {
	char rungs[RUN_RUNGS][32];
};

/* wanted: which rungs the list gets; NULL: all of the ladder. */
void ladder_words_fill(struct ladder_words *l, const char *ladder, bool (*wanted)(const struct run_variant *v),
		       struct opt_list *list);

#endif
