/* profile_sum.c: the profiles of all ranks become one page (profile.h). */
#include "profile.h"
#include "tracer.h"

#include "mpi_late.h"

#include "base/base.h"

#include <stdio.h>

static int page_write(const struct profile all[3], int ranks, const char *dir, const char *heading,
                      struct err *err)
{
	char path[4096];
	struct str page = {0};
	int r;

	if (tracer.first > 0) {
		snprintf(path, sizeof path, "%s/profile-%d", dir, tracer.first);
		str_printf(&page, "profile of ranks %d to %d, spawned, %s\n", tracer.first,
		           tracer.first + ranks - 1, heading);
	} else {
		snprintf(path, sizeof path, "%s/profile", dir);
		str_printf(&page, "profile of %d ranks, %s\n", ranks, heading);
	}
	profile_format(&page, &all[0], &all[1], &all[2], ranks);
	r = page.failed ? err_nomem(err, "a profile", page.n)
	                : output_file(path, page.s, page.n, err);
	str_release(&page);
	return r;
}

int profile_write(const struct profile *p, const char *dir, const char *heading, struct err *err)
{
	const MPI_Op how[3] = {MPI_SUM, MPI_MIN, MPI_MAX};
	struct profile all[3];
	int rank, ranks;

	for (int i = 0; i < 3; i++)
		PMPI_Reduce((void *)(uintptr_t)p, &all[i], PROFILE_NUMBERS, MPI_DOUBLE, how[i], 0,
		            tracer.world);
	PMPI_Comm_rank(tracer.world, &rank);
	PMPI_Comm_size(tracer.world, &ranks);
	return rank == 0 ? page_write(all, ranks, dir, heading, err) : 0;
}
