// SPDX-License-Identifier: GPL-2.0-or-later
#include "user/map/map.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/base.h"

/* Ends the map on its way: the end of the pipe would not, as who keeps what this process writes holds it, too. */
#define END_OF_MAP '\0'
/* Instead of a picture. */
#define NO_DOT "!"
#define DOT_S  60 /* that dot may take; its time grows faster than the map */

/* dot reads from a file, which is whole before it runs. */
static void run_dot(FILE *map, FILE *words, int svg)
{
	struct diag d = {};
	int c;

	dup2(svg, STDOUT_FILENO);
	while ((c = getc(map)) != EOF && c != END_OF_MAP)
		putc(c, words);
	if (c == EOF || fflush(words) || fseek(words, 0, SEEK_SET))
		_exit(1);
	dup2(fileno(words), STDIN_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	alarm(DOT_S);
	if (jail_enter(JAIL_STARTS, -1, 0, &d)) {
		fprintf(stderr, "xdpzoom: %s\n", d.text);
		_exit(1);
	}
	execlp("dot", "dot", "-Tsvg", (char *)NULL);
	_exit(write(STDOUT_FILENO, NO_DOT, 1) == 1 ? 127 : 126);
}

int map_draw_begin(struct map_drawer *r, struct diag *d)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err = 0;
	FILE *words = tmpfile(), *map;
	pid_t pid = -1;

	*r = (struct map_drawer){.svg = -1};
	signal(SIGPIPE, SIG_IGN);
	if (words && !pipe2(in, O_CLOEXEC) && !pipe2(out, O_CLOEXEC))
		pid = fork();
	if (pid < 0)
		err = diag_set(d, -errno, "cannot start the program dot: %s", strerror(errno));
	map = in[0] >= 0 ? fdopen(in[0], "r") : NULL;
	r->words = in[1] >= 0 ? fdopen(in[1], "w") : NULL;
	r->svg = out[0];
	if (!pid) {
		map_draw_release(&(struct map_drawer){r->words, -1});
		run_dot(map, words, out[1]);
	}
	if (map)
		fclose(map);
	if (words)
		fclose(words);
	if (out[1] >= 0)
		close(out[1]);
	return err || r->words ? err : diag_set(d, -ENOMEM, "no memory");
}

int map_draw(struct map_drawer *r, const json_t *map, char **svg, struct diag *d)
{
	size_t size = 0;
	FILE *to = open_memstream(svg, &size);
	char buf[BUFSIZ];
	ssize_t n = 0;

	if (!to)
		return diag_set(d, -ENOMEM, "no memory");
	map_dot(r->words, map);
	fputc(END_OF_MAP, r->words);
	fclose(r->words); /* where it fails, dot does not draw */
	r->words = NULL;
	while ((n = read(r->svg, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)n, to);
	if (fclose(to))
		return diag_set(d, -ENOMEM, "no memory");
	if (!strcmp(*svg, NO_DOT))
		return diag_set(d, -EOPNOTSUPP,
				"the plot needs the program dot (Debian: graphviz); --format dot does not");
	if (n || size < 8 || memcmp(*svg + size - 7, "</svg>\n", 7) != 0)
		return diag_set(d, -EIO, "dot could not draw the map in %d s; --format dot prints what it draws",
				DOT_S);
	return 0;
}

void map_draw_release(struct map_drawer *r)
{
	if (r->words)
		fclose(r->words);
	if (r->svg >= 0)
		close(r->svg);
}
