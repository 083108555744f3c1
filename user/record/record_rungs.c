// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/record/record_rungs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/complain.h"
#include "user/machine/cpu.h"
#include "user/record/record_parts.h"

bool record_has_rungs(const struct run *run)
{
	for (size_t i = 0; i < run->nvariants; i++)
		if (run_variant_is_rung(&run->variants[i]))
			return true;
	return false;
}

/* What leaves a variant out and the others in. */
static bool is_lack(int err)
{
	return err == -EOPNOTSUPP || err == -EADDRINUSE || err == -ENOSPC || err == -ETIMEDOUT;
}

typedef int (*check_fn)(struct recorder *r, struct run_variant *v, struct diag *d);

static int leave_out(struct recorder *r, check_fn check, struct diag *d)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->run.nvariants; i++) {
		struct run_variant *v = &r->run.variants[i];
		struct diag why = {};
		int err = check(r, v, &why);

		if (err && !is_lack(err))
			return diag_set(d, err, "%s", why.text);
		if (!err)
			r->run.variants[kept++] = *v;
		else if (strncmp(why.text, v->id, strlen(v->id)) != 0)
			complain("%s: %s; everything else is measured", v->id, why.text);
		else
			complain("%s; everything else is measured", why.text);
	}
	r->run.nvariants = kept;
	return kept ? 0 : diag_set(d, -EOPNOTSUPP, "none of these can be measured on %s", r->session.target.nd.name);
}

static int try_variant(struct recorder *r, struct run_variant *v, struct diag *d)
{
	if (run_variant_is_rung(v) && !strcmp(v->target, "test-run"))
		return diag_set(d, -EOPNOTSUPP, "%s: its frames go to no device, so it is measured in the lab", v->id);
	if (run_variant_is_rung(v) && !strcmp(v->target, "cpumap") &&
	    (!r->session.o.own_load || r->session.o.load.host[0]))
		return diag_set(d, -EOPNOTSUPP,
				"%s: nobody counts what the cpumap's queue drops, so the generator must be one that "
				"waits for it (--gen-dev)",
				v->id);
	return session_try(&r->session, v, d);
}

int record_rungs_try(struct recorder *r, struct diag *d)
{
	char foreign[400];

	rung_nft_foreign(foreign, sizeof(foreign));
	if (foreign[0])
		complain("rules are here already (%s); they stay, and are part of what the rungs behind them cost",
			 foreign);
	return leave_out(r, try_variant, d);
}

/* ---- do frames come? ----------------------------------------------------------------------------------------- */

static int rp_filter(const char *dev)
{
	char path[80];
	int value = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/net/ipv4/conf/%s/rp_filter", dev);
	f = fopen(path, "re");
	if (f && fscanf(f, "%d", &value) != 1)
		value = 0;
	if (f)
		fclose(f);
	return value;
}

int record_rung_unreached(const struct recorder *r, const struct run_variant *v, struct diag *d)
{
	const char *dev = r->session.target.nd.name;
	char address[64];

	if (!rung_is_addressed(v->target))
		return diag_set(d, -ETIMEDOUT,
				"%s: no frame comes to it; it wants IPv4 frames to %s's own MAC address%s", v->id, dev,
				strcmp(v->target, "xsk-copy") != 0 ? "" : ", on its first receive queue");
	if (!rung_udp_address(dev, address))
		return diag_set(
			d, -ETIMEDOUT,
			"%s: %s has no IPv4 address that frames could go to; give it one: ip addr add " GEN_DST_IP
			"/32 dev %s",
			v->id, dev, dev);
	return diag_set(
		d, -ETIMEDOUT, "%s: no frame comes to it; it wants UDP to %s, port %d%s", v->id, address, RUNG_PORT,
		rp_filter("all") || rp_filter(dev) ? ", from an address with a route back (rp_filter is on)" : "");
}

static bool is_rx_cpu(const struct run *run, int cpu)
{
	for (size_t i = 0; i < run->nrx_cpus; i++)
		if (run->rx_cpus[i] == cpu)
			return true;
	return false;
}

/* Which CPU receives was not known when the reader's was chosen. */
static int choose_reader_cpu(const struct recorder *r, struct run_variant *v, struct diag *d)
{
	if (v->stage != RUN_STAGE_READER || !is_rx_cpu(&r->run, v->stage_cpu))
		return 0;
	v->stage_cpu = cpu_pick_load(r->run.rx_cpus[0]);
	return is_rx_cpu(&r->run, v->stage_cpu)
		       ? diag_set(d, -EOPNOTSUPP, "%s: the thread that reads needs a CPU that receives nothing", v->id)
		       : 0;
}

static int reach(struct recorder *r, struct run_variant *v, struct diag *d)
{
	bool addressed = run_variant_is_rung(v) && rung_is_addressed(v->target);
	struct block b;
	char address[64];
	int err = choose_reader_cpu(r, v, d);

	if (err)
		return err;
	if (addressed && (r->unreached || !rung_udp_address(r->session.target.nd.name, address)))
		return record_rung_unreached(r, v, d);
	progress_now(&r->progress, v->id);
	block_init(&b);
	err = block_attach(r, &b, v, d);
	if (!err)
		err = block_load(r, v, d);
	block_release(r, &b);
	r->unreached |= addressed && err == -ETIMEDOUT;
	return err;
}

int record_rungs_reach(struct recorder *r, struct diag *d)
{
	return leave_out(r, reach, d);
}
