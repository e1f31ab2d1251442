/* own_output.c: what ranks write, apart (--rank-output): in the places of stdout and stderr each
 * rank has streams of its own, which put its number before each line, or write to its files.
 *
 * Files are opened for each piece that is written: there may be more ranks than descriptors. The
 * folder is kept by its full name, as a program may change to another one. */
#include "own_output.h"

#include "live/live.h"
#include "live/streams.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct own_output {         /* of a rank: 1: stdout, 2: stderr */
	const char *folder; /* NULL: to ours, with the rank before each line */
	uint32_t rank;
	int number;
	FILE *stream;
	struct line line;
};

int own_output_file(const char *folder, uint32_t rank, struct err *err)
{
	for (int k = 1; folder && k <= 2; k++) {
		int fd = streams_file(folder, rank, k, O_CREAT | O_TRUNC, err);

		if (fd < 0)
			return -1;
		close(fd);
	}
	return 0;
}

static int files_make(const char *folder, uint32_t ranks, struct err *err)
{
	for (uint32_t i = 0; i < ranks; i++)
		if (own_output_file(folder, i, err) < 0)
			return -1;
	return 0;
}

int own_output_files(const char *output, uint32_t ranks, char **folder, struct err *err)
{
	if (!output || strcmp(output, LIVE_PREFIX) == 0)
		return 0;
	if (streams_folder(output, err) < 0)
		return -1;
	*folder = realpath(output, NULL);
	return *folder ? files_make(*folder, ranks, err)
	               : err_nomem(err, "output of the ranks", strlen(output));
}

ssize_t own_output_write(struct own_output *o, const char *p, size_t n)
{
	struct err err;
	int fd, written, error;

	if (!o->folder) {
		line_take(&o->line, o->rank, o->number, p, n);
		return (ssize_t)n;
	}
	fd = streams_file(o->folder, o->rank, o->number, O_APPEND, &err);
	if (fd < 0)
		return -1;
	written = line_bytes(fd, p, n);
	error = errno;
	close(fd);
	errno = error; /* the program's, as if it had written itself */
	return written < 0 ? -1 : (ssize_t)n;
}

FILE *own_output_stream(const struct own_output *o)
{
	return o->stream;
}

static ssize_t cookie_write(void *cookie, const char *p, size_t n)
{
	ssize_t written = own_output_write(cookie, p, n);

	return written < 0 ? 0 : written; /* fopencookie(3) */
}

FILE *own_output_again(struct own_output *o)
{
	return fopencookie(o, "w", (cookie_io_functions_t){.write = cookie_write});
}

struct own_output *own_output_new(const char *folder, uint32_t rank, int number)
{
	struct own_output *o = calloc(1, sizeof *o);

	if (!o)
		return NULL;
	o->folder = folder;
	o->rank = rank;
	o->number = number;
	o->stream = own_output_again(o);
	if (!o->stream) {
		free(o);
		return NULL;
	}
	setvbuf(o->stream, NULL, number == 2 ? _IONBF : folder ? _IOFBF : _IOLBF, BUFSIZ);
	return o;
}

void own_output_end(struct own_output *o)
{
	fclose(o->stream);
	if (!o->folder)
		line_end(&o->line, o->rank, o->number);
	free(o);
}
