// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"
#include "perfparse/perfparse.h"

#define UNKNOWN " [unknown] ([unknown])\n"

struct module {
	uint64_t at, size;
	char name[60];
};

struct symbol {
	uint64_t at;
	const struct module *module;
	char *name;
};

struct names {
	struct module *modules;
	struct symbol *symbols;
	size_t nmodules, modules_cap, nsymbols, symbols_cap;
};

static int read_modules(struct names *n, const char *path)
{
	FILE *f = fopen(path, "re");
	struct module m;
	char line[4096];
	int err = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%59s %" SCNu64 " %*s %*s %*s %" SCNx64, m.name, &m.size, &m.at) != 3 || !m.at)
			continue;
		if (!array_grow(&n->modules, &n->modules_cap, n->nmodules, 1, sizeof(m))) {
			err = -ENOMEM;
			break;
		}
		n->modules[n->nmodules++] = m;
	}
	fclose(f);
	return err;
}

static const struct module *module_at(const struct names *n, uint64_t address)
{
	for (size_t i = 0; i < n->nmodules; i++)
		if (address >= n->modules[i].at && address - n->modules[i].at < n->modules[i].size)
			return &n->modules[i];
	return NULL;
}

static int module_names_by_address(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return ORDER(x->at, y->at);
}

static int read_symbols(struct names *n, const char *path)
{
	struct symbol s = {};
	char line[1024], name[512], type;
	FILE *f = fopen(path, "re");
	int err = 0;

	if (!f)
		return -errno;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%" SCNx64 " %c %511s", &s.at, &type, name) != 3 || !strchr("tTwW", type))
			continue;
		s.module = module_at(n, s.at);
		if (!s.module)
			continue;
		if (!array_grow(&n->symbols, &n->symbols_cap, n->nsymbols, 1, sizeof(s)) || !(s.name = strdup(name))) {
			err = -ENOMEM;
			break;
		}
		n->symbols[n->nsymbols++] = s;
	}
	fclose(f);
	if (n->nsymbols)
		qsort(n->symbols, n->nsymbols, sizeof(s), module_names_by_address);
	return err;
}

static const struct symbol *symbol_at(const struct names *n, uint64_t address)
{
	const struct module *m = module_at(n, address);
	size_t low = 0, high = n->nsymbols;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (n->symbols[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return m && low && n->symbols[low - 1].module == m ? &n->symbols[low - 1] : NULL;
}

/* The address in a line that ends in UNKNOWN; 0 for other lines, and for addresses below the kernel's half. */
static uint64_t unknown_address(const char *line)
{
	size_t length = strlen(line), tail = strlen(UNKNOWN);
	uint64_t address = 0;

	if (length > tail && !strcmp(line + length - tail, UNKNOWN))
		address = strtoull(line, NULL, 16);
	return address >> 63 ? address : 0;
}

static bool has_unknown(FILE *text)
{
	bool found = false;
	char *line = NULL;
	size_t size = 0;

	while (!found && getline(&line, &size, text) > 0)
		found = unknown_address(line);
	free(line);
	rewind(text);
	return found;
}

static int rewrite(FILE *in, const char *path, const struct names *n)
{
	FILE *out = fopen(path, "we");
	char *line = NULL;
	size_t size = 0;
	int err = 0;

	if (!out)
		return -errno;
	while (!err && getline(&line, &size, in) > 0) {
		uint64_t address = unknown_address(line);
		const struct symbol *s = address ? symbol_at(n, address) : NULL;

		if ((s ? fprintf(out, "\t%16" PRIx64 " %s ([%s])\n", address, s->name, s->module->name)
		       : fputs(line, out)) < 0)
			err = -errno;
	}
	free(line);
	return fclose(out) && !err ? -errno : err;
}

int module_names_fill(const char *text_path, const char *kallsyms, const char *modules)
{
	FILE *text = fopen(text_path, "re");
	struct names names = {};
	char named[4096];
	int err = 0;

	if (!text)
		return -errno;
	if (!has_unknown(text) || access(modules, F_OK) || access(kallsyms, F_OK))
		goto out;
	snprintf(named, sizeof(named), "%s.named", text_path);
	err = read_modules(&names, modules) ?: read_symbols(&names, kallsyms) ?: rewrite(text, named, &names);
	if (!err && rename(named, text_path))
		err = -errno;
	if (err)
		unlink(named);
out:
	fclose(text);
	for (size_t i = 0; i < names.nsymbols; i++)
		free(names.symbols[i].name);
	free(names.symbols);
	free(names.modules);
	return err;
}
