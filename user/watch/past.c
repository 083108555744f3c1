// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define SECOND_NS 1000000000ULL

struct past_second *past_last(struct past *h)
{
	return h->n ? &h->seconds[(h->first + h->n - 1) % PAST_S] : NULL;
}

/* To the last second, or to a new one where that is long enough. */
int past_add(struct past *h, uint64_t from_ns, uint64_t to_ns, const struct watch_polls *growth, int ncpus)
{
	struct past_second *s = past_last(h);

	if (!s || h->cut || s->to_ns != from_ns || s->to_ns - s->from_ns >= SECOND_NS) {
		h->cut = false;
		if (h->n == PAST_S)
			h->first = (h->first + 1) % PAST_S;
		else
			h->n++;
		s = past_last(h);
		s->n = 0;
		memset(s->programs, 0, sizeof(s->programs));
		s->from_ns = s->to_ns = from_ns;
	}
	s->to_ns = to_ns;
	for (size_t at = 0; at < (size_t)ncpus * WATCH_SLOTS; at++) {
		struct past_entry e = {.slot = at % WATCH_SLOTS, .cpu = (uint32_t)(at / WATCH_SLOTS)};
		size_t i = 0;

		if (!growth[at].polls && !growth[at].thread_ns)
			continue;
		while (i < s->n && (s->entries[i].slot != e.slot || s->entries[i].cpu != e.cpu))
			i++;
		if (i == s->n) {
			if (!array_grow(&s->entries, &s->cap, s->n, 1, sizeof(*s->entries)))
				return -ENOMEM;
			s->entries[s->n++] = e;
		}
		polled_add(&s->entries[i].polls, &growth[at]);
		s->entries[i].polls.poll_ip = growth[at].poll_ip;
	}
	return 0;
}

const struct past_second *past_at(const struct past *h, size_t i)
{
	return &h->seconds[(h->first + i) % PAST_S];
}

void past_forget(struct past *h, unsigned int slot)
{
	for (struct past_second *s = h->seconds; s < h->seconds + PAST_S; s++) {
		size_t kept = 0;

		for (size_t i = 0; i < s->n; i++)
			if (s->entries[i].slot != slot)
				s->entries[kept++] = s->entries[i];
		s->n = kept;
		s->programs[slot] = (struct past_program){0};
	}
}

void past_release(struct past *h)
{
	for (size_t i = 0; i < PAST_S; i++)
		free(h->seconds[i].entries);
	memset(h, 0, sizeof(*h));
}
