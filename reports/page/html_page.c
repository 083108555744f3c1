// SPDX-License-Identifier: GPL-2.0-or-later
/* What all pages have around their sections. */
#include <errno.h>
#include "reports/page/html_assets.h"
#include "reports/page/html_parts.h"
#include "reports/page/markup.h"

void html_begin(FILE *out, const char *title)
{
	markup(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ");
	/* Digests are the build's own text, so nothing in them is escaped. */
	fprintf(out, "style-src '%s'; script-src '%s'", html_page_css.digest, html_page_js.digest);
	markup(out,
	       "; img-src data:; base-uri 'none'; form-action 'none'\">\n"
	       "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	       "<meta name=\"generator\" content=\"xdpzoom %s\">\n<link rel=\"icon\" "
	       "href=\"data:,\">\n<title>%s</title>\n",
	       XDPZOOM_VERSION, title);
	fprintf(out, "<style>%s</style>\n</head>\n<body>\n", html_page_css.text);
	markup(out, "<a class=\"skip\" href=\"#content\">Skip to the content</a>\n");
}

void html_top(FILE *out, const char *what, const char *line)
{
	markup(out, "<header class=\"top\"><p><b>xdpzoom %s</b> &nbsp;%s</p></header>\n", what, line);
}

void html_page_command(FILE *out, const struct render_options *o)
{
	if (o->command)
		markup(out, "<h3>Page</h3>\n<pre><code>%s</code></pre>\n", o->command);
	markup(out, "<p id=\"save\"></p>\n</section>\n");
}

int html_embed(FILE *out, const struct json_out *w, json_t *o)
{
	int err = w->failed || !o ? -ENOMEM : 0;

	if (!err) {
		markup(out, "<script type=\"application/json\" id=\"data\">");
		err = markup_json(out, o, JSON_COMPACT | JSON_REAL_PRECISION(JSON_OUT_DIGITS));
		markup(out, "</script>\n");
	}
	json_decref(o);
	return err;
}

/* The digest allows this script to run, and nothing that a name may have brought along. */
void html_end(FILE *out, const char *words)
{
	markup(out, "<footer>xdpzoom %s. %s</footer>\n", XDPZOOM_VERSION, words);
	fprintf(out, "<script>%s</script>\n</body>\n</html>\n", html_page_js.text);
}
