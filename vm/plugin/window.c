// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/window.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>
#include "vm/plugin/blocks.h"
#include "vm/plugin/lines.h"
#include "vm/plugin/memory.h"
#include "vm/plugin/nodes.h"
#include "vm/plugin/stacks.h"
#include "vm/plugin/symbols.h"

static unsigned int windows;
static enum window_memory with_memory;
static bool with_device;

void window_begin(enum window_memory memory, bool device)
{
	with_memory = memory;
	with_device = device;
	nodes_clear();
	vcpus_clear();
	memory_clear(memory == MEMORY_OF_SEVERAL);
	blocks_clear();
}

static void write_number(FILE *out, const struct tallies *t, enum tally what, bool known)
{
	if (known)
		fprintf(out, " %" PRIu64, t->n[what]);
	else
		fputs(" -", out);
}

static void write_memory(FILE *out, const struct tallies *t)
{
	if (!with_memory)
		return;
	for (int i = TALLY_LOADS; i <= TALLY_LINES; i++)
		write_number(out, t, i, true);
	write_number(out, t, TALLY_TRANSFERS, with_memory == MEMORY_OF_SEVERAL);
	write_number(out, t, TALLY_DEVICE, with_device);
}

static void write_spots(FILE *out, uint32_t node)
{
	const struct spot *spots;
	size_t n = memory_spots(node, &spots);

	for (size_t i = 0; i < n; i++) {
		fputs("at", out);
		write_memory(out, &spots[i].tallies);
		fprintf(out, " %s\n", spots[i].place);
	}
}

static void write_poll(FILE *out, uint32_t number, unsigned int depth)
{
	const struct node *n = node_get(number);
	const struct symbol *s = symbol_get(n->symbol);

	fprintf(out, "path %u %" PRIu64 " %" PRIu64 " %s %s", depth, n->calls, n->tallies.n[TALLY_INSTRUCTIONS],
		node_name(number), s && s->module[0] ? s->module : "-");
	write_memory(out, &n->tallies);
	fputc('\n', out);
	write_spots(out, number);
	for (uint32_t below = n->child; below != NODE_NONE; below = node_get(below)->sibling)
		write_poll(out, below, depth + 1);
}

/* Writes the polls below the node; returns the instructions below it that are in none. */
static uint64_t write_polls(FILE *out, uint32_t number)
{
	const struct node *n = node_get(number);
	uint64_t outside = n->tallies.n[TALLY_INSTRUCTIONS];

	if (n->poll) {
		write_poll(out, number, 0);
		return 0;
	}
	for (uint32_t below = n->child; below != NODE_NONE; below = node_get(below)->sibling)
		outside += write_polls(out, below);
	return outside;
}

static void write_vcpu(FILE *out, unsigned int cpu)
{
	const struct vcpu *c = vcpu_get(cpu);

	fprintf(out, "cpu %u %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64, cpu, c->polls,
		c->in_polls.n[TALLY_INSTRUCTIONS], c->total.n[TALLY_INSTRUCTIONS], c->user);
	write_memory(out, &c->in_polls);
	fputc('\n', out);
	for (uint32_t n = node_get(c->root)->child; n != NODE_NONE; n = node_get(n)->sibling) {
		uint64_t outside = write_polls(out, n);

		if (outside)
			fprintf(out, "outside %" PRIu64 " %s\n", outside, node_name(n));
	}
	fprintf(out, "outside %" PRIu64 " warm-up\n", node_sum_below(c->warmup));
	fprintf(out, "outside %" PRIu64 " second-stage\n", node_sum_below(c->beside));
}

void window_end(const char *dir)
{
	char path[4200], whole[4200];
	FILE *out = NULL;
	int fd;

	snprintf(path, sizeof(path), "%s/window.%u.new", dir, windows);
	snprintf(whole, sizeof(whole), "%s/window.%u", dir, windows++);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd >= 0)
		out = fdopen(fd, "w");
	if (!out) {
		perror(path);
		if (fd >= 0)
			close(fd);
		return;
	}
	for (unsigned int i = 0; i < VCPUS; i++)
		if (vcpu_get(i)->total.n[TALLY_INSTRUCTIONS])
			write_vcpu(out, i);
	lines_write(out);
	if (fclose(out) || rename(path, whole))
		perror(whole);
}
