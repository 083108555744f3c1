// SPDX-License-Identifier: GPL-2.0-or-later
/* perfparse: perf's text in, nanoseconds per packet out. */
#include "perfparse/perfparse.h"

static int write_out(struct filter *f, struct new_file *file)
{
	int err = filter_render(f, file->stream);

	if (f->o->output)
		return new_file_close(file, err, f->d);
	errno = 0;
	if (fflush(stdout) && !err)
		err = errno ? -errno : -EIO;
	return err ? diag_set(f->d, err, "stdout: %s", strerror(-err)) : 0;
}

/* Prints the sentence, with the name of the file that it is about. Some sentences begin with the name already. */
static int main_tell(const struct filter *f)
{
	const char *file = f->reading ? f->reading : "";
	bool named = !file[0] || !strncmp(f->d->text, file, strlen(file));

	complain("%s%s%s", named ? "" : file, named ? "" : ": ", f->d->text);
	return f->misuse ? EXIT_USAGE : EXIT_FAILED;
}

/* perf has to read a perf.data before the jail is closed. */
static int main_open_data(struct filter *f, struct perf_data *data, const char *path, struct diag *d)
{
	const struct perf_data_from from = {.path = path, .cpu = -1, .time = f->o->time};
	char words[600];
	int err;

	f->reading = path;
	err = perf_data_open(data, &from, d);
	if (!err && perf_data_words(data, words, sizeof(words)))
		complain("%s: %s", path ? path : "standard input", words);
	return err;
}

/* Opens the output, and then gives up to write anywhere else. */
static int main_begin(struct filter *f, struct new_file *file, const struct options *o, struct diag *d)
{
	int err = o->output ? new_file_open(file, o->output, 0666, d) : 0;

	if (!err)
		err = main_open_data(f, &f->data, o->file, d);
	if (!err && o->diff)
		err = main_open_data(f, &f->data2, o->diff, d);
	f->reading = err ? f->reading : NULL;

	if (!err && o->output)
		err = new_file_keep(&file, 1, d);
	return err ? err : jail_enter(0, -1, 0, d);
}

static int main_run(const struct options *o)
{
	struct new_file file = {.stream = stdout};
	struct diag d = {""};
	struct filter f;
	int err, status = EXIT_OK;
	char worn[512];

	filter_init(&f, o, &d);
	err = main_begin(&f, &file, o, &d) ?: filter_read(&f);
	if (!err && undress_words(&f.worn, worn, sizeof(worn)))
		complain("the text is read without %s", worn);
	if (!err) {
		f.reading = NULL;
		err = write_out(&f, &file);
	}
	if (err)
		status = main_tell(&f);
	filter_release(&f);
	return status;
}

int main(int argc, char **argv)
{
	static char name[] = "perfparse";
	struct options o;
	int parsed;

	program_invocation_short_name = name; /* messages and usage name the program even if a link started it */
	parsed = options_read(&o, argc, argv);
	if (parsed)
		return opts_exit(parsed);
	return main_run(&o);
}
