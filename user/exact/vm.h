/*
 * vm - the harness of virtual machines (vm/), used by `xdpzoom exact`: finds it, fetches a kernel, runs a command in a
 *      machine
 *
 * in:    the harness and the counting plugin, beside this program in a checkout or where `make install` puts them;
 *        qemu-system-x86_64 in PATH
 * out:   lines of progress, passed on; with verbose all other lines too, but for the last one of a machine that
 *        failed; the release of the guest's kernel
 * law:   what is started ends with this process, however it ends; a machine that makes no progress is ended; a line
 *        of the guest names no kernel and controls no terminal
 * error: -EOPNOTSUPP no QEMU, no harness or no kernel here; -EIO the machine failed (its last words are in the
 *        sentence); -EINTR stopped by a signal
 */
#ifndef USER_EXACT_VM_H
#define USER_EXACT_VM_H

#include <limits.h>
#include <stddef.h>
#include "base/diag.h"
#include "reports/run/made.h"
#include "user/exact/steps.h"
#include "user/exact/wire.h"

struct vm {
	char program[PATH_MAX];                        /* this one */
	char room[2 * PATH_MAX], plugin[2 * PATH_MAX]; /* the folder of vm/run; the counting plugin */
	char word[64];                                 /* the kernel, as vm/run names it */
	char emulator[64];                             /* QEMU's version */
	char compiler[MADE_COMPILER_BYTES];            /* of the guest's kernel; text of the guest, printable */
	char image[PATH_MAX], modules[PATH_MAX];       /* of a tree's kernel; modules "": it has none */
	char options[32768];                           /* of the kernel's configuration, "NAME=VALUE\n" by name */
	char source[128];                              /* what git calls the tree's sources; "": nothing */
	char kernel[128];                              /* the release, once the guest has reported it */
	double patience_s;                             /* what the guest may do in silence, beyond the usual */
	bool verbose;
	bool fetching;    /* vm/fetch or vm/tree speaks, and no guest */
	char words[4096]; /* the last line on stderr that reports no progress */
	struct steps *steps;
	struct wire *wire; /* NULL: the guest's NIC has no wire to the host */
	struct diag *d;
};

int vm_find(struct vm *v);
/* The kernel in a tree of Linux, for vm_fetch(); nic: the driver that it needs. build: what is missing or old. */
int vm_tree(struct vm *v, const char *tree, const char *nic, bool build);
/*
 * Fetches the kernel if the cache lacks it, or makes a kernel of one's own bootable: a file, with the folder of its
 * modules (NULL: none). v->word is then its name for vm/run.
 */
int vm_fetch(struct vm *v, const char *kernel, const char *modules);
/* The options of the kernel that vm_fetch() got, as far as something tells them; image NULL: it is Debian's. */
int vm_options(struct vm *v, const char *image);
/* argv: a program of the harness without its folder, and its arguments; ends with NULL. Returns when it has ended. */
int vm_run(struct vm *v, const char **argv);

#endif
