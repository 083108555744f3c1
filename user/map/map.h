/*
 * map - the packet paths of this machine: network namespaces, devices, what carries packets between them, and
 * programs on the way
 *
 * law:   nothing is attached, changed or sent. What cannot be seen stands under "unknown", a sentence each. The
 *        same machine gives the same bytes; arrays are sorted
 */
#ifndef USER_MAP_H
#define USER_MAP_H

#include <netlink/netlink.h>
#include "base/base.h"
#include "base/sheet/sheet.h"

#define MAP_SCHEMA "xdpzoom.map/1"

int map_read(json_t **map, struct diag *d);
/* A file that json_dumpf() wrote of such a map; -EINVAL: it is none. */
int map_load(json_t **map, const char *path, struct diag *d);

/* A tree by namespace; devices stand below what they are a part of. */
void map_text(const struct text *t, const json_t *map);
/*
 * Leaves what stands on a packet's way through a device, "DEV" or "NAMESPACE/DEV": the device, its programs, what these
 * and it lead to, and hooks there. -ENODEV: there is none; -ENOTUNIQ: several are called so
 */
int map_keep_way(json_t *map, const char *device);

/*
 * What the readers of a map share while it grows. Those of one namespace run inside of it. A failure of memory is kept
 * in json.failed; everything else that fails is one sentence of map_unseen()
 */

struct map_space {
	unsigned int inum;
	int fd;
	int pid; /* a process in it; 0: not known */
	bool here;
	size_t first, end; /* its devices; end is behind the last one */
	char name[256];    /* of its mount; "": none has been seen */
	char label[288];
};

struct map_device {
	size_t space;
	int ifindex, link, link_nsid, master; /* link_nsid -1: the same namespace; others 0: none */
	char name[16], shown[32], kind[32];   /* shown: in UTF-8, and of no other device here */
	json_t *json;                         /* borrowed from the array */
};

/* A program, and the namespace of its device: numbers of devices in its maps are most likely those of there. */
struct map_program {
	uint32_t id;
	size_t space;
};

struct map {
	struct json_out json;
	struct map_space *spaces;
	struct map_device *devices;
	struct map_program *reached;
	size_t nspaces, ndevices, nreached;
	json_t *root, *attachments, *edges, *sockets, *hooks, *programs, *unknown;
	size_t space; /* that this process is in now */
};

#define MAP_ID 320 /* bytes of the id of a device or a socket */

void map_unseen(struct map *m, const char *fmt, ...) __attribute__((format(printf, 2, 3))); /* once each */
const char *map_device_id(const struct map *m, const struct map_device *v, char *id, size_t size);
/* NULL: there is none. */
struct map_device *map_find(const struct map *m, size_t space, int ifindex);
/* From and to are ids. Returns the new edge, borrowed, for more members. */
json_t *map_edge(struct map *m, const char *kind, const char *from, const char *to);
void map_reach(struct map *m, uint32_t program, size_t space); /* map_read_programs() looks at it */

/* "docker:3f2a1c9b0d12", "unit:nginx.service" or "": the container or systemd unit of a process. */
const char *map_owner(int pid, char *words, size_t size);
/* Opens the namespaces that a mount or a process leads to, sorted by label. */
int map_spaces_open(struct map *m, struct diag *d);
void map_read_programs(struct map *m); /* once all attachments are there: their maps, and what these lead to */

#endif
