/* study_int.h: what the files of this room share. */
#ifndef ORRERY_STUDY_STUDY_INT_H
#define ORRERY_STUDY_STUDY_INT_H

#include "study.h"

/* notices.c: adds to the settings' notices what the model cannot follow of the machine and the
 * settings, as a replay tells it. */
int notices_add(const struct platform *p, struct config *cfg, struct err *err);

/* The same of algorithms that send too many messages to be measured: `large` of n, in calls of so
 * many ranks; 0: nothing is told. */
int large_tell(enum coll_kind k, int64_t ranks, uint32_t large, uint32_t n, struct config *cfg,
               struct err *err);

/* place.c: where so many ranks are, for a measurement of collectives. */
struct place {
	struct placement hosts;
	struct coll_shape shape;
};
/* The settings get the notices of placing. place: zeroed; released by the caller, also after an
 * error. */
int study_place_make(struct place *place, const struct platform *p, const struct study_where *where,
                     int64_t ranks, struct config *cfg, struct err *err);
void study_place_release(struct place *place);

/* cells.c: measures cell `at`, in a thread of several: 0 or -1. progress: NULL in threads that do
 * not tell. */
typedef int cell_fn(void *self, uint32_t at, struct progress *progress, struct err *err);
/* All n of a table, by this thread, which tells of progress, and others. */
int cells_measure(uint32_t n, uint32_t threads, cell_fn *measure, void *self,
                  struct progress *progress, struct err *err);

#endif
