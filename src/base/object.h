/* object.h: shared objects of others, before they are loaded. */
#ifndef ORRERY_BASE_OBJECT_H
#define ORRERY_BASE_OBJECT_H

#include "err.h"

/* 0, or -1: the file is an object that has lost its end, which to load would end the process.
 * called: how messages name it. What is no object at all is left to the loader. */
int object_check(const char *file, const char *called, struct err *err);

#endif
