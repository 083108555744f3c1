// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include "user/machine/machine.h"

static char words[256], first_warning[256];

static int keep_words(enum libbpf_print_level level, const char *fmt, va_list args)
{
	static const char mark[] = "Kernel error message: ", library[] = "libbpf: ";
	char line[400];
	const char *text;

	if (level != LIBBPF_WARN)
		return 0;
	vsnprintf(line, sizeof(line), fmt, args);
	for (char *c = line; *c; c++) /* names in a hostile object are anything */
		if (*c != '\n' && (*c < ' ' || *c > '~'))
			*c = '?';
	if (!first_warning[0] && !strncmp(line, library, strlen(library)))
		snprintf(first_warning, sizeof(first_warning), "%.*s", (int)strcspn(line + strlen(library), "\n"),
			 line + strlen(library));
	text = strstr(line, mark);
	if (text)
		snprintf(words, sizeof(words), "%.255s", text + strlen(mark));
	words[strcspn(words, "\n")] = 0;
	return 0;
}

void kernel_words_listen(void)
{
	libbpf_set_print(keep_words);
}

void kernel_words_clear(void)
{
	words[0] = first_warning[0] = 0;
}

const char *kernel_words_first_warning(void)
{
	return first_warning;
}

const char *kernel_words(void)
{
	return words;
}

const char *kernel_words_sep(void)
{
	return words[0] ? ": " : "";
}

int kernel_load(struct bpf_object_skeleton *s, struct bpf_program *const wanted[], const char *what, struct diag *d)
{
	struct bpf_program *p;
	int err;

	kernel_words_clear();
	bpf_object__for_each_program(p, *s->obj)
	{
		size_t i = 0;

		while (wanted[i] && wanted[i] != p)
			i++;
		bpf_program__set_autoload(p, wanted[i]);
	}
	err = bpf_object__load_skeleton(s);
	return err ? diag_set(d, -EOPNOTSUPP, "cannot load %s: %s%s%s", what, strerror(-err), kernel_words_sep(), words)
		   : 0;
}

int kernel_attach_xdp(int *link_fd, const struct bpf_program *p, const struct netdev *nd, unsigned int flags,
		      struct diag *d)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = flags);

	kernel_words_clear();
	*link_fd = bpf_link_create(bpf_program__fd(p), nd->ifindex, BPF_XDP, &opts);
	return *link_fd < 0 ? diag_set(d, *link_fd, "%s takes no XDP program: %s%s%s", nd->name, strerror(-*link_fd),
				       kernel_words_sep(), words)
			    : 0;
}
