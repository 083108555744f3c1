// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * JSON Lines for programs that load tables (DuckDB, ClickHouse, pandas): one row per symbol and block. Each row can be
 * understood without the others. The rows of a block, one of which is [unattributed], add up to its base_ns.
 */
#include "reports/format/format.h"

static double self_ns(const struct analysis_variant *v, const struct analysis_row *row, size_t used)
{
	return row->block_share[used] * v->used[used]->sum_ns;
}

/* row NULL: the unattributed cost. */
static json_t *row_json(struct json_out *w, const struct analysis_variant *v, const struct analysis_row *row,
			size_t used, double ns)
{
	const struct analysis_block *b = v->used[used];
	const struct placement *p = &v->of->placement;
	const struct run *r = v->of->run;
	json_t *o = json_object();

	json_out_text(w, o, "started", r->started);
	json_out_text(w, o, "device", or_empty(r->facts.device));
	json_out_text(w, o, "driver", or_empty(r->facts.driver));
	json_out_text(w, o, "kernel", or_empty(r->facts.kernel));
	json_out_text(w, o, "event", r->event);
	json_out_text(w, o, "variant", v->variant->id);
	json_out_text(w, o, "action", run_action_words[v->variant->action]);
	json_out_text(w, o, "operation", run_operation_words[v->variant->operation]);
	json_out_text(w, o, "mode", run_mode_words[v->variant->mode]);
	json_out_number(w, o, "injected_ns", v->variant->injected_ns);
	json_out_count(w, o, "block", b->block->index);
	json_out_count(w, o, "round", b->block->round);
	json_out_put(w, o, "placement",
		     p->probed ? json_string(placement_name(p, placement_of(p, b->block))) : json_null());
	json_out_number(w, o, "base_ns", b->base_ns);
	json_out_text(w, o, "symbol", row ? row->name : "[unattributed]");
	json_out_text(w, o, "dso", row ? row->dso : "");
	json_out_text(w, o, "component", row ? row->component : "");
	json_out_number(w, o, "self_ns", ns);
	return o;
}

static int report_variant(FILE *out, const struct analysis_variant *v)
{
	struct json_out w = {false};
	int err = 0;

	for (size_t b = 0; b < v->nused && v->nsymbols && !err; b++) {
		double rest = v->used[b]->base_ns; /* also of shares that an imported table does not show */

		for (size_t i = 0; i < v->nsymbols && !err; i++) {
			const struct analysis_row *row = &v->symbols[i];

			if (!(row->block_share[b] > 0))
				continue;
			rest -= self_ns(v, row, b);
			err = json_out_write(&w, row_json(&w, v, row, b, self_ns(v, row, b)), out, JSON_COMPACT);
		}
		if (fabs(rest) < ANALYSIS_ROUNDING_NS)
			rest = 0;
		if (!err)
			err = json_out_write(&w, row_json(&w, v, NULL, b, rest), out, JSON_COMPACT);
	}
	return err;
}

static int sweep_points(FILE *out, const struct rows *points)
{
	struct json_out w = {};
	int err = 0;

	for (size_t i = 0; i < points->nrows && !err; i++) {
		json_t *o = json_object();

		json_rows_put(&w, o, points, i);
		err = json_out_write(&w, o, out, JSON_COMPACT);
	}
	return err;
}

int format_jsonl(FILE *out, const struct document *d, const struct render_options *o)
{
	int err = 0;

	(void)o;
	if (d->sweep)
		return sweep_points(out, rows_in(&d->rows, 0, "points"));
	for (size_t i = 1; i < d->nsections && !err; i++)
		err = report_variant(out, d->sections[i].measured);
	return err;
}
