/* image_int.h: what the files of an image share. */
#ifndef ORRERY_LIVE_CORO_IMAGE_INT_H
#define ORRERY_LIVE_CORO_IMAGE_INT_H

#include "image.h"

enum { IMAGE_PAGE = 4096 };

/* Bytes at an address of the file, or NULL: fewer than n are there. */
const void *module_bytes(const struct module *m, uint64_t address, uint64_t n);
const char *module_text(const struct module *m, uint64_t place);
/* image_slots.c */
void slots_end(struct image *im);
/* image_bind.c: relocations become fixes. */
int image_bind(struct image *im, struct err *err);

#endif
