/* image_int.h: what the files of an image share. */
#ifndef ORRERY_LIVE_CORO_IMAGE_INT_H
#define ORRERY_LIVE_CORO_IMAGE_INT_H

#include "image.h"

#define IMAGE_ROOM ((uint64_t)256 << 20) /* of addresses, for what a rank may open */

/* Bytes at an address of the file, or NULL: fewer than n are there. */
const void *module_bytes(const struct module *m, uint64_t address, uint64_t n);
const void *module_words(const struct module *m, uint64_t address, uint64_t n, unsigned align);
const char *module_text(const struct module *m, uint64_t place);
/* image_frames.c: what of the compiler's library finds frames; modules in a slot, when it is laid;
 * all of a slot; no slot is there any more. */
void image_frames(struct image *im);
void slot_frames_add(struct image *im, uint32_t slot, uint32_t first, uint32_t n);
void slot_frames_drop(const struct image *im, uint32_t slot);
void image_frames_end(const struct image *im);
/* image_bind.c: relocations of modules from this one on become fixes. */
int image_bind(struct image *im, uint32_t first, struct err *err);

/* image_guard.c: code of guards for modules from this one on, if they name threads; and its end. */
void guards_begin(struct image *im, uint32_t first);
void guards_end(struct image *im);
/* What a call by this name is to lead to: the address, or what looks whose thread it is. */
uintptr_t guard_call(struct image *im, const char *name, uintptr_t address);

/* image_read.c */
/* A library that all ranks use. */
int image_is_common(const char *name);
int image_share(struct image *im, const char *path, void **out, struct err *err);
/* The file of a library that a module needs. */
int image_library(const struct image *im, const struct module *m, const char *name, char *out,
                  struct err *err);
int image_module_read(struct image *im, const char *path, const char *library, uint32_t *index,
                      struct err *err);
void image_order(struct image *im, uint32_t first);
void image_places(struct image *im, uint32_t first);
void image_modules_drop(struct image *im, uint32_t first);
/* Forgets those from this one on. */
void image_fixes_drop(struct image *im, uint32_t first);

#endif
