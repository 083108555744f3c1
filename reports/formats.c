// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/formats.h"

#include <errno.h>
#include <string.h>

const struct format formats[] = {
	{.name = "text",
	 .use = "for people: on a terminal, in a mail",
	 .report = render_report_text,
	 .diff = render_diff_text},
	{.name = "json",
	 .use = "for scripts: everything, with a schema",
	 .report = render_report_json,
	 .diff = render_diff_json},
};
const size_t nformats = sizeof(formats) / sizeof(formats[0]);

bool format_fits(const struct format *f, enum format_of of)
{
	return of == FORMAT_OF_REPORT ? f->report != NULL : f->diff != NULL;
}

const char *format_names(enum format_of of, char *buf, size_t size)
{
	size_t n = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < nformats && n < size; i++)
		if (format_fits(&formats[i], of))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? ", " : "",
					      formats[i].name);
	return buf;
}

int format_find(const struct format **f, const char *name, enum format_of of, struct diag *d)
{
	char names[256];

	for (size_t i = 0; i < nformats; i++) {
		*f = &formats[i];
		if (!strcmp(formats[i].name, name) && format_fits(&formats[i], of))
			return 0;
	}
	return diag_set(d, -EINVAL, "--format %.32s: %s writes %s", name,
			of == FORMAT_OF_REPORT ? "report" : "diff",
			format_names(of, names, sizeof(names)));
}
