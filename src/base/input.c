/* input.c: a buffered reader of lines over read(2), with zlib or zstd (input_zstd.c) between when
 * the first bytes are gzip's or zstd's.
 *
 * The buffer holds [start, end), what was read and not yet returned; one byte more is always
 * allocated, for the NUL of a last line without newline. Reading: raw bytes come from the file
 * (input_raw), text goes to the buffer (input_fill), both or through inflate or zstd. stdio is not
 * used: its errors have no place, and its calls cannot be made to fail one by one in tests. */
#include "input_int.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { BUFFER_DEFAULT = 64 << 10, BUFFER_LEAST = 256, LINE_LIMIT = 64 << 20, FILE_LIMIT = 1 << 30 };

/* Compressed input: raw bytes not yet inflated are z.next_in, z.avail_in. */
struct gunzip {
	z_stream z;
	int within; /* inside a gzip member */
	unsigned char raw[BUFFER_DEFAULT];
};

struct input {
	char *name, *buf;
	size_t cap, start, end, limit;
	struct gunzip *gz;   /* NULL: no file of gzip */
	struct unzstd *zstd; /* NULL: no file of zstd */
	long lineno;
	uint64_t offset;
	int fd, eof; /* eof: no more text will come */
	int tail;    /* zero bytes may follow the text (input_allow_tail) */
};

ssize_t input_raw(struct input *in, void *to, size_t room, struct err *err)
{
	ssize_t n;

	do
		n = read(in->fd, to, room);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		err_sys(err, errno, "cannot read %s", in->name);
	return n;
}

/* zlib's memory comes from our malloc, so that its failures are tested with the others. */
static void *gz_alloc(void *opaque, unsigned n, unsigned size)
{
	(void)opaque;
	return calloc(n, size);
}

static void gz_release(void *opaque, void *p)
{
	(void)opaque;
	free(p);
}

static int gz_error(struct input *in, const char *what, struct err *err)
{
	return err_at(err, in->name, 0, 0, "damaged gzip file: %s, after %llu lines", what,
	              (unsigned long long)in->lineno);
}

/* Starts inflating: the n bytes at the start of the buffer were compressed. */
static int gz_start(struct input *in, struct err *err)
{
	struct gunzip *gz = calloc(1, sizeof *gz);

	if (!gz)
		return err_nomem(err, "reading a gzip file", sizeof *gz);
	gz->z.zalloc = gz_alloc;
	gz->z.zfree = gz_release;
	if (inflateInit2(&gz->z, 16 + MAX_WBITS) != Z_OK) {
		free(gz);
		return err_nomem(err, "reading a gzip file", (1 << MAX_WBITS) + sizeof(z_stream));
	}
	memcpy(gz->raw, in->buf, in->end);
	gz->z.next_in = gz->raw;
	gz->z.avail_in = (unsigned)in->end;
	gz->within = 1;
	in->gz = gz;
	in->end = 0;
	return 0;
}

/* More compressed bytes, when all were used; 0 at the end of the file. */
static int gz_refill(struct input *in, struct err *err)
{
	struct gunzip *gz = in->gz;
	ssize_t n;

	if (gz->z.avail_in > 0)
		return 1;
	n = input_raw(in, gz->raw, sizeof gz->raw, err);
	if (n <= 0)
		return (int)n;
	gz->z.next_in = gz->raw;
	gz->z.avail_in = (unsigned)n;
	return 1;
}

/* Between members: another one may follow (gzip files can be concatenated); zero padding is passed
 * over. 1 if one starts. */
static int gz_next_member(struct input *in, struct err *err)
{
	struct gunzip *gz = in->gz;
	int more;

	while ((more = gz_refill(in, err)) > 0 && *gz->z.next_in == 0) {
		gz->z.next_in++;
		gz->z.avail_in--;
	}
	if (more <= 0)
		return more;
	if (*gz->z.next_in != 0x1f)
		return gz_error(in, "something else follows the compressed data", err);
	gz->within = 1;
	return inflateReset(&gz->z) == Z_OK ? 1 : gz_error(in, "cannot start again", err);
}

/* Inflates up to `room` bytes; 0 at the end. */
static ssize_t gz_read(struct input *in, char *to, size_t room, struct err *err)
{
	struct gunzip *gz = in->gz;
	int more, code;

	gz->z.next_out = (unsigned char *)to;
	gz->z.avail_out = (unsigned)room;
	while (gz->z.avail_out == room) {
		if (!gz->within) {
			more = gz_next_member(in, err);
			if (more <= 0)
				return more;
		}
		more = gz_refill(in, err);
		if (more <= 0)
			return more < 0 ? -1 : gz_error(in, "it ends too soon", err);
		code = inflate(&gz->z, Z_NO_FLUSH);
		if (code == Z_MEM_ERROR)
			return err_nomem(err, "reading a gzip file", 1 << MAX_WBITS);
		if (code != Z_OK && code != Z_STREAM_END)
			return gz_error(in, gz->z.msg ? gz->z.msg : "bad data", err);
		gz->within = code != Z_STREAM_END;
	}
	return (ssize_t)(room - gz->z.avail_out);
}

/* Space after `end`: what was consumed is dropped, else the buffer grows. */
static int input_make_room(struct input *in, struct err *err)
{
	size_t cap = in->cap * 2;
	char *moved;

	if (in->start > 0) {
		memmove(in->buf, in->buf + in->start, in->end - in->start);
		in->end -= in->start;
		in->start = 0;
	}
	if (in->end + 1 < in->cap)
		return 0;
	if (cap > in->limit)
		cap = in->limit;
	if (cap <= in->cap)
		return err_at(err, in->name, in->lineno + 1, 0,
		              "%s over %zu bytes: is this the right file?",
		              in->limit == LINE_LIMIT ? "a line" : "a file", in->limit);
	moved = realloc(in->buf, cap);
	if (!moved)
		return err_nomem(err, "reading a long line", cap);
	in->buf = moved;
	in->cap = cap;
	return 0;
}

/* More text in the buffer: 1, 0 at the end, -1. */
static int input_fill(struct input *in, struct err *err)
{
	ssize_t n;
	size_t room;

	if (in->eof)
		return 0;
	if (input_make_room(in, err) < 0)
		return -1;
	room = in->cap - 1 - in->end;
	if (in->gz)
		n = gz_read(in, in->buf + in->end, room, err);
	else if (in->zstd)
		n = unzstd_read(in->zstd, in, in->buf + in->end, room, err);
	else
		n = input_raw(in, in->buf + in->end, room, err);
	if (n < 0)
		return -1;
	in->end += (size_t)n;
	in->eof = n == 0;
	return n > 0;
}

static const unsigned char gzip_magic[2] = {0x1f, 0x8b};
static const unsigned char zstd_magic[4] = {0x28, 0xb5, 0x2f, 0xfd};

int input_is_packed(const char *head, size_t n)
{
	return (n >= 2 && memcmp(head, gzip_magic, 2) == 0) ||
	       (n >= 4 && memcmp(head, zstd_magic, 4) == 0);
}

/* What others pack files by, told by their formats' magic numbers: these bytes from `at` on.
 * bzip2's stand behind "BZh" and a level. */
static const struct packer {
	unsigned char magic[4];
	size_t at;
	const char *name, *unpack;
} packers[] = {
    {{0xfd, '7', 'z', 'X'}, 0, "xz", "xz -dk"},
    {{'1', 'A', 'Y', '&'}, 4, "bzip2", "bzip2 -dk"},
    {{'P', 'K', 3, 4}, 0, "zip", "unzip"},
    {{4, 0x22, 0x4d, 0x18}, 0, "lz4", "lz4 -d"},
};

static const struct packer *packer_find(const char *head, size_t n)
{
	for (size_t i = 0; i < sizeof packers / sizeof *packers; i++) {
		const struct packer *p = &packers[i];
		if (n >= p->at + sizeof p->magic &&
		    memcmp(head + p->at, p->magic, sizeof p->magic) == 0)
			return p;
	}
	return NULL;
}

/* 0, or the error of a file that is packed otherwise than by gzip or zstd. */
static int input_refuse(const struct input *in, struct err *err)
{
	const struct packer *p = packer_find(in->buf, in->end);

	return p ? err_set(err, ERR_INPUT,
	                   "%s is packed by %s, and only files of gzip and zstd are unpacked here: "
	                   "unpack it first (%s)",
	                   in->name, p->name, p->unpack)
	         : 0;
}

const char *input_unpacker(const char *head, size_t n)
{
	const struct packer *p = packer_find(head, n);

	if (input_is_packed(head, n))
		return memcmp(head, gzip_magic, sizeof gzip_magic) == 0 ? "gzip -dk" : "zstd -d";
	return p ? p->unpack : NULL;
}

/* Reads the first bytes and looks whether they are gzip's or zstd's. */
static int input_sniff(struct input *in, struct err *err)
{
	int more = 1;

	while (in->end < sizeof zstd_magic && (more = input_fill(in, err)) > 0)
		;
	if (more < 0)
		return -1;
	if (!input_is_packed(in->buf, in->end))
		return input_refuse(in, err);
	in->eof = 0;
	if (memcmp(in->buf, gzip_magic, sizeof gzip_magic) == 0)
		return gz_start(in, err);
	in->zstd = unzstd_new(in->name, in->buf, in->end, err);
	in->end = 0;
	return in->zstd ? 0 : -1;
}

static struct input *input_new(const char *path, size_t buffer, size_t limit, struct err *err)
{
	struct input *in = calloc(1, sizeof *in);

	if (!in) {
		err_nomem(err, "opening a file", sizeof *in);
		return NULL;
	}
	in->fd = -1;
	in->limit = limit;
	in->cap = buffer < BUFFER_LEAST ? BUFFER_LEAST : buffer;
	if (in->cap > BUFFER_DEFAULT)
		in->cap = BUFFER_DEFAULT; /* what gz_start can take over */
	in->name = strdup(strcmp(path, "-") == 0 ? "<standard input>" : path);
	in->buf = malloc(in->cap);
	if (!in->name || !in->buf) {
		err_nomem(err, "opening a file", in->cap);
		input_close(in);
		return NULL;
	}
	return in;
}

/* A pipe is read as it comes, but nobody waits for one who writes to it: a read that finds nobody
 * says that it is at its end, and what comes later would be lost. */
static int pipe_begin(struct input *in, const char *path, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(in->fd, &st) < 0 || !S_ISFIFO(st.st_mode))
		return 0;
	n = read(in->fd, in->buf, in->cap - 1);
	if (n == 0)
		return err_set(err, ERR_INPUT,
		               "%s is a pipe that nobody writes to, or nothing: begin its writer "
		               "before, or give a file",
		               path);
	in->end = n > 0 ? (size_t)n : 0;
	return 0;
}

static int file_open(struct input *in, const char *path, struct err *err)
{
	int flags;

	in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (in->fd < 0)
		return err_sys(err, errno, "cannot open %s", path);
	if (pipe_begin(in, path, err) < 0)
		return -1;
	flags = fcntl(in->fd, F_GETFL);
	if (flags >= 0)
		fcntl(in->fd, F_SETFL, flags & ~O_NONBLOCK);
	return 0;
}

static struct input *input_open_limit(const char *path, size_t buffer, size_t limit,
                                      struct err *err)
{
	struct input *in = input_new(path, buffer, limit, err);
	int r = 0;

	if (!in)
		return NULL;
	if (strcmp(path, "-") == 0)
		in->fd = STDIN_FILENO;
	else
		r = file_open(in, path, err);
	if (r < 0 || input_sniff(in, err) < 0) {
		input_close(in);
		return NULL;
	}
	return in;
}

struct input *input_open(const char *path, size_t buffer, struct err *err)
{
	return input_open_limit(path, buffer ? buffer : BUFFER_DEFAULT, LINE_LIMIT, err);
}

static int is_zero(const char *s, size_t n)
{
	return s[0] == '\0' && memcmp(s, s + 1, n - 1) == 0;
}

/* Hands out [start, start + n), which `skip` bytes of line end follow. What stands behind a zero
 * byte would not be seen; but where they are allowed a last line without end may have a tail of
 * them. */
static int input_take(struct input *in, size_t n, size_t skip, char **line, size_t *length,
                      struct err *err)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8 */
	char *s = in->buf + in->start, *zero = memchr(s, '\0', n);

	if (zero && (skip || !in->tail || !is_zero(zero, (size_t)(s + n - zero))))
		return err_at(err, in->name, in->lineno + 1, (long)(zero - s) + 1,
		              "a zero byte: this is no text");

	in->start += n + skip;
	in->offset += n + skip;
	in->lineno++;
	if (n > 0 && s[n - 1] == '\r')
		n--;
	s[n] = '\0';
	if (in->lineno == 1 && strncmp(s, mark, sizeof mark - 1) == 0) {
		s += sizeof mark - 1;
		n -= sizeof mark - 1;
	}
	*line = s;
	*length = n;
	return 1;
}

int input_line(struct input *in, char **line, size_t *n, struct err *err)
{
	size_t seen = 0; /* bytes already searched */
	char *newline;
	int more;

	for (;;) {
		newline = memchr(in->buf + in->start + seen, '\n', in->end - in->start - seen);
		if (newline)
			return input_take(in, (size_t)(newline - (in->buf + in->start)), 1, line, n,
			                  err);
		seen = in->end - in->start;
		more = input_fill(in, err);
		if (more < 0)
			return -1;
		if (more == 0)
			return seen > 0 ? input_take(in, seen, 0, line, n, err) : 0;
	}
}

int input_peek(struct input *in, size_t want, const char **text, struct err *err)
{
	int more = 1;

	while (in->end - in->start < want && (more = input_fill(in, err)) > 0)
		;
	*text = in->buf + in->start;
	return more < 0 ? -1 : (int)(in->end - in->start < want ? in->end - in->start : want);
}

int input_regular(const char *path, struct err *err)
{
	struct stat st;

	if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "%s is a pipe or a device: this file is read more than once, give a regular one", path);
}

void input_allow_tail(struct input *in)
{
	in->tail = 1;
}

const char *input_name(const struct input *in)
{
	return in->name;
}

long input_lineno(const struct input *in)
{
	return in->lineno;
}

uint64_t input_offset(const struct input *in)
{
	return in->offset;
}

void input_close(struct input *in)
{
	if (!in)
		return;
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	if (in->gz)
		inflateEnd(&in->gz->z);
	free(in->gz);
	unzstd_free(in->zstd);
	free(in->name);
	free(in->buf);
	free(in);
}

char *input_read_all(const char *path, size_t *n, struct err *err)
{
	struct input *in = input_open_limit(path, BUFFER_DEFAULT, FILE_LIMIT, err);
	char *text = NULL;
	int more;

	if (!in)
		return NULL;
	while ((more = input_fill(in, err)) > 0)
		;
	if (more == 0) {
		text = in->buf;
		text[in->end] = '\0';
		*n = in->end;
		in->buf = NULL;
	}
	input_close(in);
	return text;
}

int input_is_text(const char *path, const char *text, size_t n, struct err *err)
{
	const char *zero = memchr(text, '\0', n), *line = text, *end;
	long lineno = 1;

	if (!zero)
		return 0;
	for (; (end = memchr(line, '\n', (size_t)(zero - line))); line = end + 1)
		lineno++;
	return err_at(err, path, lineno, (long)(zero - line) + 1, "a zero byte: this is no text");
}
