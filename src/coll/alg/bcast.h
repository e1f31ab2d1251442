/* bcast.h: what broadcasts made of others share. */
#ifndef ORRERY_COLL_BCAST_H
#define ORRERY_COLL_BCAST_H

#include "tree.h"

/* STAR-MPI's broadcast along a tree rooted at rank 0, in segments of 8 KiB, of what fills segments.
 * The root gives its data to rank 0 first. Senders post all at once, or block on each. */
enum star_sends { STAR_POSTS, STAR_BLOCKS };
int bcast_star_round(const struct coll_args *a, uint32_t rank, uint32_t round, const struct tree *t,
                     enum star_sends sends, struct coll_steps *out);
/* Those segments (segments_star_whole). */
struct segments bcast_star_segments(const struct coll_args *a);
/* Arguments of the phase that broadcasts what is left. */
int bcast_star_rest(const struct coll_args *whole, uint32_t rank, struct coll_args *phase,
                    struct coll_view *view);

extern const struct coll_alg bcast_give_to_zero; /* the root sends all to rank 0; not registered */

#endif
