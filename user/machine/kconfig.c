// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/kconfig.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct {
	const char *name;
	bool costly;
	const char *off; /* the boot parameter that switches it off */
} options[] = {
	{"INIT_STACK_ALL_ZERO", true, NULL},
	{"INIT_STACK_ALL_PATTERN", true, NULL},
	{"INIT_ON_ALLOC_DEFAULT_ON", true, "init_on_alloc=0"},
	{"INIT_ON_FREE_DEFAULT_ON", true, "init_on_free=0"},
	{"DEBUG_PREEMPT", true, NULL},
	{"DEBUG_NET", true, NULL},
	{"KASAN", true, "kasan=off"},
	{"KCSAN", true, NULL},
	{"KMSAN", true, NULL},
	{"UBSAN_BOUNDS", false, NULL},
	{"SLUB_DEBUG_ON", true, "slub_debug=-"},
	{"SLUB_STATS", true, NULL},
	{"PROVE_LOCKING", true, NULL},
	{"DEBUG_LOCK_ALLOC", true, NULL},
	{"DEBUG_SPINLOCK", true, NULL},
	{"DEBUG_VM", true, NULL},
	{"DEBUG_LIST", true, NULL},
	{"DEBUG_KMEMLEAK", true, "kmemleak=off"},
	{"DMA_API_DEBUG", true, "dma_debug=off"},
	{"PAGE_POOL_STATS", false, NULL},
	{"PREEMPT_RT", false, NULL},
	{"PREEMPT", false, NULL},
	{"PREEMPT_LAZY", false, NULL},
	{"PREEMPT_VOLUNTARY", false, NULL},
	{"PREEMPT_NONE", false, NULL},
	{"PREEMPT_DYNAMIC", false, NULL},
	{"HZ", false, NULL},
	{"RETPOLINE", false, NULL},
	{"MITIGATION_RETPOLINE", false, NULL},
	{"MITIGATION_RETHUNK", false, NULL},
	{"MITIGATION_SRSO", false, NULL},
	{"STACKPROTECTOR_STRONG", false, NULL},
	{"CFI_CLANG", false, NULL},
	{"LIST_HARDENED", false, NULL},
	{"HARDENED_USERCOPY", false, NULL},
	{"SLAB_FREELIST_HARDENED", false, NULL},
	{"RANDOM_KMALLOC_CACHES", false, NULL},
	{"IOMMU_DEFAULT_DMA_STRICT", false, NULL},
	{"FUNCTION_TRACER", false, NULL},
	{"MEMCG", false, NULL},
};

#define NOPTIONS (sizeof(options) / sizeof(*options))

static FILE *open_config(const struct facts *f)
{
	FILE *in = facts_file(f, "proc/config.gz");
	char release[128], path[192];

	if (in || facts_line(f, release, sizeof(release), "proc/sys/kernel/osrelease") || strchr(release, '/'))
		return in;
	snprintf(path, sizeof(path), "boot/config-%s", release);
	return facts_file(f, path);
}

/* "CONFIG_NAME=y" or "# CONFIG_NAME is not set" */
static void take_line(json_t *o, char *line)
{
	static const char head[] = "CONFIG_";
	bool off = line[0] == '#';
	char *name = line + (off ? 2 : 0), *value;
	size_t len;

	line[strcspn(line, "\r\n")] = '\0';
	if ((off && line[1] != ' ') || strncmp(name, head, sizeof(head) - 1))
		return;
	name += sizeof(head) - 1;
	len = strcspn(name, off ? " " : "=");
	value = name + len + !!name[len];
	for (size_t i = 0; i < NOPTIONS; i++)
		if (strlen(options[i].name) == len && !memcmp(options[i].name, name, len))
			json_object_set_new(o, options[i].name,
					    json_stringn(off ? "n" : value, off ? 1 : strlen(value)));
}

json_t *kconfig_read(const struct facts *f)
{
	FILE *in = open_config(f);
	json_t *o = NULL;
	char line[512];
	gzFile z;
	int fd;

	if (!in)
		return NULL;
	fd = dup(fileno(in));
	fclose(in);
	z = fd >= 0 ? gzdopen(fd, "rb") : NULL; /* reads text that is not compressed, too */
	if (!z) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	o = json_object();
	while (o && gzgets(z, line, sizeof(line)))
		take_line(o, line);
	gzclose(z);
	if (json_object_size(o))
		return o;
	json_decref(o);
	return NULL;
}

static bool booted_with(const struct facts *f, const char *parameter)
{
	char line[4096], *word, *rest;

	if (!parameter || facts_line(f, line, sizeof(line), "proc/cmdline"))
		return false;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		if (!strcmp(word, parameter))
			return true;
	return false;
}

size_t kconfig_costly(const struct facts *f, const json_t *config, char *list, size_t size)
{
	size_t n = 0;

	list[0] = '\0';
	for (size_t i = 0; i < NOPTIONS; i++) {
		const char *value = json_string_value(json_object_get(config, options[i].name));

		if (!options[i].costly || !value || strcmp(value, "y") || booted_with(f, options[i].off))
			continue;
		snprintf(list + strlen(list), size - strlen(list), "%s%s", n++ ? ", " : "", options[i].name);
	}
	return n;
}

int kconfig_preempt_mode(const struct facts *f, char *mode, size_t size)
{
	char line[128], *open;
	int err = facts_line(f, line, sizeof(line), "sys/kernel/debug/sched/preempt");

	if (err)
		return err;
	open = strchr(line, '(');
	if (!open)
		return -EINVAL;
	snprintf(mode, size, "%.*s", (int)strcspn(open + 1, ")"), open + 1);
	return 0;
}
