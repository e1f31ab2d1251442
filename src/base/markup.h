/* markup.h: text in pages and drawings (HTML, SVG, XML), shown as it is. */
#ifndef ORRERY_BASE_MARKUP_H
#define ORRERY_BASE_MARKUP_H

#include "str.h"

/* Appends text, its <, >, & and " written as entities, so that it may stand between tags or inside
 * a double-quoted attribute. Control characters but tab and newline, which no version of XML 1
 * takes, are left out; bytes that are no UTF-8, as where a name was cut, become U+FFFD. */
void str_put_markup(struct str *s, const char *text);

#endif
