/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * diag - one sentence about what went wrong, handed up to the caller that prints it
 *
 * in:    printf-style text, no trailing full stop or newline, no program name
 * out:   text in a struct the caller owns; the first sentence set wins, later ones are ignored
 * law:   libraries never print; a function that returns < 0 has set one sentence
 * error: none; text that does not fit is cut
 */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

struct diag {
	char text[512];
};

/* Sets the sentence and returns err: "return diag_set(d, -EINVAL, ...)". d may be NULL. */
int diag_set(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* The same, but replaces a sentence that was set before: for a caller that knows the cause of the first failure. */
int diag_replace(struct diag *d, int err, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

#endif
