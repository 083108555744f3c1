// SPDX-License-Identifier: GPL-2.0-or-later
#include "perfparse/perfparse.h"

/* ---- names ------------------------------------------------------------------------------------------------------- */

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
	bool read; /* from the lists, which happens when a name is missing */
};

static int read_modules(struct names *n, const char *path)
{
	FILE *f = fopen(path, "re");
	struct module m;
	char line[4096];
	int err = 0;

	if (!f)
		return errno == ENOENT ? 0 : -errno;
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

static int compare_symbols(const void *a, const void *b)
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
		return errno == ENOENT ? 0 : -errno;
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
		qsort(n->symbols, n->nsymbols, sizeof(s), compare_symbols);
	return err;
}

/* Puts the symbol and its module into a line that lacks them, if its address is in the kernel's half. */
static int name_unknown(struct names *n, const struct script_hide *o, char **line, size_t *size, ssize_t *len)
{
	size_t length = strlen(*line), tail = strlen(UNKNOWN), low = 0, high;
	const struct module *m;
	const struct symbol *s;
	uint64_t address;
	int err = 0;

	if (length <= tail || strcmp(*line + length - tail, UNKNOWN))
		return 0;
	address = strtoull(*line, NULL, 16);
	if (!(address >> 63))
		return 0;
	if (!n->read)
		err = read_modules(n, o->modules) ?: read_symbols(n, o->kallsyms);
	n->read = true;
	if (err)
		return err;
	for (high = n->nsymbols; low < high;) {
		size_t middle = (low + high) / 2;

		if (n->symbols[middle].at <= address)
			low = middle + 1;
		else
			high = middle;
	}
	m = module_at(n, address);
	if (!m || !low || n->symbols[low - 1].module != m)
		return 0;
	s = &n->symbols[low - 1];
	free(*line);
	*len = asprintf(line, "\t%16" PRIx64 " %s ([%s])\n", address, s->name, s->module->name);
	*size = *len < 0 ? 0 : (size_t)*len + 1;
	if (*len < 0)
		*line = NULL;
	return *line ? 0 : -ENOMEM;
}

/* ---- addresses --------------------------------------------------------------------------------------------------- */

#define DIGITS 16

/*
 * Hides the address of a line: a tab, blanks and digits that end in column DIGITS, a blank. Returns its source line.
 */
static const char *hide(char *line, size_t len, const struct script_hide *o)
{
	char *s = line + 1, *end = line + DIGITS + 1;
	const char *source = NULL;
	bool kernel;

	if (len < DIGITS + 2 || line[0] != '\t' || line[DIGITS + 1] != ' ')
		return NULL;
	while (*s == ' ')
		s++;
	for (char *c = s; c < end; c++)
		if (!isxdigit((unsigned char)*c))
			return NULL;
	if (s >= end || strspn(s, "0") >= (size_t)(end - s))
		return NULL;
	if (o->source)
		source = o->source(o->of, strtoull(s, NULL, 16));
	kernel = end - s == DIGITS && *s >= '8'; /* in the upper half, where all 16 digits are printed */
	memset(line + 1, kernel ? 'f' : ' ', DIGITS);
	if (!kernel)
		end[-1] = '1';
	return source;
}

int script_hide_addresses(const char *path, const struct script_hide *o)
{
	FILE *in = fopen(path, "re"), *out;
	bool innermost = false; /* the line before was not a frame */
	struct names names = {};
	char hidden[4096], *line = NULL;
	size_t size = 0;
	ssize_t len;
	int err;

	if (!in)
		return -errno;
	snprintf(hidden, sizeof(hidden), "%s.hidden", path);
	out = fopen(hidden, "wxe");
	err = out ? 0 : -errno;
	errno = 0;
	while (!err && (len = getline(&line, &size, in)) > 0) {
		const char *source;

		err = name_unknown(&names, o, &line, &size, &len);
		if (err)
			break;
		source = hide(line, (size_t)len, o);
		printable_lines(out, line, (size_t)len);
		if (source && innermost)
			fprintf(out, SCRIPT_SOURCE "%s\n", source);
		if (ferror(out))
			err = errno ? -errno : -EIO;
		innermost = line[0] != '\t';
	}
	if (!err && ferror(in))
		err = errno ? -errno : -EIO;
	for (size_t i = 0; i < names.nsymbols; i++)
		free(names.symbols[i].name);
	free(names.symbols);
	free(names.modules);
	free(line);
	fclose(in);
	if (out && fclose(out) && !err)
		err = -errno;
	if (!err && rename(hidden, path))
		err = -errno;
	if (err && out)
		unlink(hidden);
	return err;
}
