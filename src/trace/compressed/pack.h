/* pack.h: a bundle as bytes that another process (or this one, later) can put into its own bundle:
 * how the ranks of a run are merged, two bundles at a time, up a tree. Unlike what bundle_write
 * gives, this is never a file's last form.
 *
 *     bundle_pack(&mine, 1, &bytes)  ── sent, or kept in a file ──>  bundle_merge(&theirs, …)
 *
 * Texts and lists have other numbers in another bundle. `struct pack_map` says which, so that costs
 * that are sent apart (bundle_own_moved) can follow. Takes time in proportion to what is merged. */
#ifndef ORRERY_TRACE_PACK_H
#define ORRERY_TRACE_PACK_H

#include "bundle.h"

struct pack_map {
	uint32_t *list; /* by number there: the number here */
	uint32_t lists;
};
void pack_map_release(struct pack_map *m);
/* own: with the members' own costs. */
void bundle_pack(const struct bundle *b, int own, struct str *out);
/* Ranks must rise: those of the bytes are behind those of b. map: filled (to be released), or NULL.
 * What is wrong with the bytes is an error that has no place. */
int bundle_merge(struct bundle *b, const uint8_t *bytes, size_t n, struct pack_map *map,
                 struct err *err);
/* The own costs of a member, whose lists have their numbers in another bundle, as they are in b.
 * Where nothing changes, *out stays empty. */
int bundle_own_moved(const struct bundle *b, uint32_t rank, const struct pack_map *map,
                     const uint8_t *own, size_t n, struct str *out, struct err *err);

#endif
