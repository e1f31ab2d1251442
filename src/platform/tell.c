/* tell.c: what is said of a place in a description: an error, or a notice of what has no meaning
 * here. */
#include "platform/reader.h"

#include <stdarg.h>
#include <stdio.h>

int build_error(const struct build *b, struct place at, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(err, b->file, at.line, at.column, "%s", text);
}

int reader_notice(struct reader *r, const struct xml *x, int element, const char *why,
                  struct err *err)
{
	struct str *out = &r->b.cfg->notices;
	if (r->noticed >> element & 1)
		return 0;
	r->noticed |= (uint64_t)1 << element;
	str_printf(out, "%s:%u: <%s> changes nothing here: %s\n", r->b.file, xml_place(x).line,
	           xml_tag(x), why);
	return out->failed ? err_nomem(err, "a notice", 0) : 0;
}
