/* shown.c: see shown.h. */
#include "shown.h"

#include <string.h>

int utf8_at(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	int n = *s < 0x80   ? 1
	        : *s < 0xc2 ? 0
	        : *s < 0xe0 ? 2
	        : *s < 0xf0 ? 3
	        : *s < 0xf5 ? 4
	                    : 0,
	    i;

	for (i = 1; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	return n;
}

size_t control_at(const char *s, size_t n, unsigned char *c)
{
	*c = (unsigned char)s[0];
	if (*c == 0xc2 && n > 1 && ((unsigned char)s[1] & 0xe0) == 0x80) {
		*c = (unsigned char)s[1];
		return 2;
	}
	return (*c < 0x20 && *c != '\n' && *c != '\t') || *c == 0x7f;
}

int controls_in(const char *text, size_t n)
{
	unsigned char c;

	for (size_t i = 0; i < n; i++)
		if (control_at(text + i, n - i, &c))
			return 1;
	return 0;
}

/* "\x1b[1;31m": its bytes, or 0. */
static size_t style_at(const char *s, size_t n)
{
	size_t k = 2;

	if (n < 3 || s[0] != '\x1b' || s[1] != '[')
		return 0;
	while (k < n && k < 10 && ((s[k] >= '0' && s[k] <= '9') || s[k] == ';'))
		k++;
	return k < n && s[k] == 'm' ? k + 1 : 0;
}

void str_put_shown(struct str *out, const char *text, size_t n, int styled)
{
	size_t from = 0, k;
	unsigned char c;

	for (size_t i = 0; i < n; i += k ? k : 1) {
		k = control_at(text + i, n - i, &c);
		if (k && styled && style_at(text + i, n - i))
			k = 0;
		if (k) {
			str_putn(out, text + from, i - from);
			str_printf(out, "\\x%02x", c);
			from = i + k;
		}
	}
	str_putn(out, text + from, n - from);
}
