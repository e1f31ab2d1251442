/* markup.c: see markup.h. */
#include "markup.h"

#include "shown.h"

static const char *entity_of(char c)
{
	return c == '<'   ? "&lt;"
	       : c == '>' ? "&gt;"
	       : c == '&' ? "&amp;"
	       : c == '"' ? "&quot;"
	                  : NULL;
}

/* U+FFFE and U+FFFF, which no version of XML takes. */
static int is_no_character(const char *s)
{
	return s[0] == '\xef' && s[1] == '\xbf' && (unsigned char)s[2] >= 0xbe;
}

void str_put_markup(struct str *s, const char *text)
{
	for (int n; *text; text += n ? n : 1) {
		n = utf8_at(text);
		if (entity_of(*text))
			str_puts(s, entity_of(*text));
		else if (n == 0 || (n == 3 && is_no_character(text)))
			str_puts(s, "\xef\xbf\xbd");
		else if (n > 1 || (unsigned char)*text >= ' ' || *text == '\t' || *text == '\n')
			str_putn(s, text, (size_t)n);
	}
}
