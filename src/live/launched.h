/* launched.h: what launchers of MPI put into the environment of a rank: its number, the ranks in
 * all and those of its host, under the names of Open MPI and of MPICH. */
#ifndef ORRERY_LIVE_LAUNCHED_H
#define ORRERY_LIVE_LAUNCHED_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct launched;

enum { LAUNCHED = 10, LAUNCHED_TEXT = 48 };
/* host: number of each rank's host, also of those beyond the world, which may be spawned. */
struct launched *launched_new(const uint32_t *host, uint32_t ranks, uint32_t world,
                              struct err *err);
void launched_free(struct launched *l);
/* "NAME=number", each. */
void launched_write(const struct launched *l, uint32_t rank, char text[LAUNCHED][LAUNCHED_TEXT]);
/* Whether it is one of them: the first n bytes of name. */
int launched_is(const char *name, size_t n);

#endif
