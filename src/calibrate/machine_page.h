/* machine_page.h: one page of all that was measured of a machine. */
#ifndef ORRERY_CALIBRATE_MACHINE_PAGE_H
#define ORRERY_CALIBRATE_MACHINE_PAGE_H

#include "base/base.h"

/* The page has the network's report; the others are appended: two files of text, one page. */
int machine_page_write(const char *page, const char *processor, const char *memory,
                       const char *noise, struct err *err);

#endif
