/* sites.h: where in the program calls are made, and the regions between them: what is computed from
 * the return of one call to the next one. Knows no MPI.
 *
 * A call site is the return address of a call; with a depth of more than one, the path of return
 * addresses from there up, for programs that call MPI through a library of their own. Its name is
 * that of its module (the program or a library) and the address there, so it is the same on every
 * rank and in every run; of a Python program file and line. */
#ifndef ORRERY_TRACER_SITES_H
#define ORRERY_TRACER_SITES_H

#include "base/base.h"
#include "python.h"

enum { SITES_DEPTH_MAX = 16, SITES_CACHE = 64 };

struct sites {
	int depth;            /* frames of a site; 0: there are no regions */
	struct hash64 site;   /* key -> index in frames */
	struct hash64 region; /* site << 32 | site -> number */
	void **frames;        /* `depth` of each site, NULL behind the last */
	uint32_t n, cap, regions;
	uintptr_t *modules; /* that have been named: where they are loaded */
	uint32_t n_modules, cap_modules;
	struct python python;
	struct sites_cached { /* the latest region of each pair of keys that falls on the slot */
		uint64_t from, to;
		int64_t region; /* + 1 */
	} cache[SITES_CACHE];
};

/* Zero to begin with. depth: up to SITES_DEPTH_MAX. */
void sites_init(struct sites *s, int depth);
void sites_release(struct sites *s);
/* The key of the site of the call in progress, which returns to `address`: that address, or a hash
 * of the path, whose frames are kept. 0: memory ran out. */
uint64_t site_key(struct sites *s, void *address, struct err *err);

/* Where definitions go. */
struct sites_out {
	void *self;
	int (*module)(void *self, const char *name, const char *path,
	              struct err *err); /* a file that sites are in; before the region */
	int (*region)(void *self, int64_t number, const char *name,
	              struct err *err); /* "ring+0x11f3>ring+0x1234" */
};
/* The number of the region between two sites (keys; 0: unknown, as at the start); defined if it is
 * new. -1: memory ran out, or out said so. */
int64_t region_slow(struct sites *s, uint64_t from, uint64_t to, const struct sites_out *out,
                    struct err *err);

static inline struct sites_cached *region_slot(struct sites *s, uint64_t from, uint64_t to)
{
	return &s->cache[(from * 7 + (to ^ to >> 9)) % SITES_CACHE];
}

static inline int64_t region_get(struct sites *s, uint64_t from, uint64_t to,
                                 const struct sites_out *out, struct err *err)
{
	struct sites_cached *slot = region_slot(s, from, to);

	if (slot->from == from && slot->to == to && slot->region > 0)
		return slot->region - 1;
	return region_slow(s, from, to, out, err);
}

#endif
