// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/lines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include "base/array.h"

struct line {
	uint64_t address;
	char words[500]; /* a line that is longer is cut */
};

struct list {
	struct line *lines;
	size_t n, cap;
};

/* NULL: the program has no such line information. Else both arrays have n entries, in one block of memory. */
static struct bpf_line_info *read_info(int fd, struct bpf_prog_info *info, uint64_t **addresses)
{
	__u32 len = sizeof(*info), n;
	struct bpf_line_info *lines;

	memset(info, 0, sizeof(*info));
	if (bpf_obj_get_info_by_fd(fd, info, &len) || info->type != BPF_PROG_TYPE_XDP || !info->btf_id ||
	    !info->nr_line_info || info->nr_line_info != info->nr_jited_line_info)
		return NULL;
	n = info->nr_line_info;
	lines = calloc(n, sizeof(*lines) + sizeof(**addresses));
	if (!lines)
		return NULL;
	*addresses = (uint64_t *)(lines + n);
	memset(info, 0, sizeof(*info));
	info->nr_line_info = info->nr_jited_line_info = n;
	info->line_info_rec_size = sizeof(*lines);
	info->jited_line_info_rec_size = sizeof(**addresses);
	info->line_info = (uintptr_t)lines;
	info->jited_line_info = (uintptr_t)*addresses;
	len = sizeof(*info);
	if (!bpf_obj_get_info_by_fd(fd, info, &len) && info->nr_jited_line_info == n)
		return lines;
	free(lines);
	return NULL;
}

static int add_line(struct list *all, const struct btf *btf, const struct bpf_line_info *info, uint64_t address)
{
	const char *file = btf__name_by_offset(btf, info->file_name_off);
	const char *text = btf__name_by_offset(btf, info->line_off);
	struct line *l;

	if (!array_grow(&all->lines, &all->cap, all->n, 1, sizeof(*all->lines)))
		return -ENOMEM;
	l = &all->lines[all->n++];
	l->address = address;
	text = text ? text + strspn(text, " \t") : "";
	snprintf(l->words, sizeof(l->words), "%u %s\t%s", BPF_LINE_INFO_LINE_NUM(info->line_col),
		 file && *file ? file : "-", text);
	for (char *c = strchr(l->words, '\t') + 1; *c; c++)
		if (iscntrl((unsigned char)*c))
			*c = ' ';
	return 0;
}

static int add_program(struct list *all, int fd)
{
	struct bpf_prog_info info;
	uint64_t *addresses = NULL;
	struct bpf_line_info *lines = read_info(fd, &info, &addresses);
	struct btf *btf = lines ? btf__load_from_kernel_by_id(info.btf_id) : NULL;
	int err = 0;

	for (__u32 i = 0; btf && i < info.nr_line_info && !err; i++)
		if (addresses[i])
			err = add_line(all, btf, &lines[i], addresses[i]);
	btf__free(btf);
	free(lines);
	return err;
}

/* All of them, as a program may call others through an array of programs. */
static int add_programs(struct list *all)
{
	__u32 id = 0;
	int err = 0, fd;

	while (!err && !bpf_prog_get_next_id(id, &id)) {
		fd = bpf_prog_get_fd_by_id(id);
		if (fd < 0)
			continue;
		err = add_program(all, fd);
		close(fd);
	}
	return err;
}

static int by_address(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return (x->address > y->address) - (x->address < y->address);
}

int lines_write(const char *dir, bool wanted, struct diag *d)
{
	struct list all = {};
	char path[4200];
	int err = wanted ? add_programs(&all) : 0;
	FILE *to;

	if (err) {
		free(all.lines);
		return diag_set(d, err, "no memory");
	}
	if (all.n)
		qsort(all.lines, all.n, sizeof(*all.lines), by_address);
	snprintf(path, sizeof(path), "%s/lines", dir);
	to = fopen(path, "w");
	for (size_t i = 0; to && i < all.n; i++)
		fprintf(to, "%" PRIx64 " %s\n", all.lines[i].address, all.lines[i].words);
	free(all.lines);
	if (!to || fflush(to))
		err = -EIO;
	if (to && fclose(to))
		err = -EIO;
	return err ? diag_set(d, err, "cannot write %s: %s", path, strerror(errno)) : 0;
}
