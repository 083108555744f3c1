// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/exact/exact.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <elf.h>

/* ---- data structures, by address ------------------------------------------------------------------------------- */

#define PAGE_BYTES   UINT64_C(4096)
#define IMAGE        0xffffffff80000000ULL
#define MODULES      0xffffffffc0000000ULL
#define MODULES_END  0xffffffffff000000ULL
#define MAX_NAMES    1024
#define MAX_CPUS     64
#define AT_ONCE      1024 /* pages: the largest block of the page allocator */
#define BLOCK_ORDER  10
#define PP_SIGNATURE 0xdead000000000040ULL

/* linux/kernel-page-flags.h */
#define FLAG_SLAB  7
#define FLAG_BUDDY 10
#define FLAG_TAIL  16
#define FLAG_NONE  20

void places_init(struct places *p)
{
	*p = (struct places){.kcore = -1, .flags = -1};
}

static void places_symbol(struct places *p, const char *line)
{
	static const char *const names[PLACE_SYMBOLS] = {[DIRECT_MAP] = "page_offset_base",
							 [PAGE_STRUCTS] = "vmemmap_base",
							 [CPU_OFFSETS] = "__per_cpu_offset",
							 [CPU_BYTES] = "pcpu_unit_size"};
	const char *name = line + strlen("0123456789abcdef T ");

	for (int i = 0; i < PLACE_SYMBOLS && strlen(line) > (size_t)(name - line); i++)
		if (!strncmp(name, names[i], strlen(names[i])) && name[strlen(names[i])] == '\n')
			p->symbols[i] = strtoull(line, NULL, 16);
}

/* The offset in bytes of a member, also one of an anonymous struct or union in it; -1: there is none. */
static int64_t offset_of(const struct btf *btf, const struct btf_type *t, const char *member)
{
	const struct btf_member *m = btf_members(t);

	for (unsigned int i = 0; i < btf_vlen(t); i++) {
		const char *name = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *of = btf__type_by_id(btf, m[i].type);
		int64_t below = -1;

		if (!strcmp(name, member))
			return btf_member_bit_offset(t, i) / 8;
		if (!name[0] && of && btf_is_composite(of))
			below = offset_of(btf, of, member);
		if (below >= 0)
			return btf_member_bit_offset(t, i) / 8 + below;
	}
	return -1;
}

/* The last one may lack. */
static bool find_members(struct places *p)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const struct {
		const char *type, *member;
		uint32_t *offset;
		bool needed;
	} wanted[] = {{"slab", "slab_cache", &p->slab_cache, true},
		      {"kmem_cache", "name", &p->cache_name, true},
		      {"page", "pp_magic", &p->pp_magic, true},
		      {"page", "private", &p->order, false}};
	bool all = btf != NULL;

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted) && all; i++) {
		int id = btf__find_by_name_kind(btf, wanted[i].type, BTF_KIND_STRUCT);
		const struct btf_type *t = id > 0 ? btf__type_by_id(btf, (__u32)id) : NULL;
		int64_t offset = t ? offset_of(btf, t, wanted[i].member) : -1;

		p->struct_page = t ? t->size : 0;
		all = offset >= 0 || !wanted[i].needed;
		*wanted[i].offset = offset > 0 ? (uint32_t)offset : 0;
	}
	btf__free(btf);
	return all;
}

/* Reads the kernel's memory; false: it is not there. */
static bool peek(const struct places *p, uint64_t address, void *to, size_t size)
{
	for (size_t i = 0; i < p->nsegments; i++) {
		const struct segment *s = &p->segments[i];

		if (address >= s->start && address - s->start + size <= s->bytes)
			return pread(p->kcore, to, size, (off_t)(s->offset + (address - s->start))) == (ssize_t)size;
	}
	return false;
}

static uint64_t peek_word(const struct places *p, uint64_t address)
{
	uint64_t word = 0;

	return address && peek(p, address, &word, sizeof(word)) ? word : 0;
}

void places_open(struct places *p)
{
	FILE *restrict_file = fopen("/proc/sys/kernel/kptr_restrict", "w");
	Elf64_Ehdr head;
	Elf64_Phdr h;
	uint64_t end = 0;

	if (restrict_file) { /* 0 hides addresses behind hashes, 1 shows them to root */
		fputs("1", restrict_file);
		fclose(restrict_file);
	}
	p->kcore = open("/proc/kcore", O_RDONLY | O_CLOEXEC);
	p->flags = open("/proc/kpageflags", O_RDONLY | O_CLOEXEC);
	p->names = calloc(MAX_NAMES, sizeof(*p->names));
	p->caches = calloc(MAX_NAMES, sizeof(*p->caches));
	if (p->kcore < 0 || p->flags < 0 || !p->names || !p->caches)
		return;
	if (pread(p->kcore, &head, sizeof(head), 0) != sizeof(head))
		head.e_phnum = 0;
	for (unsigned int i = 0; i < head.e_phnum && p->nsegments < sizeof(p->segments) / sizeof(*p->segments); i++)
		if (pread(p->kcore, &h, sizeof(h), (off_t)(head.e_phoff + i * sizeof(h))) == sizeof(h) &&
		    h.p_type == PT_LOAD)
			p->segments[p->nsegments++] = (struct segment){h.p_vaddr, h.p_memsz, h.p_offset};
	p->symbols[DIRECT_MAP] = peek_word(p, p->symbols[DIRECT_MAP]);
	p->symbols[PAGE_STRUCTS] = peek_word(p, p->symbols[PAGE_STRUCTS]);
	if (!p->symbols[DIRECT_MAP] || !p->symbols[PAGE_STRUCTS] || !find_members(p))
		return;
	for (size_t i = 0; i < p->nsegments; i++) /* of the direct map alone is the size of RAM known */
		if (p->segments[i].start >= p->symbols[DIRECT_MAP] && p->segments[i].start < p->symbols[PAGE_STRUCTS] &&
		    p->segments[i].bytes < 1ULL << 40 && p->segments[i].start + p->segments[i].bytes > end)
			end = p->segments[i].start + p->segments[i].bytes;
	p->npages = end ? (size_t)((end - p->symbols[DIRECT_MAP]) / PAGE_BYTES) : 0;
	p->of_page = calloc(p->npages + 1, sizeof(*p->of_page));
	if (!p->of_page)
		p->npages = 0;
}

/* Index + 1; 0: there are too many names. */
static uint16_t places_name_of(struct places *p, const char *name, uint64_t cache)
{
	for (size_t i = 0; i < p->nnames; i++)
		if (p->caches[i] == cache && !strcmp(p->names[i], name))
			return (uint16_t)(i + 1);
	if (p->nnames == MAX_NAMES)
		return 0;
	p->caches[p->nnames] = cache;
	snprintf(p->names[p->nnames], sizeof(*p->names), "%s", name);
	return (uint16_t)++p->nnames;
}

static uint16_t name_of_cache(struct places *p, uint64_t cache)
{
	char name[48] = "", line[64];

	for (size_t i = 0; i < p->nnames; i++)
		if (p->caches[i] == cache)
			return (uint16_t)(i + 1);
	/* The name may end just before memory that is not there. */
	for (size_t n = 0; n < sizeof(name) - 1; n++)
		if (!peek(p, peek_word(p, cache + p->cache_name) + n, name + n, 1) || !name[n])
			break;
	name[sizeof(name) - 1] = '\0';
	snprintf(line, sizeof(line), "slab %s", name);
	return name[0] ? places_name_of(p, line, cache) : 0;
}

/* Most memory is free in whole blocks. The flags of their pages, which take the kernel long, are not asked for. */
static bool is_free_block(const struct places *p, size_t first)
{
	uint64_t flags = 0;

	return p->order && first + AT_ONCE <= p->npages &&
	       pread(p->flags, &flags, sizeof(flags), (off_t)(first * sizeof(flags))) == sizeof(flags) &&
	       flags >> FLAG_BUDDY & 1 &&
	       peek_word(p, p->symbols[PAGE_STRUCTS] + first * p->struct_page + p->order) >= BLOCK_ORDER;
}

static void name_all_pages(struct places *p)
{
	uint64_t *flags = malloc(AT_ONCE * sizeof(*flags));
	char *structs = malloc(AT_ONCE * (size_t)p->struct_page + 1);

	for (size_t first = 0; first < p->npages && flags && structs; first += AT_ONCE) {
		size_t n = p->npages - first < AT_ONCE ? p->npages - first : AT_ONCE;

		if (is_free_block(p, first))
			for (size_t i = first; i < first + n; i++)
				p->of_page[i] = places_name_of(p, "page", 0);
		else if (pread(p->flags, flags, n * sizeof(*flags), (off_t)(first * sizeof(*flags))) !=
				 (ssize_t)(n * sizeof(*flags)) ||
			 !peek(p, p->symbols[PAGE_STRUCTS] + first * p->struct_page, structs, n * p->struct_page))
			memset(&p->of_page[first], 0, n * sizeof(*p->of_page));
		else {
			/* The names of pages from first on: flags and struct pages of n pages. */
			uint16_t pages = places_name_of(p, "page", 0), pool = places_name_of(p, "page pool", 0);

			for (size_t i = 0; i < n; i++) {
				const char *page = structs + i * p->struct_page;
				uint16_t *to = &p->of_page[first + i];
				uint64_t cache, magic;

				memcpy(&cache, page + p->slab_cache, sizeof(cache));
				memcpy(&magic, page + p->pp_magic, sizeof(magic));
				if (flags[i] >> FLAG_NONE & 1)
					*to = 0;
				else if (flags[i] >> FLAG_TAIL & 1)
					*to = first + i ? to[-1] : 0;
				else if (flags[i] >> FLAG_SLAB & 1)
					*to = name_of_cache(p, cache);
				else
					*to = (magic & ~3ULL) == PP_SIGNATURE ? pool : pages;
			}
		}
	}
	free(flags);
	free(structs);
}

int places_write(struct places *p, const char *path, struct diag *d)
{
	FILE *out = fopen(path, "w");
	uint64_t structs = p->symbols[PAGE_STRUCTS];

	if (!out)
		return diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno));
	if (p->npages) { /* the order of the address space: direct map, vmalloc, struct pages, the kernel itself */
		name_all_pages(p);
		/* Memory of each CPU that was made at boot; what came later is in /proc/vmallocinfo. */
		uint64_t bytes = peek_word(p, p->symbols[CPU_BYTES]) & UINT32_MAX;
		long cpus = sysconf(_SC_NPROCESSORS_CONF);
		for (long cpu = 0; cpu < cpus && cpu < MAX_CPUS && p->symbols[CPU_OFFSETS]; cpu++) {
			uint64_t start =
				peek_word(p, p->symbols[CPU_OFFSETS] + 8 * (uint64_t)cpu) - p->symbols[DIRECT_MAP];

			for (uint64_t at = start; at < start + bytes && at / PAGE_BYTES < p->npages; at += PAGE_BYTES)
				p->of_page[at / PAGE_BYTES] = places_name_of(p, "per-CPU", 0);
		}
		for (size_t first = 0, end; first < p->npages; first = end) {
			for (end = first + 1; end < p->npages && p->of_page[end] == p->of_page[first]; end++)
				;
			if (p->of_page[first])
				fprintf(out, "%" PRIx64 " %" PRIx64 " %s\n",
					p->symbols[DIRECT_MAP] + first * PAGE_BYTES,
					p->symbols[DIRECT_MAP] + end * PAGE_BYTES, p->names[p->of_page[first] - 1]);
		}
		/* Lines "0xSTART-0xEND SIZE CALLER+OFFSET/LENGTH ...", in rising order. */
		uint64_t start, end, last = 0;
		char line[512], caller[100];
		file_scan (line, "proc/vmallocinfo") {
			bool per_cpu;

			if (sscanf(line, "0x%" SCNx64 "-0x%" SCNx64 " %*u %99[^+ \n]", &start, &end, caller) != 3 ||
			    start < last || start >= IMAGE)
				continue;
			per_cpu = !strncmp(caller, "pcpu_", 5);
			fprintf(out, "%" PRIx64 " %" PRIx64 " %s%s\n", start, end, per_cpu ? "per-CPU" : "vmalloc ",
				per_cpu ? "" : caller);
			last = end;
		}
		fprintf(out, "%" PRIx64 " %" PRIx64 " struct page\n", structs, structs + p->npages * p->struct_page);
	}
	fprintf(out, "%llx %llx kernel data\n%llx %llx module data\n", IMAGE, MODULES, MODULES, MODULES_END);
	return fclose(out) ? diag_set(d, -errno, "cannot write %s: %s", path, strerror(errno)) : 0;
}

void places_release(struct places *p)
{
	free(p->of_page);
	free(p->names);
	free(p->caches);
	fd_close(p->kcore);
	fd_close(p->flags);
	places_init(p);
}

/* ---- functions -------------------------------------------------------------------------------------------------- */

#define WRITE_BYTES 262144 /* bytes: what a write to the host carries */

/* Is this the name in a line of kallsyms, or what the compiler made of a function of this name? */
static bool is_called(const char *line, const char *name)
{
	size_t n = strlen(name);

	return !strncmp(line, name, n) &&
	       (strchr("\t\n", line[n]) || !strncmp(line + n, ".isra.", 6) || !strncmp(line + n, ".constprop.", 11));
}

static int symbols_refuse(const char *path, struct diag *d)
{
	return diag_set(d, -EIO, "cannot copy /proc/kallsyms to %s: %s", path, strerror(errno));
}

static int write_kernel(struct symbols *s, const char *path, uint64_t noted, struct places *places, struct diag *d)
{
	FILE *from = fopen("/proc/kallsyms", "r"), *to;
	bool failed;

	if (!from)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no /proc/kallsyms (CONFIG_KALLSYMS): %s",
				strerror(errno));
	to = fopen(path, "w");
	failed = !to;
	if (!failed) {
		setvbuf(from, NULL, _IOFBF, WRITE_BYTES);
		setvbuf(to, NULL, _IOFBF, WRITE_BYTES);
		s->polls = false;
		/*
		 * Without the functions of the program under test when only one is left out: that program may be gone
		 * while the file is still in use. Else the name of the function at this address is noted: the kernel
		 * cuts names in other places.
		 */
		const size_t at = strlen("0123456789abcdef T "), len = strlen(s->program);
		char line[1024];
		while (fgets(line, sizeof(line), from)) {
			if (!strchr("tTwW", line[17])) {
				if (places)
					places_symbol(places, line);
			} else if (noted || strncmp(line + at, s->program, strlen(s->program)) != 0) {
				fputs(line, to);
				if (s->poll && is_called(line + at, s->poll + 2)) {
					fprintf(to, "%.16s %s\n", line, s->poll);
					s->polls = true;
				}
				if (strcspn(line + at, "\t\n") == len && !strncmp(line + at, s->program, len))
					s->address = strtoull(line, NULL, 16);
				if (noted && strtoull(line, NULL, 16) == noted)
					snprintf(s->program, sizeof(s->program), "%.*s",
						 (int)strcspn(line + at, "\t\n"), line + at);
			}
		}
		failed = ferror(from);
		s->kernel = noted ? 0 : ftell(to);
	}
	fclose(from);
	if (to && fclose(to))
		failed = true;
	if (!failed && s->poll && !s->polls)
		return diag_set(d, -EOPNOTSUPP, "this kernel has no function %s, whose calls are counted", s->poll + 2);
	return failed ? symbols_refuse(path, d) : 0;
}

/*
 * keep: bytes of the file that stay; 0: all, and they have the program's function. type: of the line that names the
 * program (vm/plugin/plugin.h).
 */
static int symbols_append(const struct symbols *s, const char *path, long keep, char type, uint64_t address,
			  struct diag *d)
{
	FILE *to = fopen(path, "r+");
	int err = 0;

	if (!to || (keep && ftruncate(fileno(to), keep)) || fseek(to, 0, SEEK_END) ||
	    (keep && fprintf(to, "%016" PRIx64 " t %s\t[bpf]\n", address, s->program) < 0) ||
	    fprintf(to, "%016" PRIx64 " %c %s\n", address, type, s->program) < 0)
		err = symbols_refuse(path, d);
	if (to && fclose(to) && !err)
		err = symbols_refuse(path, d);
	return err;
}

int symbols_write(struct symbols *s, const char *dir, const struct bench *b, const char *function,
		  struct places *places, struct diag *d)
{
	uint64_t address = 0; /* of the program; 0: the kernel does not show it */
	struct bpf_prog_info info = {.jited_ksyms = (uintptr_t)&address, .nr_jited_ksyms = 1};
	__u32 len = sizeof(info);
	bool ours;
	char path[4200];
	int err = 0;

	snprintf(path, sizeof(path), "%s/symbols", dir);
	if (function) {
		snprintf(s->program, sizeof(s->program), "%s", function);
		s->address = 0;
		err = write_kernel(s, path, UINT64_MAX, places, d);
		if (err)
			return err;
		if (!s->address)
			return diag_set(d, -EOPNOTSUPP, "this kernel has no function %s, by which frames are counted",
					function);
		return symbols_append(s, path, 0, 'y', s->address, d);
	}
	if (bpf_obj_get_info_by_fd(b->prog_fd, &info, &len))
		address = 0;
	ours = b->skel && info.nr_jited_ksyms == 1 && address;
	snprintf(s->program, sizeof(s->program), "bpf_prog_%s_%s", b->tag, b->name);
	if (!ours || !s->kernel)
		err = write_kernel(s, path, ours ? 0 : address ? address : UINT64_MAX, places, d);
	if (!err && address)
		err = symbols_append(s, path, ours ? s->kernel : 0, 'x', address, d);
	return err;
}
