// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/programs/programs.h"

#include <bpf/bpf.h>
#include "bpf/dispatcher.skel.h"

#define PLACE "prog0"

void dispatcher_init(struct dispatcher *dp)
{
	*dp = (struct dispatcher){.link_fd = -1};
}

int dispatcher_open(struct dispatcher *dp, struct bpf_program *prog, struct diag *d)
{
	int err;

	kernel_words_clear();
	dp->skel = dispatcher_bpf__open();
	err = dp->skel ? dispatcher_bpf__load(dp->skel) : -errno;
	if (!err) {
		/* The program becomes a replacement of the dispatcher's function. */
		err = bpf_program__set_type(prog, BPF_PROG_TYPE_EXT) ?: bpf_program__set_expected_attach_type(prog, 0);
		err = err ? err : bpf_program__set_attach_target(prog, dispatcher_fd(dp), PLACE);
	}
	if (!err)
		return 0;
	dispatcher_close(dp);
	return diag_set(d, err, "cannot load the dispatcher: %s%s", strerror(-err), kernel_words());
}

int dispatcher_link(struct dispatcher *dp, const struct bpf_program *prog, struct diag *d)
{
	/* The program was loaded for its place in the dispatcher, so no target is named again. */
	dp->link_fd = bpf_link_create(bpf_program__fd(prog), 0, 0, NULL);
	if (dp->link_fd >= 0)
		return 0;
	return diag_set(d, dp->link_fd == -EPERM ? -EOPNOTSUPP : dp->link_fd,
			"this kernel does not let the dispatcher run %s: %s", bpf_program__name(prog),
			strerror(-dp->link_fd));
}

/* A kernel in lockdown loads XDP programs, but none that replaces a function. */
bool dispatcher_refused(const struct dispatcher *dp, int err, struct diag *d)
{
	if (!dp->skel || err != -EPERM)
		return false;
	diag_set(d, err, "this kernel lets no program replace a function of another (freplace), as a dispatcher needs");
	return true;
}

int dispatcher_fd(const struct dispatcher *dp)
{
	return dp->skel ? bpf_program__fd(dp->skel->progs.xdp_dispatcher) : -1;
}

void dispatcher_close(struct dispatcher *dp)
{
	fd_close(dp->link_fd);
	dispatcher_bpf__destroy(dp->skel);
	dispatcher_init(dp);
}
