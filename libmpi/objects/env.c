/* env.c: small things: addresses, memory, versions, statuses, sessions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/letters.h"
#include "base/num.h"
#include "core.h"
#include "errhandler.h"
#include "front.h"
#include "info.h"
#include "orr_mpi.h"

/* --- addresses and memory --- */

int orr_Get_address(const void *location, MPI_Aint *address)
{
	*address = (MPI_Aint)location;
	return MPI_SUCCESS;
}

MPI_Aint orr_Aint_add(MPI_Aint base, MPI_Aint disp)
{
	return (MPI_Aint)((uintptr_t)base + (uintptr_t)disp);
}

MPI_Aint orr_Aint_diff(MPI_Aint addr1, MPI_Aint addr2)
{
	return (MPI_Aint)((uintptr_t)addr1 - (uintptr_t)addr2);
}

/* The least alignment of a hint, or of a line of the cache. */
static size_t alignment_of(MPI_Info info)
{
	const char *hint = orr_info_find(orr_info_of(info), "mpi_minimum_memory_alignment");
	int64_t wanted = 0;
	size_t alignment = 64;
	if (hint && num_parse_i64(hint, strlen(hint), &wanted) < 0)
		wanted = 0; /* a hint that is none */
	while ((int64_t)alignment < wanted && alignment < 1u << 20)
		alignment *= 2;
	return alignment;
}

int orr_Alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
	if (size < 0 || !baseptr)
		return MPI_ERR_ARG;
	void *p = NULL;
	if (posix_memalign(&p, alignment_of(info), size ? (size_t)size : 1))
		return MPI_ERR_NO_MEM;
	*(void **)baseptr = p;
	return MPI_SUCCESS;
}

int orr_Free_mem(void *base)
{
	free(base);
	return MPI_SUCCESS;
}

/* --- versions, names --- */

int orr_Get_version(int *version, int *subversion)
{
	*version = MPI_VERSION;
	*subversion = MPI_SUBVERSION;
	return MPI_SUCCESS;
}

int orr_Get_library_version(char *version, int *resultlen)
{
	*resultlen = snprintf(version, 256, "%s, simulated by Orrery", front_name());
	return MPI_SUCCESS;
}

int orr_Get_hw_resource_info(MPI_Info *hw_info)
{
	return orr_Info_create(hw_info);
}

int orr_Pcontrol(const int level, ...)
{
	(void)level;
	return MPI_SUCCESS;
}

/* --- fields of a status --- */

int orr_Status_get_error(const MPI_Status *status, int *error)
{
	*error = status->MPI_ERROR;
	return MPI_SUCCESS;
}

int orr_Status_get_source(const MPI_Status *status, int *source)
{
	*source = status->MPI_SOURCE;
	return MPI_SUCCESS;
}

int orr_Status_get_tag(const MPI_Status *status, int *tag)
{
	*tag = status->MPI_TAG;
	return MPI_SUCCESS;
}

int orr_Status_set_error(MPI_Status *status, int error)
{
	status->MPI_ERROR = error;
	return MPI_SUCCESS;
}

int orr_Status_set_source(MPI_Status *status, int source)
{
	status->MPI_SOURCE = source;
	return MPI_SUCCESS;
}

int orr_Status_set_tag(MPI_Status *status, int tag)
{
	status->MPI_TAG = tag;
	return MPI_SUCCESS;
}

/* --- sessions: the sets of processes that each has are all of them and oneself --- */

static const char *const sets[] = {"mpi://WORLD", "mpi://SELF"};
enum { SETS = 2 };

/* Whatever level was asked for, all threads may call, where any may but the first (MPI 4.0, 11.3.1:
 * it may be more). */
static int level_tell(struct orr_object *s)
{
	if (!s->info)
		s->info = orr_info_copy(NULL);
	return s->info ? orr_info_put(s->info, "thread_level",
	                              orr_core_level(MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE
	                                  ? "MPI_THREAD_MULTIPLE"
	                                  : "MPI_THREAD_FUNNELED")
	               : MPI_ERR_NO_MEM;
}

int orr_Session_init(MPI_Info info, MPI_Errhandler errhandler, MPI_Session *session)
{
	int code = orr_core_session_begin(); /* first: threads may begin sessions at once */
	if (!code)
		code = orr_local_start();
	if (code)
		return code;
	struct orr_object *s = orr_object_new(ORR_SESSION, sizeof *s);
	if (!s)
		return MPI_ERR_NO_MEM;
	code = orr_errhandler_put(s, ORR_SESSION, errhandler);
	if (!code)
		code = orr_object_info_set(s, info);
	if (!code)
		code = level_tell(s);
	if (code) {
		if (orr_object_drop(s))
			orr_object_end(s);
		orr_core_session_end();
		return code;
	}
	*session = orr_handle(s);
	return MPI_SUCCESS;
}

int orr_Session_finalize(MPI_Session *session)
{
	struct orr_object *s = session ? orr_object(ORR_SESSION, *session) : NULL;
	if (!s)
		return MPI_ERR_SESSION;
	orr_handle_hide(s);
	if (orr_object_drop(s))
		orr_object_end(s);
	*session = MPI_SESSION_NULL;
	return orr_core_session_end();
}

int orr_Session_get_info(MPI_Session session, MPI_Info *info_used)
{
	const struct orr_object *s = orr_object(ORR_SESSION, session);
	return s ? orr_object_info_get(s, info_used) : MPI_ERR_SESSION;
}

int orr_Session_get_num_psets(MPI_Session session, MPI_Info info, int *npset_names)
{
	(void)info;
	if (!orr_object(ORR_SESSION, session))
		return MPI_ERR_SESSION;
	*npset_names = SETS;
	return MPI_SUCCESS;
}

int orr_Session_get_nth_pset(MPI_Session session, MPI_Info info, int n, int *pset_len,
                             char *pset_name)
{
	(void)info;
	if (!orr_object(ORR_SESSION, session))
		return MPI_ERR_SESSION;
	if (n < 0 || n >= SETS || !pset_len || (*pset_len > 0 && !pset_name))
		return MPI_ERR_ARG;
	if (*pset_len > 0)
		snprintf(pset_name, (size_t)*pset_len, "%s", sets[n]);
	*pset_len = (int)strlen(sets[n]) + 1;
	return MPI_SUCCESS;
}

static int set_find(const char *name, int *size)
{
	for (int i = 0; name && i < SETS; i++)
		if (text_same(name, sets[i])) {
			*size = i == 0 ? orr_core_processes() : 1;
			return i;
		}
	return -1;
}

int orr_Session_get_pset_info(MPI_Session session, const char *pset_name, MPI_Info *info)
{
	int size = 0;
	char text[16];
	if (!orr_object(ORR_SESSION, session))
		return MPI_ERR_SESSION;
	if (set_find(pset_name, &size) < 0)
		return MPI_ERR_ARG;
	snprintf(text, sizeof text, "%d", size);
	int code = orr_Info_create(info);
	return code ? code : orr_Info_set(*info, "mpi_size", text);
}

int orr_Group_from_session_pset(MPI_Session session, const char *pset_name, MPI_Group *newgroup)
{
	int size, i = set_find(pset_name, &size);
	if (!orr_object(ORR_SESSION, session))
		return MPI_ERR_SESSION;
	if (i < 0)
		return MPI_ERR_ARG;
	struct orr_group *g = orr_group_new(size, NULL);
	if (!g)
		return MPI_ERR_NO_MEM;
	for (int k = 0; k < size; k++)
		g->member[k] = i == 0 ? k : orr_core_process();
	orr_group_ready(g);
	*newgroup = orr_handle(g);
	return MPI_SUCCESS;
}
