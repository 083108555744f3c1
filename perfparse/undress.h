/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * undress - takes away what mails, pages and terminals put around a pasted text
 *
 * in:    whole lines of a text
 * out:   the same lines in the same place, at most as long: without colours (ESC [ ... letter), quoted-printable
 *        (RFC 2045, 6.7), entities of HTML, its tags at the ends of a line ("<br>", "<pre>"), backquotes of Markdown in
 *        a row, numbers of lines ("  1\t", "2: ", where the first three have one), a byte order mark, and marks of a
 *        quote ("> ", ">> > ", "| ", and "> " behind blanks); a no-break space, and other blanks of Unicode, are one
 *        blank (that of ISO-8859-1, too), its dashes and its minus are "-". A row of shares whose name a mailer wrapped into the next line is one
 *        line. Between two rows behind different numbers of ">", there is a blank line. A text whose lines end in "\r"
 *        alone has lines that end in "\n"
 * law:   lines without any of these are left as they are, byte for byte. Quoted-printable is decoded where a header
 *        names it, where "=3D" stands, or "=20" at the end of a line, or where a line of shares ends in "="
 * error: none
 */
#ifndef PERFPARSE_UNDRESS_H
#define PERFPARSE_UNDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct undress {
	size_t quoted, joined, entities, blanks, colours; /* lines, soft line breaks, and the rest by lines */
	size_t tags, backquotes, dashes, numbered;        /* by lines */
	size_t depth;   /* marks of a quote before the line above, and 1; 0: it holds no share */
	size_t number;  /* of the line that comes next; 0: lines have none */
	bool begun;     /* the text has begun: what stands at its beginning is known */
	size_t wrapped; /* rows that went on in the next line */
	bool printable; /* the text is quoted-printable */
};

/* Another text begins. */
void undress_begin(struct undress *u);
/* True if the text, whole lines, holds any of it but for rows that were wrapped: a quick look. */
bool undress_wanted(const struct undress *u, const char *text, size_t len);
/* True if it holds rows that were wrapped. ends: where its n lines end, at "\n"; the last one may end without. */
bool undress_wrapped(const char *text, size_t len, const uint32_t *ends, size_t n);

/* A row of shares without its name: the next line may bring it. */
bool undress_unfinished(const char *line, size_t len);

/* Returns the new length. A "=" at the end of the last line is left: its next line is not here. */
size_t undress_lines(struct undress *u, char *text, size_t len);

/* "read behind marks of a quote on 12 lines, joined 3 quoted-printable line breaks"; false: there was nothing. */
bool undress_words(const struct undress *u, char *to, size_t size);

#endif
