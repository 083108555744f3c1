// SPDX-License-Identifier: GPL-2.0-or-later
#include "base/json_text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

json_t *json_text_string(const char *s)
{
	json_t *j = json_string(s);
	char *copy, *c;

	if (j)
		return j;
	copy = strdup(s);
	if (!copy)
		return NULL;
	for (c = copy; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	j = json_string(copy);
	free(copy);
	return j;
}

int json_text_put(const char *text, size_t len, FILE *out, const char *also)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t plain, cut;

	for (size_t i = 0; i < len; i += plain + cut) {
		for (plain = 0; i + plain < len; plain++)
			if (s[i + plain] == 0x7f || (s[i + plain] < 0x7f && strchr(also, s[i + plain])) ||
			    (s[i + plain] == 0xc2 && i + plain + 1 < len && s[i + plain + 1] < 0xa0))
				break;
		if (fwrite(text + i, 1, plain, out) != plain)
			return -1;
		if (i + plain == len)
			break;
		cut = s[i + plain] == 0xc2 ? 2 : 1;
		if (fprintf(out, "\\u%04x", s[i + plain + cut - 1]) < 0)
			return -1;
	}
	return 0;
}

static int put_of_json_text(const char *text, size_t len, void *out)
{
	return json_text_put(text, len, out, "");
}

int json_text_write(const json_t *o, FILE *out, size_t flags)
{
	errno = 0;
	return json_dump_callback(o, put_of_json_text, out, flags) ? errno ? -errno : -EIO : 0;
}
