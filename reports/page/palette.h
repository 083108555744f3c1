/*
 * palette - the colours of pages, flame graphs and plots
 *
 * in:    a facility, or the size of a change
 * out:   a class of reports/page/palette.conf, and its colours on white for viewers without style sheets
 * law:   a facility of the built-in file has a colour of its own, the same everywhere; the colour of another facility
 *        follows from its name, and may be one of theirs. Whatever a colour shows is also written in words
 * error: none
 * src:   Paul Tol, "Colour Schemes", technical note SRON/EPS/TN/09-002, scheme "muted"
 */
#ifndef REPORTS_PALETTE_H
#define REPORTS_PALETTE_H

struct palette_colour {
	const char *class, *fill, *text; /* text: colour of letters on the fill */
};

const struct palette_colour *palette_of_facility(const char *facility); /* "": no facility, neutral */

/* part: change over the whole, -1 "all of it gone" to 1 "all of it new"; nine steps. */
const struct palette_colour *palette_of_change(double part);

#endif
