// SPDX-License-Identifier: GPL-2.0-or-later
/* The sentences and the evidence of a verdict. */
#include "reports/why/why.h"

void say(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	if (w->nsentences == 3)
		return;
	va_start(ap, fmt);
	vsnprintf(w->v->sentences[w->nsentences], sizeof(w->v->sentences[0]), fmt, ap);
	va_end(ap);
	w->nsentences++;
}

/* "12", or "not known". */
const char *why_known(char words[24], int decimals, double value)
{
	if (isnan(value))
		snprintf(words, 24, "not known");
	else
		snprintf(words, 24, "%.*f", decimals, value);
	return words;
}

struct why_evidence *show(struct walk *w, const char *step, const char *unit, const double value[WHY_SIDES],
			  const char *fmt, ...)
{
	static struct why_evidence none;
	struct why_evidence *e = w->v->nevidence < WHY_EVIDENCE ? &w->v->evidence[w->v->nevidence++] : &none;
	va_list ap;

	*e = (struct why_evidence){
		.step = step, .value = {value ? value[0] : NAN, value ? value[1] : NAN}, .half = NAN};
	va_start(ap, fmt);
	vsnprintf(e->what, sizeof(e->what), fmt, ap);
	va_end(ap);
	snprintf(e->unit, sizeof(e->unit), "%s", unit);
	return e;
}

void conclude(struct walk *w, const char *cause, const char *fmt, ...)
{
	va_list ap;

	w->v->sure = true;
	snprintf(w->v->cause, sizeof(w->v->cause), "%s", cause);
	va_start(ap, fmt);
	vsnprintf(w->v->refuted_by, sizeof(w->v->refuted_by), fmt, ap);
	va_end(ap);
}
