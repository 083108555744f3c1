// SPDX-License-Identifier: GPL-2.0-or-later
#include "vm/plugin/device.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE 64

static int fd = -1; /* of the RAM; QEMU's own */
static const uint8_t *ram;
static uint8_t *copy; /* of what is a hole in the memfd there are zeros */
static uint64_t size;

/* QEMU's descriptor of the RAM, by the name that QEMU gives the memfd. */
static int find_memfd(void)
{
	static const char wanted[] = "/memfd:memory-backend-memfd";
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *e;
	int found = -1;

	while (dir && found < 0 && (e = readdir(dir))) {
		char name[64] = "";

		if (readlinkat(dirfd(dir), e->d_name, name, sizeof(name) - 1) > 0 &&
		    !strncmp(name, wanted, sizeof(wanted) - 1))
			found = atoi(e->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static bool open_ram(void)
{
	struct stat st;
	void *seen, *own;

	fd = find_memfd();
	if (fd < 0 || fstat(fd, &st))
		return false;
	seen = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	own = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
		   0);
	if (seen == MAP_FAILED || own == MAP_FAILED)
		return false;
	ram = seen;
	copy = own;
	size = (uint64_t)st.st_size;
	return true;
}

/* Only what the memfd holds is read: reading a hole would fill it. */
bool device_begin(void)
{
	off_t start = 0, end;

	if (!ram && !open_ram())
		return false;
	while ((start = lseek(fd, start, SEEK_DATA)) >= 0 && (end = lseek(fd, start, SEEK_HOLE)) > start) {
		memcpy(copy + start, ram + start, (size_t)(end - start));
		start = end;
	}
	return true;
}

/* Did a device write the line at this place, but for the bytes from first to last? The copy follows. */
static bool changed(uint64_t line, uint64_t first, uint64_t last)
{
	uint8_t now[LINE], *before = copy + line;
	uint64_t head = first > line ? first - line : 0, tail = last > line ? last - line : 0;
	bool other;

	tail = tail < LINE ? tail : LINE;
	memcpy(now, ram + line, LINE); /* a device may write meanwhile */
	other = memcmp(now, before, head) || memcmp(now + tail, before + tail, LINE - tail);
	memcpy(before, now, LINE);
	return other;
}

unsigned int device_lines(qemu_plugin_meminfo_t info, uint64_t address)
{
	const struct qemu_plugin_hwaddr *where = qemu_plugin_get_hwaddr(info, address);
	uint64_t start, end, last;
	unsigned int n = 0;

	if (!where || qemu_plugin_hwaddr_is_io(where))
		return 0;
	start = qemu_plugin_hwaddr_phys_addr(where);
	end = start + (1ULL << qemu_plugin_mem_size_shift(info));
	if (end > size)
		return 0;
	last = qemu_plugin_mem_is_store(info) ? end : start; /* of what the access itself changes */
	for (uint64_t line = start / LINE * LINE; line < end; line += LINE)
		n += changed(line, start, last);
	return n;
}
