/* shown.h: control characters in what others wrote are shown (\x1b), not sent to a terminal: all
 * below U+0020 but newline and tab, U+007F, and U+0080 to U+009F. */
#ifndef ORRERY_BASE_SHOWN_H
#define ORRERY_BASE_SHOWN_H

#include "str.h"

/* Bytes of the valid UTF-8 character that text begins with, or 0 (RFC 3629: no overlong forms, no
 * surrogates, nothing over U+10FFFF). */
int utf8_at(const char *text);
/* The control character that [s, s+n) begins with, in *c: its bytes; 0: it begins with none. */
size_t control_at(const char *s, size_t n, unsigned char *c);
/* Are there any? */
int controls_in(const char *text, size_t n);
/* text with its control characters shown. styled: but not "\x1b[…m" of digits and semicolons,
 * colours, which this program's own tables have. */
void str_put_shown(struct str *out, const char *text, size_t n, int styled);

#endif
