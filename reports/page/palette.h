/*
 * palette - the colours of pages, flame graphs and plots
 *
 * in:    a facility, or how much of something changed
 * out:   a class of reports/page/assets/colours.css, and its colours on white for viewers that know no style sheets
 * law:   a facility of the built-in file has the same colour everywhere; others take one by their name.
 *        Colour never says what words do not say as well
 * error: none
 * src:   Paul Tol, "Colour Schemes", technical note SRON/EPS/TN/09-002, scheme "muted"
 */
#ifndef REPORTS_PALETTE_H
#define REPORTS_PALETTE_H

struct palette_colour {
	const char *class, *fill, *text; /* text: of letters on the fill */
};

const struct palette_colour *palette_of_facility(const char *facility); /* "": of none, neutral */

/* part: change over the whole, -1 "all of it gone" to 1 "all of it new"; nine steps. */
const struct palette_colour *palette_of_change(double part);

#endif
