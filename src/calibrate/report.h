/* report.h: what the pages of calibrations have in common. */
#ifndef ORRERY_CALIBRATE_REPORT_H
#define ORRERY_CALIBRATE_REPORT_H

#include "base/str.h"

/* Appends text to out so that a page shows it as it is. */
static inline void report_text(const char *text, struct str *out)
{
	for (; *text; text++) {
		if (*text == '<')
			str_puts(out, "&lt;");
		else if (*text == '&')
			str_puts(out, "&amp;");
		else
			str_putc(out, *text);
	}
}

#endif
