// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/exact/exact.h"

#include <dirent.h>

const char *const matrix_drivers[] = {"veth",   "tun",   "virtio_net", "virtio_net-dma", "vmxnet3", "igb",
				      "e1000e", "e1000", NULL};

#define NAME 256 /* room for the name of a file */

/* A run, KERNEL/DRIVER/NAME, or what was printed instead of one, KERNEL/DRIVER/NAME.log. */
struct note {
	char kernel[NAME], driver[NAME], name[NAME];
	char why[512];     /* there is no run */
	struct exact *run; /* NULL: there is none */
};

struct reader {
	struct matrix *m;
	const char *folder;
	const struct matrix_names *asked;
	struct components *f;
	struct note *notes;
	size_t nnotes;
	const char **order; /* kernels, as they are in the order of ties */
	size_t norder;
	json_t *before; /* the folder's matrix.json */
	struct diag *d;
};

void matrix_path(char *path, size_t size, const char *name)
{
	snprintf(path, size, "%s", name);
	for (char *c = path; *c; c++)
		*c = *c == '/' ? ',' : *c;
}

struct matrix_cell *matrix_at(const struct matrix *m, size_t kernel, size_t driver, size_t variant)
{
	return &m->cells[(kernel * m->ndrivers + driver) * m->nvariants + variant];
}

static void named(char *name, size_t size, const char *path)
{
	snprintf(name, size, "%s", path);
	for (char *c = name; *c; c++)
		*c = *c == ',' ? '/' : *c;
}

/* ---- the folder -------------------------------------------------------------------------------------- */

static int matrix_is_name(const struct dirent *e)
{
	return strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0;
}

/* The last line that the process printed, without the program's name. */
static void last_words(const char *path, char *why, size_t size)
{
	char line[512];
	FILE *in;

	snprintf(why, size, "it ended without a message");
	if (foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, NULL))
		return;
	while (fgets(line, sizeof(line), in)) {
		const char *words = strncmp(line, "xdpzoom: ", 9) ? line : line + 9;

		line[strcspn(line, "\n")] = '\0';
		printable_in_place(line);
		if (*words)
			snprintf(why, size, "%s", words);
	}
	fclose(in);
}

/* A log beside a run is that of the run. */
static int add_note(struct reader *r, const char *kernel, const char *driver, const char *file)
{
	char path[5000], run[5000];
	const char *end = strrchr(file, '.');
	struct exact *e, **place;
	struct diag why = {};
	struct note *n;
	int err;

	snprintf(path, sizeof(path), "%s/%s/%s/%s", r->folder, kernel, driver, file);
	snprintf(run, sizeof(run), "%.*s", (int)(strlen(path) - (end ? strlen(end) : 0)), path);
	if (!exact_is(path) && (!end || strcmp(end, ".log") != 0 || exact_is(run)))
		return 0;
	n = array_add(&r->notes, &r->nnotes, sizeof(*r->notes));
	if (!n)
		return -ENOMEM;
	named(n->kernel, sizeof(n->kernel), kernel);
	named(n->driver, sizeof(n->driver), driver);
	snprintf(n->name, sizeof(n->name), "%s", file);
	if (!exact_is(path)) {
		last_words(path, n->why, sizeof(n->why));
		return 0;
	}
	e = calloc(1, sizeof(*e));
	if (!e)
		return -ENOMEM;
	err = exact_read(e, path, r->f, &why);
	place = err ? NULL : array_add(&r->m->runs, &r->m->nruns, sizeof(*r->m->runs));
	if (place) {
		*place = n->run = e;
		return 0;
	}
	exact_release(e);
	free(e);
	snprintf(n->why, sizeof(n->why), "%.511s", why.text);
	return !err || err == -ENOMEM ? -ENOMEM : 0;
}

/* Calls itself for the folders of a kernel and of a driver. A name that is no folder has no entries. */
static int scan(struct reader *r, const char *kernel, const char *driver)
{
	struct dirent **names;
	char path[5000];
	int n, err = 0;

	snprintf(path, sizeof(path), "%s/%s/%s", r->folder, kernel ?: "", driver ?: "");
	n = scandir(path, &names, matrix_is_name, alphasort);
	if (n < 0)
		return kernel || errno == ENOENT ? 0 : diag_set(r->d, -errno, "%s: %s", path, strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = names[i]->d_name;

		if (!err && driver)
			err = add_note(r, kernel, driver, name);
		else if (!err)
			err = scan(r, kernel ?: name, kernel ? name : NULL);
		free(names[i]);
	}
	free(names);
	return err;
}

/* ---- names ------------------------------------------------------------------------------------------- */

static int add_name(char ***names, size_t *n, const char *name)
{
	char **place;

	for (size_t i = 0; i < *n; i++)
		if (!strcmp((*names)[i], name))
			return 0;
	place = array_add(names, n, sizeof(**names));
	if (!place)
		return -ENOMEM;
	*place = strdup(name);
	*n -= !*place;
	return *place ? 0 : -ENOMEM;
}

static const char *release_of(const struct reader *r, const char *kernel)
{
	for (size_t i = 0; i < r->nnotes; i++)
		if (r->notes[i].run && !strcmp(r->notes[i].kernel, kernel))
			return r->notes[i].run->kernel;
	return strchr(kernel, ':') ? strchr(kernel, ':') + 1 : kernel;
}

/* Where the name is in a list that ends with NULL. */
static size_t place_in(const char *const *names, const char *name)
{
	size_t i = 0;

	while (names[i] && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* Digits count as numbers, and a candidate of a release comes before it. */
static int by_release(const void *pa, const void *pb, void *reader)
{
	const char *a = *(char *const *)pa, *b = *(char *const *)pb;
	const struct reader *r = reader;
	const char *of_a = release_of(r, a), *of_b = release_of(r, b);
	size_t digits = strspn(of_a, "0123456789.");
	bool same = digits == strspn(of_b, "0123456789.") && !strncmp(of_a, of_b, digits);
	int candidates = !strncmp(of_b + digits, "-rc", 3) - !strncmp(of_a + digits, "-rc", 3);
	int releases = same && candidates ? candidates : strverscmp(of_a, of_b);

	return releases ?: ORDER(place_in(r->order, a), place_in(r->order, b)) ?: strcmp(a, b);
}

static int by_driver(const void *a, const void *b)
{
	const char *x = *(char *const *)a, *y = *(char *const *)b;

	return ORDER(place_in(matrix_drivers, x), place_in(matrix_drivers, y)) ?: strcmp(x, y);
}

static int matrix_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int collect_names(struct reader *r)
{
	struct matrix *m = r->m;
	const json_t *cells;
	char path[5000];
	size_t n;
	FILE *in;
	int err = 0;

	/* The folder's matrix.json has the order in which kernels of one release stay. */
	snprintf(path, sizeof(path), "%s/" MATRIX_JSON, r->folder);
	if (!foreign_file_open(&in, AT_FDCWD, path, true, FOREIGN_MAX_BYTES, NULL)) {
		r->before = json_loadf(in, 0, NULL);
		fclose(in);
	}
	cells = json_object_get(r->before, "cells");
	n = json_array_size(cells);
	r->order = calloc(n + r->asked->nkernels + 1, sizeof(*r->order));
	if (!r->order)
		return -ENOMEM;
	for (size_t i = 0; i < r->asked->nkernels; i++)
		r->order[r->norder++] = r->asked->kernels[i];
	for (size_t i = 0; i < n; i++) {
		const char *kernel = json_string_value(json_object_get(json_array_get(cells, i), "kernel"));

		if (kernel)
			r->order[r->norder++] = kernel;
	}
	for (size_t i = 0; i < r->nnotes && !err; i++) {
		const struct exact *run = r->notes[i].run;

		err = add_name(&m->kernels, &m->nkernels, r->notes[i].kernel);
		if (!err)
			err = add_name(&m->drivers, &m->ndrivers, r->notes[i].driver);
		for (size_t k = 0; run && k < run->nvariants && !err; k++)
			err = add_name(&m->variants, &m->nvariants, run->variants[k].id);
		for (size_t k = 0; run && k < run->nleft_out && !err; k++)
			err = add_name(&m->variants, &m->nvariants, run->left_out[k].id);
	}
	for (size_t i = 0; i < r->asked->nkernels && !err; i++)
		err = add_name(&m->kernels, &m->nkernels, r->asked->kernels[i]);
	for (size_t i = 0; i < r->asked->ndrivers && !err; i++)
		err = add_name(&m->drivers, &m->ndrivers, r->asked->drivers[i]);
	for (size_t i = 0; i < r->asked->nvariants && !err; i++)
		err = add_name(&m->variants, &m->nvariants, r->asked->variants[i]);
	if (err)
		return err;
	if (m->nkernels)
		qsort_r(m->kernels, m->nkernels, sizeof(*m->kernels), by_release, r);
	if (m->ndrivers)
		qsort(m->drivers, m->ndrivers, sizeof(*m->drivers), by_driver);
	if (m->nvariants)
		qsort(m->variants, m->nvariants, sizeof(*m->variants), matrix_by_text);
	return 0;
}

/* "6.18.15" of "6.18.15+deb13-amd64"; how: 0, as short as that; 1, with "+deb13"; 2, the kernel's word. */
static void shorten(const char *release, const char *word, int how, char *name, size_t size)
{
	char *end;

	snprintf(name, size, "%s", how == 2 ? word : release);
	end = how == 2 ? NULL : strstr(name, "-amd64");
	if (end && !end[6])
		*end = '\0';
	end = how ? NULL : strstr(name, "+deb");
	if (end)
		*end = '\0';
}

static int name_kernels(struct reader *r)
{
	struct matrix *m = r->m;
	char name[NAME], other[NAME];

	m->names = calloc(m->nkernels + 1, sizeof(*m->names));
	for (size_t k = 0; m->names && k < m->nkernels; k++) {
		bool alone = false;

		for (int how = 0; how < 3 && !alone; how++) {
			shorten(release_of(r, m->kernels[k]), m->kernels[k], how, name, sizeof(name));
			alone = true;
			for (size_t i = 0; i < m->nkernels && alone; i++) {
				shorten(release_of(r, m->kernels[i]), m->kernels[i], how, other, sizeof(other));
				alone = i == k || strcmp(name, other) != 0;
			}
		}
		m->names[k] = strdup(name);
		if (!m->names[k])
			return -ENOMEM;
	}
	return m->names ? 0 : -ENOMEM;
}

/* ---- cells ------------------------------------------------------------------------------------------- */

/* The later one of two runs is taken. What failed is the reason where no run tells of the variant. */
static void fill(const struct reader *r, struct matrix_cell *c)
{
	snprintf(c->why, sizeof(c->why), MATRIX_NOT_YET);
	for (size_t i = 0; i < r->nnotes; i++) {
		const struct note *n = &r->notes[i];

		if (strcmp(n->kernel, c->kernel) || strcmp(n->driver, c->driver) || !n->run ||
		    (c->run && strcmp(n->run->time, c->run->time) < 0))
			continue;
		const struct exact_variant *counted = exact_find(n->run, c->variant, NULL);
		char kernel[NAME];
		for (size_t k = 0; k < n->run->nleft_out && !c->run; k++)
			if (!strcmp(n->run->left_out[k].id, c->variant))
				snprintf(c->why, sizeof(c->why), "%s", n->run->left_out[k].why);
		if (!counted && (c->run || !matrix_was_tried(c)))
			continue;
		if (counted) {
			c->run = n->run;
			c->counted = counted;
			c->instructions = counted->total.instructions[EXACT_PACKET];
			c->why[0] = '\0';
		}
		matrix_path(kernel, sizeof(kernel), n->kernel);
		snprintf(c->dir, sizeof(c->dir), "%s/%s/%s", kernel, n->driver, n->name);
	}
	for (size_t i = 0; i < r->nnotes && !c->run && !matrix_was_tried(c); i++)
		if (!strcmp(r->notes[i].kernel, c->kernel) && !strcmp(r->notes[i].driver, c->driver))
			snprintf(c->why, sizeof(c->why), "%s", r->notes[i].why[0] ? r->notes[i].why : MATRIX_NOT_YET);
}

static int fill_cells(struct reader *r)
{
	struct matrix *m = r->m;

	m->cells = calloc(m->nkernels * m->ndrivers * m->nvariants + 1, sizeof(*m->cells));
	if (!m->cells)
		return -ENOMEM;
	for (size_t k = 0; k < m->nkernels; k++)
		for (size_t n = 0; n < m->ndrivers; n++)
			for (size_t v = 0; v < m->nvariants; v++) {
				struct matrix_cell *c = matrix_at(m, k, n, v);

				*c = (struct matrix_cell){.kernel = m->kernels[k],
							  .driver = m->drivers[n],
							  .variant = m->variants[v],
							  .instructions = NAN,
							  .change = NAN};
				fill(r, c);
			}
	return 0;
}

int matrix_read(struct matrix *m, const char *folder, const struct matrix_names *asked, struct components *f,
		struct diag *d)
{
	struct reader r = {.m = m, .folder = folder, .asked = asked, .f = f, .d = d};
	int err;

	*m = (struct matrix){};
	err = scan(&r, NULL, NULL);
	if (!err)
		err = collect_names(&r) ?: name_kernels(&r) ?: fill_cells(&r) ?: symkeys_read(&m->keys, NULL, d);
	if (!err)
		err = matrix_compare(m);
	json_decref(r.before);
	free(r.notes);
	free(r.order);
	return err == -ENOMEM ? diag_set(d, err, "no memory") : err;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; names && i < n; i++)
		free(names[i]);
	free(names);
}

bool matrix_was_tried(const struct matrix_cell *c)
{
	return strcmp(c->why, MATRIX_NOT_YET) != 0;
}

void matrix_release(struct matrix *m)
{
	for (size_t i = 0; i < m->nchanges; i++)
		exact_diff_release(&m->changes[i].diff);
	free(m->changes);
	for (size_t i = 0; i < m->nruns; i++) {
		exact_release(m->runs[i]);
		free(m->runs[i]);
	}
	free(m->runs);
	free(m->cells);
	symkeys_free(m->keys);
	free_names(m->names, m->nkernels);
	free_names(m->kernels, m->nkernels);
	free_names(m->drivers, m->ndrivers);
	free_names(m->variants, m->nvariants);
	*m = (struct matrix){};
}
