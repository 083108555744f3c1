// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "base/array.h"
#include "base/printable.h"

/* What the kernel tells of a program; the arrays are in one block of memory, at lines. */
struct told {
	struct bpf_prog_info info;
	struct bpf_line_info *lines;
	uint64_t *addresses, *functions; /* where each line begins, and each function */
	uint32_t *lengths;               /* of the functions */
};

/* False: the program has no such line information. */
static bool read_info(struct told *t, int fd)
{
	struct bpf_prog_info *info = &t->info;
	__u32 len = sizeof(*info), n, functions;

	memset(t, 0, sizeof(*t));
	if (bpf_obj_get_info_by_fd(fd, info, &len) || info->type != BPF_PROG_TYPE_XDP || !info->btf_id ||
	    !info->nr_line_info || info->nr_line_info != info->nr_jited_line_info ||
	    info->nr_jited_ksyms != info->nr_jited_func_lens)
		return false;
	n = info->nr_line_info;
	functions = info->nr_jited_ksyms;
	t->addresses = calloc(1, n * (sizeof(*t->lines) + sizeof(*t->addresses)) +
					 functions * (sizeof(*t->functions) + sizeof(*t->lengths)));
	if (!t->addresses)
		return false;
	t->functions = t->addresses + n;
	t->lines = (struct bpf_line_info *)(t->functions + functions);
	t->lengths = (uint32_t *)(t->lines + n);
	memset(info, 0, sizeof(*info));
	info->nr_line_info = info->nr_jited_line_info = n;
	info->nr_jited_ksyms = info->nr_jited_func_lens = functions;
	info->line_info_rec_size = sizeof(*t->lines);
	info->jited_line_info_rec_size = sizeof(*t->addresses);
	info->line_info = (uintptr_t)t->lines;
	info->jited_line_info = (uintptr_t)t->addresses;
	info->jited_ksyms = (uintptr_t)t->functions;
	info->jited_func_lens = (uintptr_t)t->lengths;
	len = sizeof(*info);
	if (!bpf_obj_get_info_by_fd(fd, info, &len) && info->nr_jited_line_info == n &&
	    info->nr_jited_ksyms == functions)
		return true;
	free(t->addresses);
	return false;
}

/* Where the function ends that has this address; the address itself: in none. */
static uint64_t end_of(const struct told *t, uint64_t address)
{
	for (__u32 i = 0; i < t->info.nr_jited_ksyms; i++)
		if (address >= t->functions[i] && address < t->functions[i] + t->lengths[i])
			return t->functions[i] + t->lengths[i];
	return address;
}

static int add_line(struct source_lines *all, const struct btf *btf, const struct told *t, __u32 i)
{
	const struct bpf_line_info *info = &t->lines[i];
	const char *file = btf__name_by_offset(btf, info->file_name_off);
	const char *text = btf__name_by_offset(btf, info->line_off);
	struct source_line *l;
	size_t tab;

	if (!array_grow(&all->list, &all->cap, all->n, 1, sizeof(*all->list)))
		return -ENOMEM;
	l = &all->list[all->n++];
	l->address = t->addresses[i];
	l->end = end_of(t, l->address);
	text = text ? text + strspn(text, " \t") : "";
	snprintf(l->words, sizeof(l->words), "%u %.*s", BPF_LINE_INFO_LINE_NUM(info->line_col), 200,
		 file && *file ? file : "-");
	printable_in_place(l->words); /* the tab below is the only one */
	tab = strlen(l->words);
	snprintf(l->words + tab, sizeof(l->words) - tab, "\t%s", text);
	for (char *c = l->words + tab + 1; *c; c++)
		if (*c == '\t')
			*c = ' ';
	printable_in_place(l->words + tab + 1);
	return 0;
}

static int add_program(struct source_lines *all, int fd)
{
	struct told t;
	struct btf *btf;
	int err = 0;

	if (!read_info(&t, fd))
		return 0;
	btf = btf__load_from_kernel_by_id(t.info.btf_id);
	for (__u32 i = 0; btf && i < t.info.nr_line_info && !err; i++)
		if (t.addresses[i])
			err = add_line(all, btf, &t, i);
	btf__free(btf);
	free(t.addresses);
	return err;
}

static int source_lines_by_address(const void *a, const void *b)
{
	const struct source_line *x = a, *y = b;

	return ORDER(x->address, y->address);
}

/* All of them, as a program may call others through an array of programs. */
int source_lines_read(struct source_lines *s, struct diag *d)
{
	__u32 id = 0;
	int err = 0, fd;

	*s = (struct source_lines){};
	while (!err && !bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		err = add_program(s, fd);
		close(fd);
	}
	if (s->n)
		qsort(s->list, s->n, sizeof(*s->list), source_lines_by_address);
	if (!err)
		return 0;
	source_lines_release(s);
	return diag_set(d, err, "no memory");
}

void source_lines_release(struct source_lines *s)
{
	free(s->list);
	*s = (struct source_lines){};
}

const char *source_lines_find(const void *of, uint64_t address)
{
	const struct source_lines *s = of;
	size_t low = 0, high = s->n;

	while (low < high) { /* the first line that begins after the address */
		size_t middle = low + (high - low) / 2;

		if (s->list[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < s->list[low - 1].end ? s->list[low - 1].words : NULL;
}
