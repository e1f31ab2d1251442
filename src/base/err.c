/* err.c: wording errors. Arguments may point into the text being replaced: everything is formatted
 * aside, then copied. */
#include "err.h"

#include "shown.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

static const char ellipsis[] = "…";

/* Names and files may have control characters (shown.h). */
static size_t controls_show(char *out, size_t room, const char *text, size_t n)
{
	size_t k = 0, length;
	unsigned char c;

	for (size_t i = 0; i < n && k + 5 < room; i += length ? length : 1) {
		length = control_at(text + i, n - i, &c);
		if (length)
			k += (size_t)snprintf(out + k, room - k, "\\x%02x", c);
		else
			out[k++] = text[i];
	}
	out[k] = '\0';
	return k;
}

/* Copies text into err at `from`, cut at a character boundary with an ellipsis when `wanted` bytes
 * do not fit. */
static void err_store(struct err *err, size_t from, const char *text, size_t wanted)
{
	size_t room = ERR_TEXT_MAX - 1 - from, cut;
	char shown[ERR_TEXT_MAX + 8];

	if (controls_in(text, strlen(text))) {
		wanted = controls_show(shown, sizeof shown, text, strlen(text));
		text = shown;
	}
	if (wanted <= room) {
		memcpy(err->text + from, text, wanted);
		err->text[from + wanted] = '\0';
		return;
	}
	cut = room >= sizeof ellipsis - 1 ? room - (sizeof ellipsis - 1) : 0;
	while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	memcpy(err->text + from, text, cut);
	memcpy(err->text + from + cut, ellipsis, room >= sizeof ellipsis - 1 ? sizeof ellipsis : 1);
	if (room < sizeof ellipsis - 1)
		err->text[from] = '\0';
}

/* Formats at the end of the `from` first bytes of buf (ERR_TEXT_MAX + 1 bytes); returns the length
 * wanted, at most ERR_TEXT_MAX. */
__attribute__((format(printf, 3, 0))) static size_t err_vformat(char *buf, size_t from,
                                                                const char *fmt, va_list ap)
{
	int n = vsnprintf(buf + from, ERR_TEXT_MAX + 1 - from, fmt, ap);

	if (n < 0)
		n = 0;
	return from + (size_t)n > ERR_TEXT_MAX ? ERR_TEXT_MAX : from + (size_t)n;
}

int err_setv(struct err *err, enum err_kind kind, const char *fmt, va_list ap)
{
	char buf[ERR_TEXT_MAX + 1];
	size_t n;

	if (!err)
		return -1;
	n = err_vformat(buf, 0, fmt, ap);
	err->kind = kind;
	err->number = 0;
	err_store(err, 0, buf, n);
	return -1;
}

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err_setv(err, kind, fmt, ap);
	va_end(ap);
	return -1;
}

/* "file:line:column: " with the parts that are known. */
static size_t place_format(char *buf, size_t size, const char *file, long line, long column)
{
	int n;

	if (line > 0 && column > 0)
		n = snprintf(buf, size, "%s:%ld:%ld: ", file, line, column);
	else if (line > 0)
		n = snprintf(buf, size, "%s:%ld: ", file, line);
	else
		n = snprintf(buf, size, "%s: ", file);
	return (size_t)n < size ? (size_t)n : size - 1;
}

int err_at(struct err *err, const char *file, long line, long column, const char *fmt, ...)
{
	char buf[ERR_TEXT_MAX + 1];
	size_t n;
	va_list ap;

	if (!err)
		return -1;
	n = place_format(buf, ERR_TEXT_MAX, file, line, column);
	va_start(ap, fmt);
	n = err_vformat(buf, n, fmt, ap);
	va_end(ap);
	err->kind = ERR_INPUT;
	err->number = 0;
	err_store(err, 0, buf, n);
	return -1;
}

int err_placed(struct err *err, const char *file, long line, long column, const struct err *why)
{
	err_at(err, file, line, column, "%s", why->text);
	if (err) {
		err->kind = why->kind;
		err->number = why->number;
	}
	return -1;
}

static enum err_kind err_kind_of(int errnum)
{
	switch (errnum) {
	case ENOENT:
	case EACCES:
	case EISDIR:
	case ENOTDIR:
	case ELOOP:
	case EROFS:
	case ENAMETOOLONG:
		return ERR_INPUT;
	default:
		return ERR_LIMIT;
	}
}

/* Which limit of this process it was, and what raises it. */
static void limit_append(struct err *err, int errnum)
{
	struct rlimit limit;

	if (errnum == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0)
		err_append(err, ": this process may have %llu; `ulimit -n` raises that",
		           (unsigned long long)limit.rlim_cur);
	if (errnum == EFBIG && getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		err_append(err,
		           ": files of this process may have %llu bytes; `ulimit -f` raises that",
		           (unsigned long long)limit.rlim_cur);
}

int err_sys(struct err *err, int errnum, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return -1;
	va_start(ap, fmt);
	err_setv(err, err_kind_of(errnum), fmt, ap);
	va_end(ap);
	err->number = errnum;
	err_append(err, ": %s", strerror(errnum));
	limit_append(err, errnum);
	return -1;
}

int err_nomem(struct err *err, const char *what, unsigned long long bytes)
{
	return err_set(
	    err, ERR_LIMIT,
	    "out of memory: %llu bytes wanted for %s, more than this computer or a limit "
	    "of the process (ulimit -v, the batch job's) has left. With more memory, or "
	    "fewer ranks, it can be done",
	    bytes, what);
}

void err_append(struct err *err, const char *fmt, ...)
{
	char buf[ERR_TEXT_MAX + 1];
	size_t n;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	n = err_vformat(buf, 0, fmt, ap);
	va_end(ap);
	err_store(err, strlen(err->text), buf, n);
}

/* The one place below the cli that prints and stops: a bug of ours, where going on would give a
 * wrong number. */
void bug_report(const char *file, int line, const char *expr)
{
	fprintf(stderr, "BUG in orrery: %s:%d: %s\n", file, line, expr);
	abort();
}
