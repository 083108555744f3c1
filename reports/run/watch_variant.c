// SPDX-License-Identifier: GPL-2.0-or-later
/* Variants of the view "watch": a device that works, before and after a moment. run.h has the contract. */
#include "reports/run/run.h"

#define DEVICE_MAX 15 /* characters of a device's name */

bool run_variant_is_watched(const struct run_variant *v)
{
	return v->action == RUN_ACTION_WATCH;
}

/* Which of the words, from `first` to `last`, the len bytes at text are; -1: none. */
static int watch_variant_word_of(const char *const words[], int first, int last, const char *text, size_t len)
{
	for (int i = first; i <= last; i++)
		if (strlen(words[i]) == len && !memcmp(words[i], text, len))
			return i;
	return -1;
}

/* Without what has a meaning in ids, in shells and on terminals. */
static bool is_plain(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isgraph((unsigned char)name[i]) || strchr("/\"'\\", name[i]))
			return false;
	return true;
}

const char *run_watch_device(char to[16], const char *name, int ifindex)
{
	if (is_plain(name, strlen(name)))
		snprintf(to, 16, "%.15s", name);
	else
		snprintf(to, 16, "?%d", ifindex);
	return to;
}

int run_watch_variant(struct run_variant *v, const char *id, struct diag *d)
{
	const char *dev = id + strlen(RUN_WATCH_WORD), *slash = strrchr(dev, '/'), *at = strrchr(dev, '@');
	int part = slash && at > slash ? watch_variant_word_of(run_operation_words, RUN_PART_ALL, RUN_PART_AFTER,
							       slash + 1, (size_t)(at - slash - 1))
				       : -1;
	int mode = part < 0 ? -1
			    : watch_variant_word_of(run_mode_words, RUN_MODE_NONE, RUN_MODE_HW, at + 1, strlen(at + 1));
	size_t len = slash ? (size_t)(slash - dev) : 0;

	if (mode < 0 || !len || len > DEVICE_MAX)
		return diag_set(
			d, -EINVAL,
			"\"%.64s\" is not a variant; of a device that was watched it is " RUN_WATCH_WORD
			"DEV/PART@MODE, with the part all, before or after, and the mode native, skb, hw or none",
			id);
	if (!is_plain(dev, len))
		return diag_set(d, -EINVAL, "\"%.64s\": no variant has such a name", id);
	v->action = RUN_ACTION_WATCH;
	v->operation = part;
	v->mode = mode;
	snprintf(v->target, sizeof(v->target), "%.*s", (int)len, dev);
	v->stage_cpu = -1;
	snprintf(v->id, sizeof(v->id), "%s", id);
	return 0;
}

int run_variant_to_measure(struct run_variant *v, const char *id, struct diag *d)
{
	int err = run_variant_parse(v, id, d);

	if (err || !run_variant_is_watched(v))
		return err;
	return diag_set(d, -EINVAL, "%s is what xdpzoom watch saw, and cannot be measured again", v->id);
}
