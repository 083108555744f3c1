// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/lines.h"

#include <inttypes.h>
#include <string.h>
#include "vm/plugin/blocks.h"
#include "vm/plugin/guest_file.h"
#include "vm/plugin/symbols.h"
#include "vm/plugin/table.h"

struct line {
	uint64_t address, instructions;
	char *words;
};

static struct line *lines;
static size_t nlines, room;

bool lines_read(const char *path)
{
	char text[1024];
	FILE *in = guest_file_open(path);

	if (!in)
		return false;
	while (nlines > 0)
		free(lines[--nlines].words);
	while (guest_file_line(text, sizeof(text), in)) {
		char *words = NULL;
		uint64_t address = strtoull(text, &words, 16);

		if (*words != ' ')
			continue;
		words[strcspn(words, "\n")] = '\0';
		if (nlines == room) {
			room = room ? 2 * room : 256;
			lines = must(realloc(lines, room * sizeof(*lines)));
		}
		lines[nlines++] = (struct line){.address = address, .words = must(strdup(words + 1))};
	}
	fclose(in);
	return true;
}

/* The line of the instruction; NULL: none, or that of another function. */
static struct line *line_at(uint64_t address)
{
	const struct symbol *s = symbol_get(symbol_at(address));
	size_t low = 0, high = nlines;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (lines[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && s && lines[low - 1].address >= s->address ? &lines[low - 1] : NULL;
}

static void lines_add_block(const struct block *b)
{
	uint64_t address = b->address;

	if (address < lines[0].address || !b->runs)
		return;
	for (uint32_t i = 0; i < b->instructions; address += b->sizes[i++]) {
		struct line *line = line_at(address);

		if (line)
			line->instructions += b->runs;
	}
}

void lines_write(FILE *out)
{
	if (!nlines)
		return;
	for (size_t i = 0; i < nlines; i++)
		lines[i].instructions = 0;
	blocks_each(lines_add_block);
	for (size_t i = 0; i < nlines; i++)
		if (lines[i].instructions)
			fprintf(out, "line %" PRIu64 " %s %s\n", lines[i].instructions,
				symbol_get(symbol_at(lines[i].address))->name, lines[i].words);
}
