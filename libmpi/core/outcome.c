/* outcome.c: see outcome.h. */
#include "outcome.h"

#include <stdlib.h>
#include <string.h>

#include "meet.h"
#include "objects/core.h"
#include "orr_mpi.h"

int groups_meet(uint64_t name, struct orr_group *local, struct orr_group *remote,
                struct orr_comm **out)
{
	int code = comm_join(name, local, remote, out);

	if (code == MPI_SUCCESS)
		agree(*out, MP_AGREE_GROUP);
	return code;
}

struct outcome *outcome_new(int code, uint32_t number, const void *members, uint32_t n)
{
	struct outcome *o = malloc(sizeof *o + n * sizeof(int32_t));

	if (!o)
		return NULL;
	*o = (struct outcome){.code = code, .number = number, .n = code ? 0 : n};
	if (!code && n > 0)
		memcpy(o + 1, members, n * sizeof(int32_t));
	return o;
}

struct outcome *outcome_tell(struct orr_comm *c, int root, struct outcome *mine)
{
	size_t bytes = mine ? sizeof *mine + mine->n * sizeof(int32_t) : 0;
	struct outcome *o = NULL;
	struct told t;

	meet(c, NULL, comm_next_name(c), WIRE_AGREE_NO_TIME, mine, bytes, &t);
	if (t.length && t.length[root] >= sizeof *o) {
		o = malloc(t.length[root]);
		if (o)
			memcpy(o, told_text(&t, (uint32_t)root), t.length[root]);
	}
	told_end(&t);
	free(mine);
	return o;
}

int outcome_join(struct orr_comm *c, uint64_t kind, const struct outcome *o, MPI_Comm *out)
{
	struct orr_group *remote;
	struct orr_comm *made;
	int code = o ? o->code : MPI_ERR_NO_MEM;

	if (code != MPI_SUCCESS)
		return code;
	remote = orr_group_new((int32_t)o->n, (const int32_t *)(o + 1));
	if (!remote)
		return MPI_ERR_NO_MEM;
	code = groups_meet(name_mix(kind, o->number), c->local, remote, &made);
	orr_group_drop(remote);
	if (code != MPI_SUCCESS)
		return code;
	orr_comm_inherit(c, made);
	*out = orr_handle(made);
	return MPI_SUCCESS;
}

int outcome_check(struct orr_comm *c, int root)
{
	if (!c || c->remote)
		return MPI_ERR_COMM;
	return root < 0 || root >= c->size ? MPI_ERR_ROOT : MPI_SUCCESS;
}
