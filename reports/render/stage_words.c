// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/render/stage_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reports/render/text.h"

void stage_words(const struct analysis_variant *v, char *line, size_t size)
{
	const struct analysis_stage *s = &v->stage;
	char ns[64];

	if (isnan(s->ns))
		snprintf(line, size, "%s; what it costs is not known, and in the base as far as it ran on the RX CPU",
			 v->variant->stage_text);
	else
		snprintf(line, size, "%s ns per frame%s: %s", text_interval(s->ns, s->half_ns, ns, sizeof(ns)),
			 s->by_task ? "" : ", taken out of the RX CPU's time", v->variant->stage_text);
	if (!isnan(s->dropped_pct))
		snprintf(line + strlen(line), size - strlen(line), "; %.2g %% of the frames dropped before it",
			 s->dropped_pct);
}
