/* memory.h: how much memory the computer still has, for who is about to take a lot of it. Linux
 * promises more than there is, and kills who takes it; who asks first can say what is the matter
 * and end with exit code 3. */
#ifndef ORRERY_BASE_MEMORY_H
#define ORRERY_BASE_MEMORY_H

#include "err.h"

#include <stddef.h>
#include <stdint.h>

/* Bytes that this process can still take: what /proc/meminfo calls available, free swap, and at
 * most what is left of its control group (version 2). UINT64_MAX: nothing is known. */
uint64_t memory_left(void);
/* The same of files given as text: meminfo; memory.max and memory.current (NULL: no such file). */
uint64_t memory_left_of(const char *meminfo, const char *max, const char *current);
/* 0, or an error that says how much is wanted for `what`, and how much there is. Small amounts are
 * not looked at. */
int memory_check(uint64_t bytes, const char *what, struct err *err);

/* The most memory that this process has had in its pages, KiB (getrusage), less what was said to be
 * counted there several times: memory that is mapped at several places, KiB at most so far. */
uint64_t memory_peak(void);
void memory_counted_again(uint64_t kib);

/* What a file of this process's control group (version 2) begins with; NULL: there is none. */
enum { MEMORY_GROUP_TEXT = 4096 };
const char *memory_group_text(const char *name, char out[MEMORY_GROUP_TEXT]);

/* Says that the pages of [at, at + bytes) may be large ones, where the system leaves that to
 * programs: a look into an array of many ranks costs a walk through the tables of pages otherwise,
 * two where the computer is a virtual one. Small arrays are left as they are. */
void memory_large_pages(void *at, size_t bytes);
/* Of new memory of which all will be written soon: its pages are there at once, instead of one
 * after the other when it is written. Where the system cannot, nothing happens. */
void memory_filled_soon(void *at, size_t bytes);

#endif
