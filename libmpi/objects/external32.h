/* external32.h: the portable data representation of files and packed buffers. */
#ifndef ORRERY_LIBMPI_EXTERNAL32_H
#define ORRERY_LIBMPI_EXTERNAL32_H

#include "type.h"

int64_t orr_external_size(struct orr_type *t, int64_t count);
/* Both return the bytes of the external form that were written or read. */
int64_t orr_external_pack(const void *buf, int64_t count, struct orr_type *t, void *out);
int64_t orr_external_unpack(void *buf, int64_t count, struct orr_type *t, const void *in);

#endif
