/* html_pack.c: bytes as the page reads them: numbers in groups of seven bits, zlib, base64.
 * Browsers inflate by themselves (DecompressionStream), so that the page needs no library for
 * it. */
#include "html_int.h"

#include <stdlib.h>
#include <zlib.h>

void html_put_varint(struct str *s, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		str_putc(s, (char)(v | 0x80));
	str_putc(s, (char)v);
}

void html_put_signed(struct str *s, int64_t v)
{
	html_put_varint(s, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

static void put_base64(struct str *s, const uint8_t *in, size_t n)
{
	static const char digits[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t i;

	for (i = 0; i < n; i += 3) {
		uint32_t v = (uint32_t)in[i] << 16 | (uint32_t)(i + 1 < n ? in[i + 1] : 0) << 8 |
		             (i + 2 < n ? in[i + 2] : 0);
		char four[4] = {digits[v >> 18], digits[v >> 12 & 63],
		                i + 1 < n ? digits[v >> 6 & 63] : '=',
		                i + 2 < n ? digits[v & 63] : '='};
		str_putn(s, four, 4);
	}
}

int html_put_data(struct out *o, const char *class, const void *data, size_t n, struct err *err)
{
	uLongf packed = compressBound(n);
	uint8_t *buf = malloc(packed);

	if (!buf || compress2(buf, &packed, data, n, Z_DEFAULT_COMPRESSION) != Z_OK) {
		free(buf);
		return err_nomem(err, "packing the page's data", n);
	}
	str_printf(&o->s, "<script type=\"application/octet-stream\" class=\"%s\">", class);
	put_base64(&o->s, buf, packed);
	str_puts(&o->s, "</script>\n");
	free(buf);
	out_tick(o); /* its error is told by out_close */
	return 0;
}
