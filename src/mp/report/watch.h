/* watch.h: the closer look of an explanation (struct mp_watch): what the files of this room
 * tell it, and where. Nothing happens without one. */
#ifndef ORRERY_MP_WATCH_H
#define ORRERY_MP_WATCH_H

#include "mp/mp_int.h"

void watch_begins_tell(struct mp *mp, uint32_t send);
void watch_completes_tell(struct mp *mp, uint32_t r);
/* A rank that waits may go on, because of what happens now; or of what another does. */
void watch_released_tell(struct mp *mp, uint32_t rank, uint32_t by);
static inline void watch_begins(struct mp *mp, uint32_t send)
{
	if (mp->watch)
		watch_begins_tell(mp, send);
}
static inline void watch_completes(struct mp *mp, uint32_t r)
{
	if (mp->watch)
		watch_completes_tell(mp, r);
}
static inline void watch_released(struct mp *mp, uint32_t rank)
{
	if (mp->watch)
		watch_released_tell(mp, rank, NONE);
}
static inline void watch_released_by(struct mp *mp, uint32_t rank, uint32_t by)
{
	if (mp->watch)
		watch_released_tell(mp, rank, by);
}
/* The same of a rank that looks again and again, and is not blocked. That a message was sent does
 * not count where it is about to look, as something else has come at this date. */
static inline void watch_glimpsed(struct mp *mp, uint32_t r)
{
	if (mp->watch && mp->ranks[mp->reqs[r].rank].looking)
		watch_completes_tell(mp, r);
}
static inline void watch_glimpsed_by(struct mp *mp, uint32_t rank, uint32_t by)
{
	if (mp->watch && mp->ranks[rank].looking && !mp->ranks[rank].ready)
		watch_released_tell(mp, rank, by);
}
static inline void watch_moves(struct mp *mp, uint32_t send, struct activity_id a)
{
	if (mp->watch)
		mp->watch->moves(mp->watch->self, send, a);
}
static inline void watch_matched(struct mp *mp, uint32_t send, double posted)
{
	if (mp->watch)
		mp->watch->matched(mp->watch->self, send, posted, engine_now(mp->engine));
}
static inline void watch_arrived(struct mp *mp, uint32_t send)
{
	if (mp->watch)
		mp->watch->arrived(mp->watch->self, send, engine_now(mp->engine));
}
static inline void watch_waited(struct mp *mp, uint32_t rank, double since)
{
	if (mp->watch)
		mp->watch->waited(mp->watch->self, rank, since, engine_now(mp->engine));
}
static inline void watch_executes(struct mp *mp, uint32_t rank)
{
	if (mp->watch)
		mp->watch->executes(mp->watch->self, rank, engine_now(mp->engine));
}
static inline void watch_gathered(struct mp *mp, uint32_t rank, uint32_t last)
{
	if (mp->watch)
		mp->watch->gathered(mp->watch->self, rank, last, engine_now(mp->engine));
}
static inline void watch_rounds(struct mp *mp, uint32_t rank, uint32_t last, double since,
                                double gathered)
{
	if (mp->watch)
		mp->watch->rounds(mp->watch->self, rank, last, since, gathered,
		                  engine_now(mp->engine));
}
static inline void watch_chosen(struct mp *mp, uint32_t rank, const struct coll_args *a,
                                const struct coll_choice *c)
{
	if (mp->watch)
		mp->watch->chosen(mp->watch->self, rank, a, c);
}

#endif
