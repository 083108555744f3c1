// SPDX-License-Identifier: GPL-2.0-or-later
/* The device's counters while one variant ran, and the cost of the slab allocator's fast and slow path. */
#include <fnmatch.h>
#include "reports/analysis/analysis.h"

/*
 * Symbols of the slab allocator, slow path first. If an object is at hand, on the CPU's slab or (from 6.18 on) in its
 * sheaf, allocation and release call functions of the fast path only.
 * src: linux mm/slub.c of 6.1 to 6.18
 */
static const struct {
	bool slow;
	const char *glob;
} slab_symbols[] = {
	{true, "@(___slab_alloc|__slab_alloc|__slab_free|new_slab|allocate_slab|alloc_slab_page|discard_slab)*"},
	{true, "@(free_slab|__free_slab|deactivate_slab|flush_slab|setup_object|shuffle_freelist|get_freelist)*"},
	{true, "@(get_partial|get_any_partial|put_cpu_partial|__put_partials|put_partials|__unfreeze_partials)*"},
	{true, "@(free_to_partial_list|__refill_objects|slab_update_freelist|__slab_update_freelist)*"},
	{true, "@(__cmpxchg_double_slab|cmpxchg_double_slab)*"},
	{true, "@(__pcs_replace_|barn_|refill_sheaf|__sheaf_flush|sheaf_flush|alloc_full_sheaf|alloc_empty_sheaf)*"},
	{false, "@(kmem_cache_alloc|__kmem_cache_alloc|kmem_cache_free|__kmem_cache_free|kmem_alloc_)*"},
	{false, "@(__kmalloc|kmalloc_trace|kmalloc_noprof|kmalloc_node|kmalloc_slab|kfree_sensitive)*"},
	{false, "@(slab_alloc_node|slab_pre_alloc|slab_post_alloc|slab_free|do_slab_free|build_detached_freelist)*"},
	{false, "@(__memcg_slab_|memcg_slab_|___cache_free|cache_from_obj|alloc_from_pcs|free_to_pcs)*"},
	{false, "kfree"},
};

/* Symbols are sorted by cost, so the first slow one is the slowest. */
static int sum_slab(struct analysis_variant *v)
{
	struct analysis_slab *slab = &v->slab;
	bool slow;

	*slab = (struct analysis_slab){};
	for (size_t i = 0; i < v->nsymbols; i++) {
		const struct analysis_row *row = &v->symbols[i];

		int differs = FNM_NOMATCH;

		for (size_t k = 0; k < sizeof(slab_symbols) / sizeof(*slab_symbols) && row->samples && differs; k++) {
			differs = fnmatch(slab_symbols[k].glob, row->name, FNM_EXTMATCH);
			if (differs && differs != FNM_NOMATCH)
				return -ENOMEM; /* to compare with */
			slow = slab_symbols[k].slow;
		}
		if (differs)
			continue;
		slab->samples += row->samples;
		*(slow ? &slab->slow_ns : &slab->fast_ns) += row->self_ns;
		if (slow && !slab->slowest)
			slab->slowest = row->name;
	}
	slab->slow_pct = 100 * slab->slow_ns / (slab->fast_ns + slab->slow_ns);
	return 0;
}

/* Counters with a meaning first; then by source: the driver's, those of every device, those of page pools. */
static int by_meaning(const void *pa, const void *pb)
{
	const struct analysis_counter *a = pa, *b = pb;

	return !*a->meaning - !*b->meaning ?: ORDER(a->source, b->source) ?: strcmp(a->name, b->name);
}

/* Sorts the counters, and adds up those of one source and name: a run may have many windows with many names. */
static void merge_counters(struct analysis_variant *v)
{
	size_t n = 0;

	if (v->ncounters)
		qsort(v->counters, v->ncounters, sizeof(*v->counters), by_meaning);
	for (size_t i = 0; i < v->ncounters; i++) {
		if (n && !by_meaning(&v->counters[n - 1], &v->counters[i]))
			v->counters[n - 1].per_packet += v->counters[i].per_packet;
		else
			v->counters[n++] = v->counters[i];
	}
	v->ncounters = n;
}

int variant_add_counters(struct analysis_variant *v)
{
	double packets = 0, ns = 0;
	size_t merged = 0;

	if (sum_slab(v))
		return -ENOMEM;
	for (size_t i = 0; i < v->nused; i++)
		for (size_t k = 0; k < v->used[i]->block->nwindows; k++) {
			const struct run_counters *from = &v->used[i]->block->windows[k].counters;

			if (!from->to_ns)
				continue;
			packets += (double)from->packets;
			ns += (double)(from->to_ns - from->from_ns);
			for (const struct counter *c = from->changed.list; c < from->changed.list + from->changed.n;
			     c++) {
				struct analysis_counter *new = array_add(&v->counters, &v->ncounters, sizeof(*new));

				if (!new)
					return -ENOMEM;
				/* per_packet holds the sum of the counts until it is divided. */
				*new = (struct analysis_counter){
					.source = c->source,
					.name = c->name,
					.meaning = counter_meaning(c),
					.per_packet = c->known ? (double)c->value : NAN,
				};
			}
			if (v->ncounters > 2 * merged + 1000) {
				merge_counters(v);
				merged = v->ncounters;
			}
		}
	merge_counters(v);
	for (size_t i = 0; i < v->ncounters; i++) {
		double sum = v->counters[i].per_packet;

		v->counters[i].per_second = 1e9 * sum / ns;
		v->counters[i].per_packet = packets > 0 ? sum / packets : NAN;
	}
	return 0;
}
