/*
 * html_assets - the style sheet and the script of pages and flame graphs, built in
 *
 * in:    reports/page/assets/page.css with the classes of palette.conf, and page.js
 * out:   their text; their digests, as a Content-Security-Policy writes them, so that a page runs these
 *        and nothing else
 * law:   written into a page without escaping: a file holds neither "</" of its own element nor "]]>"
 */
#ifndef REPORTS_HTML_ASSETS_H
#define REPORTS_HTML_ASSETS_H

struct html_asset {
	const char *text, *digest; /* "sha256-..." */
};

extern const struct html_asset html_page_css, html_page_js;

#endif
