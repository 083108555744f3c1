// SPDX-License-Identifier: GPL-2.0-or-later
#include <linux/btf.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <zlib.h>
#include "user/machine/machine.h"

/* ---- facts ---- */

#define COPY_MAX_BYTES (16LL << 20) /* of one file */
#define PF_KTHREAD     0x00200000   /* in include/linux/sched.h of the kernel since 2.6.27 */

struct facts facts_here = {.root_fd = AT_FDCWD, .sys_fd = -1};

int facts_open(struct facts *f, const char *root, struct diag *d)
{
	*f = (struct facts){.sys_fd = -1, .copy = root != NULL};
	f->root_fd = open(root ? root : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (f->root_fd < 0)
		return diag_set(d, -errno, "%s: %s", root ? root : "/", strerror(errno));
	/*
	 * Needs a right that not every process has. Without the right, the mounted /sys is as good: such a process
	 * cannot have changed its namespace.
	 */
	if (!root)
		f->sys_fd = netns_sysfs(NULL);
	return 0;
}

void facts_release(struct facts *f)
{
	fd_close(f->root_fd);
	fd_close(f->sys_fd);
	*f = (struct facts){.root_fd = -1, .sys_fd = -1};
}

static int open_path(const struct facts *f, const char *path, int flags)
{
	struct open_how how = {.flags = flags | O_RDONLY | O_CLOEXEC};
	char absolute[PATH_MAX];

	if (f->root_fd == AT_FDCWD) {
		snprintf(absolute, sizeof(absolute), "/%s", path);
		return open(absolute, flags | O_RDONLY | O_CLOEXEC);
	}
	/* Only these files differ between network namespaces; other file systems are mounted below /sys alone. */
	if (f->sys_fd >= 0 && !strncmp(path, "sys/class/net/", 14))
		return openat(f->sys_fd, path + 4, flags | O_RDONLY | O_CLOEXEC);
	/* Links of a copy lead to other files of the copy, not to those of this machine. */
	how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
	return f->copy ? (int)syscall(SYS_openat2, f->root_fd, path, &how, sizeof(how))
		       : openat(f->root_fd, path, flags | O_RDONLY | O_CLOEXEC);
}

FILE *facts_file(const struct facts *f, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	FILE *file;
	int fd, err;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	fd = open_path(f, path, f->copy ? O_NONBLOCK | O_NOCTTY : 0);
	err = fd >= 0 && f->copy ? foreign_file_check(fd, path, COPY_MAX_BYTES, NULL) : 0;
	if (err) {
		errno = -err;
		return NULL;
	}
	file = fd < 0 ? NULL : fdopen(fd, "r");
	if (fd >= 0 && !file)
		close(fd);
	return file;
}

void facts_file_end(FILE **file)
{
	if (*file)
		fclose(*file);
}

DIR *facts_dir(const struct facts *f, const char *fmt, ...)
{
	char path[PATH_MAX];
	va_list args;
	DIR *dir;
	int fd;

	va_start(args, fmt);
	vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	fd = open_path(f, path, O_DIRECTORY);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

void facts_dir_end(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

int facts_take_line(FILE *file, char *line, size_t size)
{
	int err = 0;

	line[0] = 0;
	if (!file)
		return -errno;
	errno = 0;
	if (!fgets(line, size, file))
		err = errno ? -errno : 0; /* an empty file is an empty line */
	line[strcspn(line, "\n")] = 0;
	fclose(file);
	return err;
}

bool facts_have_btf(const struct facts *f)
{
	FILE *file = facts_file(f, "sys/kernel/btf/vmlinux");
	uint16_t magic;
	bool have = file && fread(&magic, sizeof(magic), 1, file) == 1 && magic == BTF_MAGIC;

	if (file)
		fclose(file);
	return have;
}

/* modules.builtin has a line for each, kernel/net/NAME.ko. */
bool facts_module_is_out(const struct facts *f, const char *name)
{
	char release[96], line[256], want[64];
	struct dirent *e;
	bool known = false;

	dir_scan (e, f, "sys/module/%s", name)
		return false;
	if (facts_line(f, release, sizeof(release), "proc/sys/kernel/osrelease") || strchr(release, '/'))
		return false;
	snprintf(want, sizeof(want), "/%s.ko\n", name);
	facts_scan (f, line, "lib/modules/%s/modules.builtin", release) {
		if (strstr(line, want))
			return false;
		known = true;
	}
	return known;
}

int facts_take_number(FILE *file, long long *value)
{
	char line[64], *end;
	int err = facts_take_line(file, line, sizeof(line));

	if (err)
		return err;
	*value = strtoll(line, &end, 10);
	return end == line ? -EINVAL : 0;
}

bool cpulist_has(const char *list, int cpu)
{
	while (*list) {
		char *end;
		long from = strtol(list, &end, 10), to = from;

		if (end == list)
			return false;
		if (*end == '-') {
			const char *start = end + 1;

			to = strtol(start, &end, 10);
			if (end == start)
				return false;
		}
		if (cpu >= from && cpu <= to)
			return true;
		list = *end == ',' ? end + 1 : end;
	}
	return false;
}

/* A line of /proc/stat: "cpu12 4 0 17 ..."; the CPU's number, or -1. */
static int parse_cpu_times(const char *line, struct cpu_times *t)
{
	double tick_ns = 1e9 / sysconf(_SC_CLK_TCK);
	unsigned long long v[8];
	int cpu;

	if (strncmp(line, "cpu", 3) || !isdigit((unsigned char)line[3])) /* the first line is of all CPUs */
		return -1;
	if (sscanf(line, "cpu%d %llu %llu %llu %llu %llu %llu %llu %llu", &cpu, &v[0], &v[1], &v[2], &v[3], &v[4],
		   &v[5], &v[6], &v[7]) != 9)
		return -1;
	*t = (struct cpu_times){(v[0] + v[1]) * tick_ns, v[2] * tick_ns, (v[5] + v[6]) * tick_ns,
				(v[3] + v[4]) * tick_ns, v[7] * tick_ns};
	return cpu;
}

int facts_all_cpu_times(const struct facts *f, struct cpu_times *list, int ncpus)
{
	struct cpu_times t;
	char line[512];
	int err = -ENOENT;

	memset(list, 0, (size_t)ncpus * sizeof(*list));
	facts_scan (f, line, "proc/stat") {
		int cpu = parse_cpu_times(line, &t);

		if (cpu >= 0 && cpu < ncpus)
			list[cpu] = t;
		err = 0;
	}
	return err;
}

double cpu_steal_ns(int cpu)
{
	struct cpu_times t;
	char line[512];

	file_scan (line, "proc/stat")
		if (parse_cpu_times(line, &t) == cpu)
			return t.steal_ns;
	return NAN;
}

static int by_number(const void *a, const void *b)
{
	return ((const struct irq *)a)->number - ((const struct irq *)b)->number;
}

/*
 * The interrupts belong to a PCI function: the device itself or, for a virtio device, its parent. A PCI function
 * without MSI has a single interrupt, in the file "irq". A line of proc/interrupts,
 * " 38:   0   9159   PCI-MSIX-0000:00:03.0   1-edge   virtio2-input.0", has a count for each CPU of the heading.
 */
size_t facts_irqs(const struct facts *f, const char *dev, struct irq *irqs, size_t max)
{
	static const char *const holders[] = {"device", "device/.."};
	char line[8192], *at, *end;
	struct dirent *e;
	long long one;
	size_t n = 0;

	for (int i = 0; i < 2 && !n; i++) {
		dir_scan (e, f, "sys/class/net/%s/%s/msi_irqs", dev, holders[i])
			if (n < max && isdigit((unsigned char)e->d_name[0]))
				irqs[n++] = (struct irq){.number = atoi(e->d_name)};
		if (!n && max && !facts_number(f, &one, "sys/class/net/%s/%s/irq", dev, holders[i]) && one > 0)
			irqs[n++] = (struct irq){.number = (int)one};
	}
	qsort(irqs, n, sizeof(*irqs), by_number);
	for (size_t i = 0; i < n; i++) {
		struct irq *irq = &irqs[i];
		unsigned long long most = 0;
		int cpus[256], ncpus = 0;

		irq->busiest_cpu = -1;
		facts_scan (f, line, "proc/interrupts") {
			for (at = ncpus ? NULL : line; at && ncpus < 256 && (at = strstr(at, "CPU")); at += 3)
				cpus[ncpus++] = atoi(at + 3);
			if (strtol(line, &at, 10) != irq->number || *at != ':' || at == line)
				continue;
			for (int k = 0; k < ncpus; k++, at = end) {
				unsigned long long count = strtoull(at + (*at == ':'), &end, 10);

				if (end == at)
					break;
				irq->busiest_cpu = count > most ? cpus[k] : irq->busiest_cpu;
				most = count > most ? count : most;
				irq->count += count;
			}
			at = strrchr(line, ' ');
			snprintf(irq->name, sizeof(irq->name), "%.*s", (int)strcspn(at ? at + 1 : "", "\n"),
				 at ? at + 1 : "");
			break;
		}
		if (facts_line(f, irq->cpus, sizeof(irq->cpus), "proc/irq/%d/effective_affinity_list", irq->number) ||
		    !irq->cpus[0])
			facts_line(f, irq->cpus, sizeof(irq->cpus), "proc/irq/%d/smp_affinity_list", irq->number);
	}
	return n;
}

int facts_next_process(const struct facts *f, DIR *proc, char *comm, size_t size)
{
	struct dirent *e;

	while ((e = readdir(proc)))
		if (isdigit((unsigned char)e->d_name[0]) && !facts_line(f, comm, size, "proc/%.20s/comm", e->d_name))
			return atoi(e->d_name);
	return 0;
}

int facts_process_stat(const struct facts *f, int pid, struct process_stat *s)
{
	FILE *file = facts_file(f, "proc/%d/stat", pid);
	char line[1024], *after;
	unsigned int flags;

	if (!file)
		return -ENOENT;
	line[fread(line, 1, sizeof(line) - 1, file)] = '\0';
	fclose(file);
	s->cpu = -1;
	after = strrchr(line, ')'); /* the command, in brackets, may contain blanks, brackets and ends of lines */
	/* proc(5): state is field 3, ppid 4, flags 9, starttime 22, processor 39 */
	if (!after || sscanf(after + 1,
			     " %c %d %*d %*d %*d %*d %u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu"
			     " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d",
			     &s->state, &s->parent, &flags, &s->start, &s->cpu) < 4)
		return -EINVAL;
	s->kthread = flags & PF_KTHREAD;
	return 0;
}

bool facts_is_kthread(const struct facts *f, int tid)
{
	struct process_stat s;

	return !facts_process_stat(f, tid, &s) && s.kthread;
}

/* ---- kconfig ---- */

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

json_t *kconfig_read(struct json_out *w, const struct facts *f)
{
	FILE *in = facts_file(f, "proc/config.gz");
	char line[512], release[128];
	json_t *o = NULL;
	gzFile z;
	int fd;

	if (!in && !facts_line(f, release, sizeof(release), "proc/sys/kernel/osrelease") && !strchr(release, '/'))
		in = facts_file(f, "boot/config-%s", release);
	if (!in)
		return NULL;
	fd = dup(fileno(in));
	fclose(in);
	z = fd >= 0 ? gzdopen(fd, "rb") : NULL; /* reads text that is not compressed, too */
	if (!z) {
		fd_close(fd);
		return NULL;
	}
	o = json_object();
	while (o && gzgets(z, line, sizeof(line))) {
		/* "CONFIG_NAME=y" or "# CONFIG_NAME is not set" */
		static const char head[] = "CONFIG_";
		bool off = line[0] == '#';
		char *name = line + (off ? 2 : 0), *value;
		size_t len;

		line[strcspn(line, "\r\n")] = '\0';
		if ((off && line[1] != ' ') || strncmp(name, head, sizeof(head) - 1))
			continue;
		name += sizeof(head) - 1;
		len = strcspn(name, off ? " " : "=");
		value = name + len + !!name[len];
		for (size_t i = 0; i < NOPTIONS; i++)
			if (strlen(options[i].name) == len && !memcmp(options[i].name, name, len))
				json_out_text(w, o, options[i].name, off ? "n" : value);
	}
	gzclose(z);
	if (json_object_size(o))
		return o;
	json_decref(o);
	return NULL;
}

size_t kconfig_costly(const struct facts *f, const json_t *config, char *list, size_t size)
{
	char line[4096] = "", *words[sizeof(line) / 2], *rest;
	size_t n = 0, nwords = 0;

	list[0] = '\0';
	facts_line(f, line, sizeof(line), "proc/cmdline");
	for (char *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
		words[nwords++] = word;
	for (size_t i = 0; i < NOPTIONS; i++) {
		const char *value = json_string_value(json_object_get(config, options[i].name));
		const char *off = options[i].off ?: "", *off_too = options[i].off_too ?: "";
		bool costly = options[i].costly && value && !strcmp(value, "y");

		for (size_t k = 0; k < nwords; k++)
			costly &= strcmp(words[k], off) && strcmp(words[k], off_too);
		if (costly)
			listed_add(list, size, ", ", "%s", options[i].name);
		n += costly;
	}
	for (size_t k = 0; k < nwords; k++) {
		const char *word = words[k];
		/* Alone, or with what it shall check; "-" switches it off. */
		bool costly = (!strncmp(word, "slub_debug", 10) || !strncmp(word, "slab_debug", 10)) &&
			      (!word[10] || (word[10] == '=' && word[11] != '-'));

		for (size_t i = 0; i < sizeof(costly_parameters) / sizeof(*costly_parameters); i++)
			costly |= !strcmp(word, costly_parameters[i]);
		if (costly)
			listed_add(list, size, ", ", "%s", word);
		n += costly;
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
