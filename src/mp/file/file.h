/* file.h: files: what others call of them. */
#ifndef ORRERY_MP_FILE_FILE_H
#define ORRERY_MP_FILE_FILE_H

#include "mp/mp_int.h"

/* file/file.c */
int file_end(struct mp *mp, uint32_t id, struct err *err); /* a part of an access is over */
/* Not closed by all, and the first of these; who opened it. */
uint32_t files_left(const struct mp *mp, uint32_t *first);
const char *file_where(const struct mp *mp, uint32_t id, char *buf, size_t n);
void files_release(struct mp *mp);

#endif
