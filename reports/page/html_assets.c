// SPDX-License-Identifier: GPL-2.0-or-later
/* assets/page.css with the classes of palette.conf, and assets/page.js. */
#include "reports/page/html_digests.h"
#include "reports/page/page.h"

#define INCLUDE(symbol, path)                                                                                          \
	__asm__(".section .rodata\n"                                                                                   \
		".global " #symbol "\n" #symbol ": .incbin \"" path "\"\n"                                             \
		".byte 0\n"                                                                                            \
		".previous\n");                                                                                        \
	extern const char symbol[]

INCLUDE(html_text_page_css, PAGE_CSS);
INCLUDE(html_text_page_js, "reports/page/assets/page.js");

const struct html_asset html_page_css = {html_text_page_css, DIGEST_page_css};
const struct html_asset html_page_js = {html_text_page_js, DIGEST_page_js};
