// SPDX-License-Identifier: GPL-2.0-or-later
#include "reports/page/html_assets.h"

#include "reports/page/html_digests.h"

#define INCLUDE(symbol, path)                                                                                          \
	__asm__(".section .rodata\n"                                                                                   \
		".global " #symbol "\n" #symbol ": .incbin \"" path "\"\n"                                             \
		".byte 0\n"                                                                                            \
		".previous\n");                                                                                        \
	extern const char symbol[]

INCLUDE(html_text_colours_css, COLOURS_CSS);
INCLUDE(html_text_flame_css, "reports/page/assets/flame.css");
INCLUDE(html_text_page_css, "reports/page/assets/page.css");
INCLUDE(html_text_flame_js, "reports/page/assets/flame.js");
INCLUDE(html_text_page_js, "reports/page/assets/page.js");
INCLUDE(html_text_alone_js, "reports/page/assets/alone.js");

const struct html_asset html_colours_css = {html_text_colours_css, DIGEST_colours_css};
const struct html_asset html_flame_css = {html_text_flame_css, DIGEST_flame_css};
const struct html_asset html_page_css = {html_text_page_css, DIGEST_page_css};
const struct html_asset html_flame_js = {html_text_flame_js, DIGEST_flame_js};
const struct html_asset html_page_js = {html_text_page_js, DIGEST_page_js};
const struct html_asset html_alone_js = {html_text_alone_js, DIGEST_alone_js};
