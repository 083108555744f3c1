// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/watch/watch.h"

#define SECOND_NS 1000000000ULL

struct past_second *past_last(struct past *h)
{
	return h->n ? &h->seconds[(h->first + h->n - 1) % PAST_S] : NULL;
}

/* The last second, or a new one where that is long enough. */
static struct past_second *second_of(struct past *h, uint64_t from_ns)
{
	struct past_second *last = past_last(h);

	if (last && !h->cut && last->to_ns == from_ns && last->to_ns - last->from_ns < SECOND_NS)
		return last;
	h->cut = false;
	if (h->n == PAST_S)
		h->first = (h->first + 1) % PAST_S;
	else
		h->n++;
	last = &h->seconds[(h->first + h->n - 1) % PAST_S];
	last->n = 0;
	memset(last->programs, 0, sizeof(last->programs));
	last->from_ns = last->to_ns = from_ns;
	return last;
}

static struct past_entry *past_entry_of(struct past_second *s, uint32_t slot, uint32_t cpu)
{
	struct past_entry *e;

	for (size_t i = 0; i < s->n; i++)
		if (s->entries[i].slot == slot && s->entries[i].cpu == cpu)
			return &s->entries[i];
	if (!array_grow(&s->entries, &s->cap, s->n, 1, sizeof(*s->entries)))
		return NULL;
	e = &s->entries[s->n++];
	*e = (struct past_entry){.slot = slot, .cpu = cpu};
	return e;
}

int past_add(struct past *h, uint64_t from_ns, uint64_t to_ns, const struct watch_polls *growth, int ncpus)
{
	struct past_second *s = second_of(h, from_ns);

	s->to_ns = to_ns;
	for (int cpu = 0; cpu < ncpus; cpu++)
		for (unsigned int slot = 0; slot < WATCH_SLOTS; slot++) {
			const struct watch_polls *g = &growth[(size_t)cpu * WATCH_SLOTS + slot];
			struct past_entry *e;

			if (!g->polls && !g->thread_ns)
				continue;
			e = past_entry_of(s, slot, (uint32_t)cpu);
			if (!e)
				return -ENOMEM;
			polled_add(&e->polls, g);
			e->polls.poll_ip = g->poll_ip;
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
