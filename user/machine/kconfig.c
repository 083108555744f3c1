// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/machine/machine.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static const struct {
	const char *name;
	bool costly;
	const char *off, *off_too; /* boot parameters that switch it off */
} options[] = {
	{"INIT_STACK_ALL_ZERO", true},
	{"INIT_STACK_ALL_PATTERN", true},
	{"INIT_ON_ALLOC_DEFAULT_ON", true, "init_on_alloc=0"},
	{"INIT_ON_FREE_DEFAULT_ON", true, "init_on_free=0"},
	{"DEBUG_PREEMPT", true},
	{"DEBUG_NET", true},
	{"KASAN", true, "kasan=off"},
	{"KCSAN", true},
	{"KMSAN", true},
	{"UBSAN_BOUNDS"},
	{"SLUB_DEBUG_ON", true, "slub_debug=-", "slab_debug=-"},
	{"SLUB_STATS", true},
	{"PROVE_LOCKING", true},
	{"DEBUG_LOCK_ALLOC", true},
	{"DEBUG_SPINLOCK", true},
	{"DEBUG_VM", true},
	{"DEBUG_LIST", true},
	{"DEBUG_ATOMIC_SLEEP", true},
	{"LOCK_STAT", true},
	{"DEBUG_PAGEALLOC"},
	{"DEBUG_PAGEALLOC_ENABLE_DEFAULT", true, "debug_pagealloc=off"},
	{"PAGE_POISONING"},
	{"KFENCE"},
	{"DEBUG_KMEMLEAK", true, "kmemleak=off"},
	{"DMA_API_DEBUG", true, "dma_debug=off"},
	{"PAGE_POOL_STATS"},
	{"PREEMPT_RT"},
	{"PREEMPT"},
	{"PREEMPT_LAZY"},
	{"PREEMPT_VOLUNTARY"},
	{"PREEMPT_NONE"},
	{"PREEMPT_DYNAMIC"},
	{"HZ"},
	{"RETPOLINE"},
	{"MITIGATION_RETPOLINE"},
	{"MITIGATION_RETHUNK"},
	{"MITIGATION_SRSO"},
	{"STACKPROTECTOR_STRONG"},
	{"CFI_CLANG"},
	{"LIST_HARDENED"},
	{"HARDENED_USERCOPY"},
	{"SLAB_FREELIST_HARDENED"},
	{"RANDOM_KMALLOC_CACHES"},
	{"IOMMU_DEFAULT_DMA_STRICT"},
	{"FUNCTION_TRACER"},
	{"MEMCG"},
};

#define NOPTIONS (sizeof(options) / sizeof(*options))

/* Boot parameters that switch on what costs each packet something. At the end of the line, any value but "-" does. */
static const char *const costly_parameters[] = {
	"init_on_alloc=1", "init_on_alloc=on", "init_on_free=1", "init_on_free=on", "debug_pagealloc=on",
	"page_poison=1",   "page_poison=on",   "page_owner=on",  "kmemleak=on",
};

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
static void kconfig_take_line(struct json_out *w, json_t *o, char *line)
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
			json_out_text(w, o, options[i].name, off ? "n" : value);
}

json_t *kconfig_read(struct json_out *w, const struct facts *f)
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
		kconfig_take_line(w, o, line);
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

static bool is_costly_parameter(const char *word)
{
	for (size_t i = 0; i < sizeof(costly_parameters) / sizeof(*costly_parameters); i++)
		if (!strcmp(word, costly_parameters[i]))
			return true;
	/* Alone, or with what it shall check; "-" switches it off. */
	return (!strncmp(word, "slub_debug", 10) || !strncmp(word, "slab_debug", 10)) &&
	       (!word[10] || (word[10] == '=' && word[11] != '-'));
}

static void kconfig_add_name(char *list, size_t size, const char *name)
{
	snprintf(list + strlen(list), size - strlen(list), "%s%s", *list ? ", " : "", name);
}

static size_t costly_boot(const struct facts *f, char *list, size_t size)
{
	char line[4096], *word, *rest;
	size_t n = 0;

	if (facts_line(f, line, sizeof(line), "proc/cmdline"))
		return 0;
	for (word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
		if (!is_costly_parameter(word))
			continue;
		kconfig_add_name(list, size, word);
		n++;
	}
	return n;
}

size_t kconfig_costly(const struct facts *f, const json_t *config, char *list, size_t size)
{
	size_t n = 0;

	list[0] = '\0';
	for (size_t i = 0; i < NOPTIONS; i++) {
		const char *value = json_string_value(json_object_get(config, options[i].name));

		if (!options[i].costly || !value || strcmp(value, "y") || booted_with(f, options[i].off) ||
		    booted_with(f, options[i].off_too))
			continue;
		kconfig_add_name(list, size, options[i].name);
		n++;
	}
	return n + costly_boot(f, list, size);
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
