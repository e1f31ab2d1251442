/* launched.c: the variables, by number. What a rank's place on its host is was counted once, as
 * there may be a million ranks. */
#include "launched.h"

#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct launched {
	uint32_t world, hosts;
	uint32_t *local; /* by rank: those of the world before it on its host */
	uint32_t *here;  /* by host: those of the world */
	const uint32_t *host;
};

static const char *const names[LAUNCHED] = {
    "OMPI_COMM_WORLD_RANK",
    "OMPI_COMM_WORLD_SIZE",
    "OMPI_COMM_WORLD_LOCAL_RANK",
    "OMPI_COMM_WORLD_LOCAL_SIZE",
    "OMPI_COMM_WORLD_NODE_RANK",
    "OMPI_UNIVERSE_SIZE",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALRANKID",
    "MPI_LOCALNRANKS",
};

struct launched *launched_new(const uint32_t *host, uint32_t ranks, uint32_t world, struct err *err)
{
	struct launched *l = calloc(1, sizeof *l);

	if (!l)
		goto failed;
	*l = (struct launched){.world = world, .host = host};
	for (uint32_t i = 0; i < ranks; i++)
		if (host[i] >= l->hosts)
			l->hosts = host[i] + 1;
	l->local = calloc(ranks ? ranks : 1, sizeof *l->local);
	l->here = calloc(l->hosts ? l->hosts : 1, sizeof *l->here);
	if (!l->local || !l->here)
		goto failed;
	for (uint32_t i = 0; i < ranks; i++) {
		l->local[i] = l->here[host[i]];
		l->here[host[i]] += i < world;
	}
	return l;
failed:
	err_nomem(err, "environment of the ranks", ranks * sizeof *l->local);
	launched_free(l);
	return NULL;
}

void launched_free(struct launched *l)
{
	if (!l)
		return;
	free(l->local);
	free(l->here);
	free(l);
}

void launched_write(const struct launched *l, uint32_t rank, char text[LAUNCHED][LAUNCHED_TEXT])
{
	uint32_t local = l->local[rank], here = l->here[l->host[rank]];
	const uint32_t value[LAUNCHED] = {rank,     l->world, local,    here,  local,
	                                  l->world, rank,     l->world, local, here};

	for (int i = 0; i < LAUNCHED; i++)
		snprintf(text[i], LAUNCHED_TEXT, "%s=%u", names[i], value[i]);
}

int launched_is(const char *name, size_t n)
{
	for (int i = 0; i < LAUNCHED; i++)
		if (strncmp(names[i], name, n) == 0 && !names[i][n])
			return 1;
	return 0;
}
