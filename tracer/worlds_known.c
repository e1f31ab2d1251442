/* worlds_known.c: groups of other worlds, and their ranks in the trace (worlds.h). */
#include "tracer.h"
#include "worlds.h"

#include "base/vec.h"

#include <stdlib.h>

void worlds_know(MPI_Comm inter, int32_t *rank, int n)
{
	struct worlds *w = &tracer.worlds;
	int32_t last = 0;
	struct err err;
	struct known_group *p = vec_grow(w->known, &w->cap, sizeof *p, w->n + 1,
	                                 "groups of other worlds", &err);

	w->met = 1;
	if (!p) {
		free(rank);
		tracer_mute(&err);
		return;
	}
	w->known = p;
	p[w->n] = (struct known_group){.rank = rank, .n = n};
	PMPI_Comm_remote_group(inter, &p[w->n++].group);
	for (int i = 0; i < n; i++)
		last = rank[i] > last ? rank[i] : last;
	if (recording() && !tracer.profile &&
	    writer_note(&tracer.out, &err, "met %d", last + 1) < 0)
		tracer_mute(&err);
}

int32_t worlds_rank(MPI_Group group, int i, MPI_Group of_world)
{
	const struct worlds *w = &tracer.worlds;
	int there = MPI_UNDEFINED;

	PMPI_Group_translate_ranks(group, 1, &i, of_world, &there);
	if (there != MPI_UNDEFINED)
		return tracer.first + there;
	for (uint32_t k = 0; k < w->n; k++) {
		PMPI_Group_translate_ranks(group, 1, &i, w->known[k].group, &there);
		if (there != MPI_UNDEFINED)
			return w->known[k].rank[there];
	}
	return -1;
}

void worlds_release(struct worlds *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		PMPI_Group_free(&w->known[i].group);
		free(w->known[i].rank);
	}
	free(w->known);
	*w = (struct worlds){0};
}
