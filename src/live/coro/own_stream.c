/* own_stream.c: the standard streams of a rank: those of the simulator, or what is apart for it
 * (own_output.c), which a rank cannot close, until it opens others in their places. */
#include "coro_int.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

/* Which of the three it is, of all or of this rank; -1: none. */
static int which(const FILE *f)
{
	return f == stdin ? 0 : f == stdout ? 1 : f == stderr ? 2 : -1;
}

static struct own_output *output_of(int fd)
{
	const struct own *o = coro_now()->own;

	return o && (fd == 1 || fd == 2) ? o->output[fd] : NULL;
}

static int is_given(const FILE *f)
{
	const struct coros *c = coros_now;

	for (int i = 1; i <= 2; i++)
		if (output_of(i) && f == own_output_stream(output_of(i)))
			return 1;
	return f == c->stream[0] || f == c->stream[1] || f == c->stream[2];
}

static const char *const name[] = {"stdin", "stdout", "stderr"};

/* The simulator's program may have a copy of the C library's variables, which the C library uses;
 * the libraries of a rank are bound to its own. */
static void set(const struct coros *c, int i, FILE *f)
{
	FILE **ours[] = {&stdin, &stdout, &stderr};

	*ours[i] = f;
	if (c->standard[i])
		*c->standard[i] = f;
}

void own_streams_find(struct coros *c)
{
	void *library = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);

	c->stream[0] = stdin;
	c->stream[1] = stdout;
	c->stream[2] = stderr;
	for (int i = 0; library && i < 3; i++)
		c->standard[i] = dlsym(library, name[i]);
	if (library)
		dlclose(library);
}

void own_streams_set(const struct own *o)
{
	const struct coros *c = coros_now;

	for (int i = 0; i < 3; i++)
		set(c, i, o && o->stream[i] ? o->stream[i] : c->stream[i]);
}

static void stream_put(int i, FILE *f)
{
	struct coros *c = coros_now;
	FILE **copy = image_symbol(&c->image, coro_slot(c, coro_rank()), name[i]);

	coro_now()->own->stream[i] = f;
	set(c, i, f);
	if (copy)
		*copy = f;
	c->has_streams = 1;
}

int own_streams_begin(struct own *o)
{
	const struct coros *c = coros_now;

	for (int i = 1; i <= 2; i++) {
		o->output[i] = own_output_new(c->folder, c->rank, i);
		if (!o->output[i])
			return -1;
		stream_put(i, own_output_stream(o->output[i]));
	}
	return 0;
}

FILE *own_freopen(const char *path, const char *mode, FILE *f)
{
	struct coro *r = coro_now();
	int i = which(f);
	FILE *fresh;

	if (i < 0 || !is_given(f))
		return freopen(path, mode, f);
	if (!r->own)
		r->own = calloc(1, sizeof *r->own);
	fflush(f);
	fresh = path && r->own ? fopen(path, mode) : NULL;
	if (fresh)
		stream_put(i, fresh);
	return fresh;
}

int own_fclose(FILE *f)
{
	struct own *o = coro_now()->own;
	int i = which(f);

	if (is_given(f))
		return fflush(f);
	if (o && i >= 0 && o->stream[i] == f) /* what is written later goes nowhere */
		o->stream[i] = NULL;
	return fclose(f);
}

int own_close(int fd)
{
	return fd >= 0 && fd <= 2 ? 0 : close(fd);
}

/* --- by numbers of descriptors: they mean the rank's own streams --- */

/* Where a descriptor of the rank leads: itself, that of a stream in its place, or (-1) *output. */
static int leads(int fd, struct own_output **output)
{
	const struct own *o = coro_now()->own;
	FILE *f = o && fd >= 0 && fd <= 2 ? o->stream[fd] : NULL;

	*output = output_of(fd);
	if (*output && (!f || f == own_output_stream(*output)))
		return -1;
	return f ? fileno(f) : fd;
}

ssize_t own_write(int fd, const void *p, size_t n)
{
	struct own_output *o;
	int to = fd >= 0 && fd <= 2 ? leads(fd, &o) : fd;

	return fd >= 0 && to < 0 ? own_output_write(o, p, n) : write(to, p, n);
}

ssize_t own_writev(int fd, const struct iovec *v, int n)
{
	struct own_output *o;
	int to = fd >= 0 && fd <= 2 ? leads(fd, &o) : fd;
	ssize_t sum = 0, written = 0;

	if (fd < 0 || to >= 0)
		return writev(to, v, n);
	for (int i = 0; i < n && written >= 0; i++) {
		written = own_output_write(o, v[i].iov_base, v[i].iov_len);
		sum += written > 0 ? written : 0;
	}
	return written < 0 && sum == 0 ? -1 : sum;
}

int own_vdprintf(int fd, const char *format, va_list arguments)
{
	char *text;
	int n = vasprintf(&text, format, arguments);

	if (n < 0)
		return -1;
	n = (int)own_write(fd, text, (size_t)n);
	free(text);
	return n;
}

int own_dprintf(int fd, const char *format, ...)
{
	va_list arguments;
	int n;

	va_start(arguments, format);
	n = own_vdprintf(fd, format, arguments);
	va_end(arguments);
	return n;
}

/* What a program calls that was compiled with _FORTIFY_SOURCE. */
int own_vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
{
	(void)flag;
	return own_vdprintf(fd, format, arguments);
}

int own_dprintf_chk(int fd, int flag, const char *format, ...)
{
	va_list arguments;
	int n;

	(void)flag;
	va_start(arguments, format);
	n = own_vdprintf(fd, format, arguments);
	va_end(arguments);
	return n;
}

FILE *own_fdopen(int fd, const char *mode)
{
	struct own_output *o = NULL;
	int to = fd >= 0 && fd <= 2 ? leads(fd, &o) : fd;

	return fd >= 0 && to < 0 ? own_output_again(o) : fdopen(to, mode);
}

int own_fileno(FILE *f)
{
	for (int i = 1; i <= 2; i++)
		if (output_of(i) && f == own_output_stream(output_of(i)))
			return i;
	return fileno(f);
}

void own_streams_release(struct own *o)
{
	for (int i = 0; i < 3; i++) {
		if (o->stream[i] &&
		    !(o->output[i] && o->stream[i] == own_output_stream(o->output[i])))
			fclose(o->stream[i]);
		if (o->output[i])
			own_output_end(o->output[i]);
	}
}
