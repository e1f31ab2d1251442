/* tool.c: the tool interface (MPI 4.0, chapter 15), as far as programs start with it: this library
 * has no control variables, performance variables, categories or events, and says so. What is
 * about one of them refuses it: generated (tool_none.py). */
#include "object.h"
#include "orr_mpi.h"

#define THE_SESSION ((MPI_T_pvar_session)(uintptr_t)2) /* all are the same: nothing is in one */

static int ready(void)
{
	return orr_local()->tools > 0;
}

int orr_T_init_thread(int required, int *provided)
{
	int code = orr_local_start();
	if (code)
		return MPI_T_ERR_MEMORY;
	orr_local()->tools++;
	*provided = required;
	return MPI_SUCCESS;
}

int orr_T_finalize(void)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	orr_local()->tools--;
	return MPI_SUCCESS;
}

/* --- how many there are --- */

static int none(int *n)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*n = 0;
	return MPI_SUCCESS;
}

int orr_T_category_changed(int *update_number)
{
	return none(update_number);
}

int orr_T_category_get_num(int *num_cat)
{
	return none(num_cat);
}

int orr_T_cvar_get_num(int *num_cvar)
{
	return none(num_cvar);
}

int orr_T_event_get_num(int *num_events)
{
	return none(num_events);
}

int orr_T_pvar_get_num(int *num_pvar)
{
	return none(num_pvar);
}

int orr_T_source_get_num(int *num_sources)
{
	return none(num_sources);
}

/* --- sessions of performance variables --- */

int orr_T_pvar_session_create(MPI_T_pvar_session *session)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*session = THE_SESSION;
	return MPI_SUCCESS;
}

int orr_T_pvar_session_free(MPI_T_pvar_session *session)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	if (*session != THE_SESSION)
		return MPI_T_ERR_INVALID_SESSION;
	*session = MPI_T_PVAR_SESSION_NULL;
	return MPI_SUCCESS;
}

/* 15.3.7: MPI_T_PVAR_ALL_HANDLES stands for those that the session has, and none is no error. No
 * other handle was ever made; each ABI has another value for this one. */
static int all_of_none(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	if (session != THE_SESSION)
		return MPI_T_ERR_INVALID_SESSION;
	return handle == MPI_T_PVAR_HANDLE_NULL ? MPI_T_ERR_INVALID_HANDLE : MPI_SUCCESS;
}

int orr_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return all_of_none(session, handle);
}

int orr_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return all_of_none(session, handle);
}

int orr_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	return all_of_none(session, handle);
}

/* --- what is about one of them --- */

#include "tool_none.h"
