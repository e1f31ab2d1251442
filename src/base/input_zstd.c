/* input_zstd.c: files of zstd. They may hold several frames, one after the other, as gzip's
 * members; a file that ends inside one is damaged. */
#include "input_int.h"

#include <stdlib.h>
#include <string.h>

#ifdef ORRERY_HAVE_ZSTD
#include <zstd.h>

enum { WINDOW_MOST = 128 << 20 }; /* what zstd takes of a file's word, unless told otherwise */

struct unzstd {
	const char *name;
	ZSTD_DStream *z;
	ZSTD_inBuffer in;
	size_t wanted; /* 0: between two frames */
	unsigned char raw[64 << 10];
};

struct unzstd *unzstd_new(const char *name, const char *head, size_t n, struct err *err)
{
	struct unzstd *z = calloc(1, sizeof *z);

	if (z)
		z->z = ZSTD_createDStream();
	if (!z || !z->z || n > sizeof z->raw) {
		err_nomem(err, "reading a zstd file", sizeof *z);
		unzstd_free(z);
		return NULL;
	}
	z->name = name;
	memcpy(z->raw, head, n);
	z->in = (ZSTD_inBuffer){z->raw, n, 0};
	z->wanted = 1;
	return z;
}

/* Bytes to unpack are there: 1; 0: the file ends. */
static int refill(struct unzstd *z, struct input *in, struct err *err)
{
	ssize_t n;

	if (z->in.pos < z->in.size)
		return 1;
	n = input_raw(in, z->raw, sizeof z->raw, err);
	if (n > 0)
		z->in = (ZSTD_inBuffer){z->raw, (size_t)n, 0};
	return n < 0 ? -1 : n > 0;
}

static int failed(const struct unzstd *z, struct input *in, size_t code, struct err *err)
{
	const char *what = ZSTD_getErrorName(code);

	if (strstr(what, "llocation error")) /* the number of it is no public name */
		return err_nomem(err, "reading a zstd file", WINDOW_MOST);
	return err_at(err, z->name, 0, 0, "damaged zstd file: %s, after %ld lines", what,
	              input_lineno(in));
}

ssize_t unzstd_read(struct unzstd *z, struct input *in, void *to, size_t room, struct err *err)
{
	ZSTD_outBuffer out = {to, room, 0};

	while (out.pos == 0) {
		int more = refill(z, in, err);

		if (more < 0)
			return -1;
		if (!more && z->wanted == 0)
			return 0;
		if (!more)
			return err_at(err, z->name, 0, 0,
			              "damaged zstd file: it ends too soon, after %ld lines",
			              input_lineno(in));
		z->wanted = ZSTD_decompressStream(z->z, &out, &z->in);
		if (ZSTD_isError(z->wanted))
			return failed(z, in, z->wanted, err);
	}
	return (ssize_t)out.pos;
}

void unzstd_free(struct unzstd *z)
{
	if (z)
		ZSTD_freeDStream(z->z);
	free(z);
}

#else

struct unzstd *unzstd_new(const char *name, const char *head, size_t n, struct err *err)
{
	(void)head, (void)n;
	err_set(err, ERR_INPUT,
	        "%s is packed with zstd, which this program was built without "
	        "(Debian: libzstd-dev, and build again)",
	        name);
	return NULL;
}

ssize_t unzstd_read(struct unzstd *z, struct input *in, void *to, size_t room, struct err *err)
{
	(void)z, (void)in, (void)to, (void)room;
	return err_set(err, ERR_INPUT, "built without zstd");
}

void unzstd_free(struct unzstd *z)
{
	(void)z;
}
#endif
