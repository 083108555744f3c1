// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/run/run.h"

#define PINNED "pinned:"
#define ID     "id:"

bool run_variant_is_own(const struct run_variant *v)
{
	return v->action == RUN_ACTION_PROG;
}

bool run_mode_is_tc(enum run_mode mode)
{
	return mode >= RUN_MODE_TCX && mode < RUN_MODES;
}

int run_own_parse(struct run_own *o, const char *target, struct diag *d)
{
	memset(o, 0, sizeof(*o));
	if (strlen(target) >= sizeof(o->path))
		return diag_set(d, -EINVAL, "prog:%.32s...: the name is longer than %zu characters", target,
				sizeof(o->path) - 1);
	if (!strncmp(target, ID, strlen(ID))) {
		const char *text = target + strlen(ID);
		char *end = NULL;
		unsigned long id = strtoul(text, &end, 10);

		if (!isdigit((unsigned char)*text) || *end || !id || id > UINT32_MAX)
			return diag_set(d, -EINVAL,
					"prog:id:%.64s: name a program by its number, as bpftool prog prints it", text);
		o->kind = RUN_OWN_ID;
		o->id = (uint32_t)id;
		return 0;
	}
	if (strncmp(target, PINNED, strlen(PINNED)) != 0) {
		/* Behind the last colon there may be a C identifier. */
		const char *colon = strrchr(target, ':'), *end = colon ? colon + 1 : "";
		while (isalnum((unsigned char)*end) || *end == '_')
			end++;
		bool named = colon && colon[1] && !isdigit((unsigned char)colon[1]) && !*end;
		size_t len = named ? (size_t)(colon - target) : strlen(target);

		if (!len)
			return diag_set(d, -EINVAL,
					"prog:%.64s: name an object file, for instance prog:firewall.o@native", target);
		if (named && strlen(colon + 1) >= sizeof(o->name))
			return diag_set(d, -EINVAL, "prog:%.64s: the program's name is too long", target);
		o->kind = RUN_OWN_FILE;
		snprintf(o->path, sizeof(o->path), "%.*s", (int)len, target);
		snprintf(o->name, sizeof(o->name), "%s", named ? colon + 1 : "");
		return 0;
	}
	target += strlen(PINNED);
	if (!*target)
		return diag_set(d, -EINVAL, "prog:pinned: name the path of a pinned program");
	o->kind = RUN_OWN_PINNED;
	snprintf(o->path, sizeof(o->path), "%s", target);
	return 0;
}

int run_own_variant(struct run_variant *v, const char *id, struct diag *d)
{
	const char *target = id + strlen(RUN_OWN_WORD), *at = strrchr(target, '@');
	const char *plain = id;
	struct run_own own;
	int err;

	if (!at)
		return diag_set(d, -EINVAL, "\"%.64s\" has no mode; write %.64s@native or %.64s@skb", id, id, id);
	for (enum run_mode m = RUN_MODE_NATIVE; m < RUN_MODES; m++)
		if (m != RUN_MODE_HW && m != RUN_MODE_STACK && !strcmp(at + 1, run_mode_words[m]))
			v->mode = m;
	if (!v->mode)
		return diag_set(d, -EINVAL,
				"unknown mode \"%.16s\" of a program of your own; known: native skb, and tcx clsact "
				"netkit netkit-peer of one for tc",
				at + 1);
	if ((size_t)(at - target) >= sizeof(v->target))
		return diag_set(d, -EINVAL, "%.32s...: the name is longer than %zu characters", id,
				sizeof(v->target) - 1);
	/* Names go into tables, JSON and symbols unchanged. */
	while ((unsigned char)*plain > ' ' && *plain != 0x7f && *plain != '"' && *plain != '\\')
		plain++;
	if (*plain)
		return diag_set(d, -EINVAL,
				"a program's name holds a blank, a quotation mark, a backslash or a control character; "
				"rename the file or link to it");
	v->action = RUN_ACTION_PROG;
	snprintf(v->target, sizeof(v->target), "%.*s", (int)(at - target), target);
	err = run_own_parse(&own, v->target, d);
	if (!err)
		snprintf(v->id, sizeof(v->id), RUN_OWN_WORD "%s%s", v->target, at);
	return err;
}
