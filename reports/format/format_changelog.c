// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A comparison as the text of a commit: 72 columns, no markup, no colour; before and after, what was compared, and the
 * commands that count or measure it again.
 */
#include "reports/format/format.h"

/* What is written, and whether memory was there for all of it. */
struct changelog {
	FILE *out;
	bool failed;
};

#define WIDTH      72
#define NAME_WIDTH 36 /* three numbers of 12 columns stand behind it */
#define HEADS      "\n                                          before       after      change\n"

/* Words at most WIDTH wide; lines after the first are indented, and where a shell reads them, joined by a backslash. */
static void wrap(struct changelog *l, const char *first, const char *indent, const char *joint, const char *text)
{
	size_t column = text_width(first), width;

	fputs(first, l->out);
	for (bool begun = false; *text; begun = true) {
		/* Up to a blank that stands outside of quotes. */
		bool shell = *joint;
		bool quoted = false;
		size_t n = 0;

		for (; text[n] && (quoted || text[n] != ' '); n++)
			quoted ^= shell && text[n] == '\'';
		char *word = strndup(text, n);

		l->failed |= !word;
		width = word ? text_width(word) : 0;
		if (begun && column + 1 + width + strlen(joint) > WIDTH) {
			fprintf(l->out, "%s\n%s", joint, indent);
			column = strlen(indent);
		} else if (begun) {
			fputc(' ', l->out);
			column++;
		}
		printable_put(l->out, word ?: "");
		column += width;
		free(word);
		text += n + strspn(text + n, " ");
	}
	fputc('\n', l->out);
}

/* A name that is too long has a line of its own; no name is cut. */
static void format_changelog_put_row(struct changelog *l, const char *name, double base, double new, double change,
				     int digits)
{
	const struct text t = {.out = l->out};

	fputs("  ", l->out);
	printable_put(l->out, name);
	if (text_width(name) + 2 > NAME_WIDTH)
		fprintf(l->out, "\n%*s", NAME_WIDTH, "");
	else
		fprintf(l->out, "%*s", NAME_WIDTH - 2 - (int)text_width(name), "");
	text_number(&t, base, 12, digits, false);
	text_number(&t, new, 12, digits, false);
	text_number(&t, change, 12, digits, true);
	fputc('\n', l->out);
}

/* "Before: Linux 6.12.117 (v6.12-3-g0123456789ab), gcc 12.2.0" */
static void format_changelog_put_side(struct changelog *l, const char *head, const char *kernel, const char *source,
				      const char *compiler)
{
	char line[600];

	snprintf(line, sizeof(line), "Linux %s%s%s%s%s%s", kernel, *source ? " (" : "", source, *source ? ")" : "",
		 *compiler ? ", " : "", compiler);
	wrap(l, head, "        ", "", line);
}

/* What made both runs, and what compared them: once each. */
static void put_commands(struct changelog *l, const char *base, const char *new, const char *compared)
{
	const char *const commands[] = {base, new, compared};

	fputs("\nTo repeat:\n", l->out);
	for (int i = 0; i < 3; i++)
		if (commands[i] && *commands[i] && (!i || !commands[i - 1] || strcmp(commands[i], commands[i - 1])))
			wrap(l, "  ", "    ", " \\", commands[i]);
}

static void write_counted(struct changelog *l, const struct exact_diff *d, const struct render_options *o)
{
	double base = d->base->total.instructions[EXACT_PACKET], new = d->new->total.instructions[EXACT_PACKET];
	char from[48], to[48], change[48], line[4 * RUN_ID_BYTES + 400];
	const struct exact *b = d->base_run, *n = d->new_run;
	bool nics = strcmp(b->nic, n->nic) != 0, emulators = strcmp(b->emulator, n->emulator) != 0;
	bool ids = strcmp(d->base->id, d->new->id) != 0;
	size_t shown = 0, most = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;

	snprintf(line, sizeof(line),
		 "XDP %s%s%s on %s%s%s: %s -> %s instructions per packet (%s, %+.1f %%), counted under QEMU %s%s%s.",
		 d->base->id, ids ? " and " : "", ids ? d->new->id : "", b->nic, nics ? " and " : "",
		 nics ? n->nic : "", digits_number(base, 2, false, from, sizeof(from)),
		 digits_number(new, 2, false, to, sizeof(to)),
		 digits_number(d->change, 2, true, change, sizeof(change)), base > 0 ? 100 * d->change / base : 0,
		 b->emulator, emulators ? " and " : "", emulators ? n->emulator : "");
	wrap(l, "", "", "", line);
	fputs(HEADS, l->out);
	for (; shown < d->nrows && shown < most && fabs(d->rows[shown].change) >= 0.005; shown++) {
		const struct exact_diff_row *r = &d->rows[shown];

		format_changelog_put_row(l, r->name, r->base.instructions[EXACT_PACKET],
					 r->new.instructions[EXACT_PACKET], r->change, 2);
		base -= r->base.instructions[EXACT_PACKET];
		new -= r->new.instructions[EXACT_PACKET];
	}
	if (shown < d->nrows)
		format_changelog_put_row(l, shown ? "all other functions" : "all functions", base, new, new - base, 2);
	format_changelog_put_row(l, "a packet", d->base->total.instructions[EXACT_PACKET],
				 d->new->total.instructions[EXACT_PACKET], d->change, 2);
	fputc('\n', l->out);
	format_changelog_put_side(l, "Before: ", b->kernel, b->source, b->compiler);
	format_changelog_put_side(l, "After:  ", n->kernel, n->source, n->compiler);
	put_commands(l, b->command, n->command, o->command);
}

static void write_measured(struct changelog *l, const struct compare *c, const struct render_options *o)
{
	const struct run *b = c->base->of->run, *n = c->new->of->run;
	char *base_command = shell_line(b->command), *new_command = shell_line(n->command);
	const char *base_id = c->base->variant->id, *new_id = c->new->variant->id;
	bool ids = strcmp(base_id, new_id) != 0;
	char failed[512] = "", line[SENTENCE_BYTES + 2 * RUN_ID_BYTES + 600];
	struct sentence s;

	l->failed |= (json_array_size(b->command) && !base_command) || (json_array_size(n->command) && !new_command);
	sentence_of_difference(&s, c);
	const char *on = n->facts.driver ?: n->facts.device ?: "a device";
	snprintf(line, sizeof(line), "XDP %s%s%s on %s: %s%s%s.", base_id, ids ? " and " : "", ids ? new_id : "", on,
		 s.before, s.number, s.after);
	wrap(l, "", "", "", line);
	double base = c->overall.base_ns, new = c->overall.new_ns;
	size_t shown = 0, most = o->max_symbols ? o->max_symbols : RENDER_SYMBOLS;
	fputs(HEADS, l->out);
	for (size_t i = 0; i < c->nsymbols && shown < most; i++) {
		const struct compare_row *r = &c->symbols[i];

		if (!r->significant)
			continue;
		format_changelog_put_row(l, r->name, r->base_ns, r->new_ns, r->delta_ns, 1);
		base -= r->base_ns;
		new -= r->new_ns;
		shown++;
	}
	format_changelog_put_row(l, shown ? "all other functions" : "all functions", base, new, new - base, 1);
	format_changelog_put_row(l, "a packet", c->overall.base_ns, c->overall.new_ns, c->overall.delta_ns, 1);
	fputc('\n', l->out);
	quality_name_failed(&c->quality, failed, sizeof(failed));
	if (failed[0])
		wrap(l, "Checks failed: ", "  ", "", failed);
	format_changelog_put_side(l, "Before: ", b->facts.kernel ?: "?", "", b->facts.compiler ?: "");
	format_changelog_put_side(l, "After:  ", n->facts.kernel ?: "?", "", n->facts.compiler ?: "");
	put_commands(l, base_command, new_command, o->command);
	free(base_command);
	free(new_command);
}

int format_changelog(FILE *out, const struct document *d, const struct render_options *o)
{
	struct changelog l = {out, false};

	if (d->kind == DOCUMENT_DIFF)
		write_measured(&l, d->compare, o);
	else
		write_counted(&l, d->exact_diff, o);
	return l.failed ? -ENOMEM : render_finish(out);
}
