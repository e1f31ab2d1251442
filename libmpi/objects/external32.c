/* external32.c: the data representation "external32" (MPI 4.0, 14.5.2): big-endian, with sizes of
 * its own for a few types: long has 4 bytes, wchar_t 2, long double is the format of 16 bytes. */
#include "external32.h"

#include <string.h>

#include "orr_mpi.h"

/* The format of 16 bytes: long double itself, where it is not x87's of 80 bits. */
#if LDBL_MANT_DIG == 113
typedef long double quad;
#else
typedef quad quad;
#endif

static size_t external_size_of(enum orr_basic b)
{
	switch (b) {
	case BASIC_LONG:
	case BASIC_ULONG:
		return 4;
	case BASIC_WCHAR:
		return 2;
	default:
		return orr_basic_size(b);
	}
}

static void swap(unsigned char *to, const unsigned char *from, size_t n)
{
	for (size_t i = 0; i < n; i++)
		to[i] = from[n - 1 - i];
}

static void quad_out(unsigned char *to, const void *from)
{
	long double x;
	memcpy(&x, from, sizeof x);
	quad q = x;
	unsigned char bytes[16];
	memcpy(bytes, &q, sizeof bytes);
	swap(to, bytes, 16);
}

static void quad_in(void *to, const unsigned char *from)
{
	unsigned char bytes[16];
	swap(bytes, from, 16);
	quad q;
	memcpy(&q, bytes, sizeof q);
	long double x = (long double)q;
	memcpy(to, &x, sizeof x);
}

static void out_one(enum orr_basic b, unsigned char *to, const unsigned char *from)
{
	size_t n = orr_basic_size(b);
	if (b == BASIC_LONG_DOUBLE) {
		quad_out(to, from);
	} else if (b == BASIC_LONG_DOUBLE_COMPLEX) {
		quad_out(to, from);
		quad_out(to + 16, from + 16);
	} else if (b >= BASIC_COMPLEX32 && b <= BASIC_COMPLEX256) {
		swap(to, from, n / 2);
		swap(to + n / 2, from + n / 2, n / 2);
	} else { /* little-endian: the bytes that fit are the first ones */
		swap(to, from, external_size_of(b));
	}
}

static void in_one(enum orr_basic b, unsigned char *to, const unsigned char *from)
{
	size_t n = orr_basic_size(b), small = external_size_of(b);
	if (b == BASIC_LONG_DOUBLE) {
		quad_in(to, from);
	} else if (b == BASIC_LONG_DOUBLE_COMPLEX) {
		quad_in(to, from);
		quad_in(to + 16, from + 16);
	} else if (b >= BASIC_COMPLEX32 && b <= BASIC_COMPLEX256) {
		swap(to, from, n / 2);
		swap(to + n / 2, from + n / 2, n / 2);
	} else {
		swap(to, from, small);
		int negative = b == BASIC_LONG && (to[small - 1] & 0x80);
		memset(to + small, negative ? 0xff : 0, n - small);
	}
}

struct external {
	unsigned char *user, *out;
	const unsigned char *in;
	int64_t done;
};

static int leaf_size(void *self, int64_t disp, enum orr_basic b, int64_t n)
{
	struct external *e = self;
	(void)disp;
	e->done += n * (int64_t)external_size_of(b);
	return 0;
}

static int leaf_out(void *self, int64_t disp, enum orr_basic b, int64_t n)
{
	struct external *e = self;
	size_t native = orr_basic_size(b), external = external_size_of(b);
	for (int64_t i = 0; i < n; i++, e->done += (int64_t)external)
		out_one(b, e->out + e->done, e->user + disp + i * (int64_t)native);
	return 0;
}

static int leaf_in(void *self, int64_t disp, enum orr_basic b, int64_t n)
{
	struct external *e = self;
	size_t native = orr_basic_size(b), external = external_size_of(b);
	for (int64_t i = 0; i < n; i++, e->done += (int64_t)external)
		in_one(b, e->user + disp + i * (int64_t)native, e->in + e->done);
	return 0;
}

int64_t orr_external_size(struct orr_type *t, int64_t count)
{
	struct external e = {.done = 0};
	orr_leaves(t, 1, leaf_size, &e);
	return e.done * count;
}

int64_t orr_external_pack(const void *buf, int64_t count, struct orr_type *t, void *out)
{
	struct external e = {.user = (unsigned char *)(uintptr_t)buf, .out = out};
	orr_leaves(t, count, leaf_out, &e);
	return e.done;
}

int64_t orr_external_unpack(void *buf, int64_t count, struct orr_type *t, const void *in)
{
	struct external e = {.user = buf, .in = in};
	orr_leaves(t, count, leaf_in, &e);
	return e.done;
}

static int check(const char *datarep, const struct orr_type *t, MPI_Count count)
{
	if (!datarep || strcmp(datarep, "external32") != 0)
		return MPI_ERR_ARG;
	if (!t)
		return MPI_ERR_TYPE;
	int64_t bytes; /* no fewer than in this form */
	return count < 0 ? MPI_ERR_COUNT : orr_type_bytes(t, count, &bytes);
}

int orr_Pack_external_size(const char *datarep, MPI_Count incount, MPI_Datatype datatype,
                           MPI_Count *size)
{
	struct orr_type *t = orr_type_of(datatype);
	int code = check(datarep, t, incount);
	if (!code)
		*size = orr_external_size(t, incount);
	return code;
}

int orr_Pack_external(const char *datarep, const void *inbuf, MPI_Count incount,
                      MPI_Datatype datatype, void *outbuf, MPI_Count outsize, MPI_Count *position)
{
	struct orr_type *t = orr_type_of(datatype);
	int code = check(datarep, t, incount);
	if (code)
		return code;
	if (*position < 0)
		return MPI_ERR_ARG;
	if (orr_external_size(t, incount) > outsize - *position)
		return MPI_ERR_TRUNCATE;
	*position += orr_external_pack(inbuf, incount, t, (char *)outbuf + *position);
	return MPI_SUCCESS;
}

int orr_Unpack_external(const char datarep[], const void *inbuf, MPI_Count insize,
                        MPI_Count *position, void *outbuf, MPI_Count outcount,
                        MPI_Datatype datatype)
{
	struct orr_type *t = orr_type_of(datatype);
	int code = check(datarep, t, outcount);
	if (code)
		return code;
	if (*position < 0)
		return MPI_ERR_ARG;
	if (orr_external_size(t, outcount) > insize - *position)
		return MPI_ERR_TRUNCATE;
	*position += orr_external_unpack(outbuf, outcount, t, (const char *)inbuf + *position);
	return MPI_SUCCESS;
}
