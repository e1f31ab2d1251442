/* markup.c: see markup.h. */
#include "markup.h"

void str_put_markup(struct str *s, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			str_puts(s, "&lt;");
			break;
		case '>':
			str_puts(s, "&gt;");
			break;
		case '&':
			str_puts(s, "&amp;");
			break;
		case '"':
			str_puts(s, "&quot;");
			break;
		default:
			if ((unsigned char)*text >= ' ' || *text == '\t' || *text == '\n')
				str_putc(s, *text);
		}
	}
}
