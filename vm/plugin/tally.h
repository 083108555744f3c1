/*
 * tally - what the plugin counts, of a call path or of a vCPU
 *
 * units: instructions; loads and stores, one for each access of an instruction; lines of 64 bytes (memory.h)
 * law:   without memory=on all but the instructions stay 0
 */
#ifndef VM_PLUGIN_TALLY_H
#define VM_PLUGIN_TALLY_H

#include <stdint.h>

enum tally { TALLY_INSTRUCTIONS, TALLY_LOADS, TALLY_STORES, TALLY_LINES, TALLY_TRANSFERS, TALLY_DEVICE, TALLIES };

struct tallies {
	uint64_t n[TALLIES];
};

/* sum += (now - then) - (away - away_then): what was counted since then, without what was counted elsewhere. */
static inline void tallies_add_since(struct tallies *sum, const struct tallies *now, const struct tallies *then,
				     const struct tallies *away, const struct tallies *away_then)
{
	for (int i = 0; i < TALLIES; i++)
		sum->n[i] += now->n[i] - then->n[i] - (away->n[i] - away_then->n[i]);
}

#endif
