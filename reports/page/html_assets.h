/*
 * html_assets - style sheets and scripts of pages and flame graphs, built in
 *
 * in:    the files of reports/page/assets/
 * out:   their text; their digests, as a Content-Security-Policy writes them, so that a page runs these
 *        and nothing else
 * law:   written into a page without escaping: a file holds neither "</" of its own element nor "]]>"
 */
#ifndef REPORTS_HTML_ASSETS_H
#define REPORTS_HTML_ASSETS_H

struct html_asset {
	const char *text, *digest; /* "sha256-..." */
};

extern const struct html_asset html_colours_css, html_flame_css, html_page_css;
extern const struct html_asset html_flame_js, html_page_js, html_alone_js;

#endif
