/* tool.c: the tool interface (MPI 4.0, chapter 15), as far as programs start with it: this library
 * has no control variables, performance variables, categories or events, and says so. */
#include "object.h"
#include "orr_mpi.h"

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

int orr_T_category_changed(int *update_number)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*update_number = 0;
	return MPI_SUCCESS;
}

int orr_T_category_get_categories(int cat_index, int len, int indices[])
{
	(void)cat_index;
	(void)len;
	(void)indices;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_category_get_cvars(int cat_index, int len, int indices[])
{
	(void)cat_index;
	(void)len;
	(void)indices;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_category_get_events(int cat_index, int len, int indices[])
{
	(void)cat_index;
	(void)len;
	(void)indices;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_category_get_index(const char *name, int *cat_index)
{
	(void)name;
	(void)cat_index;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_NAME;
}

int orr_T_category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len,
                            int *num_cvars, int *num_pvars, int *num_categories)
{
	(void)cat_index;
	(void)name;
	(void)name_len;
	(void)desc;
	(void)desc_len;
	(void)num_cvars;
	(void)num_pvars;
	(void)num_categories;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_category_get_num(int *num_cat)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*num_cat = 0;
	return MPI_SUCCESS;
}

int orr_T_category_get_num_events(int cat_index, int *num_events)
{
	(void)cat_index;
	(void)num_events;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_category_get_pvars(int cat_index, int len, int indices[])
{
	(void)cat_index;
	(void)len;
	(void)indices;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_cvar_get_index(const char *name, int *cvar_index)
{
	(void)name;
	(void)cvar_index;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_NAME;
}

int orr_T_cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *scope)
{
	(void)cvar_index;
	(void)name;
	(void)name_len;
	(void)verbosity;
	(void)datatype;
	(void)enumtype;
	(void)desc;
	(void)desc_len;
	(void)bind;
	(void)scope;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_cvar_get_num(int *num_cvar)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*num_cvar = 0;
	return MPI_SUCCESS;
}

int orr_T_cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count)
{
	(void)cvar_index;
	(void)obj_handle;
	(void)handle;
	(void)count;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_cvar_handle_free(MPI_T_cvar_handle *handle)
{
	(void)handle;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_cvar_read(MPI_T_cvar_handle handle, void *buf)
{
	(void)handle;
	(void)buf;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_cvar_write(MPI_T_cvar_handle handle, const void *buf)
{
	(void)handle;
	(void)buf;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_enum_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len)
{
	(void)enumtype;
	(void)num;
	(void)name;
	(void)name_len;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_enum_get_item(MPI_T_enum enumtype, int index, int *value, char *name, int *name_len)
{
	(void)enumtype;
	(void)index;
	(void)value;
	(void)name;
	(void)name_len;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_callback_get_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info *info_used)
{
	(void)event_registration;
	(void)cb_safety;
	(void)info_used;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_callback_set_info(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info info)
{
	(void)event_registration;
	(void)cb_safety;
	(void)info;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_copy(MPI_T_event_instance event_instance, void *buffer)
{
	(void)event_instance;
	(void)buffer;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_get_index(const char *name, int *event_index)
{
	(void)name;
	(void)event_index;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_NAME;
}

int orr_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                         MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                         int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc,
                         int *desc_len, int *bind)
{
	(void)event_index;
	(void)name;
	(void)name_len;
	(void)verbosity;
	(void)array_of_datatypes;
	(void)array_of_displacements;
	(void)num_elements;
	(void)enumtype;
	(void)info;
	(void)desc;
	(void)desc_len;
	(void)bind;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_event_get_num(int *num_events)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*num_events = 0;
	return MPI_SUCCESS;
}

int orr_T_event_get_source(MPI_T_event_instance event_instance, int *source_index)
{
	(void)event_instance;
	(void)source_index;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_get_timestamp(MPI_T_event_instance event_instance, MPI_Count *event_timestamp)
{
	(void)event_instance;
	(void)event_timestamp;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_handle_alloc(int event_index, void *obj_handle, MPI_Info info,
                             MPI_T_event_registration *event_registration)
{
	(void)event_index;
	(void)obj_handle;
	(void)info;
	(void)event_registration;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                            MPI_T_event_free_cb_function free_cb_function)
{
	(void)event_registration;
	(void)user_data;
	(void)free_cb_function;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_handle_get_info(MPI_T_event_registration event_registration, MPI_Info *info_used)
{
	(void)event_registration;
	(void)info_used;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_handle_set_info(MPI_T_event_registration event_registration, MPI_Info info)
{
	(void)event_registration;
	(void)info;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_read(MPI_T_event_instance event_instance, int element_index, void *buffer)
{
	(void)event_instance;
	(void)element_index;
	(void)buffer;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_register_callback(MPI_T_event_registration event_registration,
                                  MPI_T_cb_safety cb_safety, MPI_Info info, void *user_data,
                                  MPI_T_event_cb_function event_cb_function)
{
	(void)event_registration;
	(void)cb_safety;
	(void)info;
	(void)user_data;
	(void)event_cb_function;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                    MPI_T_event_dropped_cb_function dropped_cb_function)
{
	(void)event_registration;
	(void)dropped_cb_function;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_get_index(const char *name, int var_class, int *pvar_index)
{
	(void)name;
	(void)var_class;
	(void)pvar_index;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_NAME;
}

int orr_T_pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                        MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len,
                        int *bind, int *readonly, int *continuous, int *atomic)
{
	(void)pvar_index;
	(void)name;
	(void)name_len;
	(void)verbosity;
	(void)var_class;
	(void)datatype;
	(void)enumtype;
	(void)desc;
	(void)desc_len;
	(void)bind;
	(void)readonly;
	(void)continuous;
	(void)atomic;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_pvar_get_num(int *num_pvar)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*num_pvar = 0;
	return MPI_SUCCESS;
}

int orr_T_pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle,
                            MPI_T_pvar_handle *handle, int *count)
{
	(void)session;
	(void)pvar_index;
	(void)obj_handle;
	(void)handle;
	(void)count;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle)
{
	(void)session;
	(void)handle;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	(void)session;
	(void)handle;
	(void)buf;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf)
{
	(void)session;
	(void)handle;
	(void)buf;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	(void)session;
	(void)handle;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_session_create(MPI_T_pvar_session *session)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*session = (MPI_T_pvar_session)(uintptr_t)2;
	return MPI_SUCCESS;
}

int orr_T_pvar_session_free(MPI_T_pvar_session *session)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	if (*session != (MPI_T_pvar_session)(uintptr_t)2)
		return MPI_T_ERR_INVALID_SESSION;
	*session = MPI_T_PVAR_SESSION_NULL;
	return MPI_SUCCESS;
}

int orr_T_pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	(void)session;
	(void)handle;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle)
{
	(void)session;
	(void)handle;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf)
{
	(void)session;
	(void)handle;
	(void)buf;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_HANDLE;
}

int orr_T_source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                          MPI_T_source_order *ordering, MPI_Count *ticks_per_second,
                          MPI_Count *max_ticks, MPI_Info *info)
{
	(void)source_index;
	(void)name;
	(void)name_len;
	(void)desc;
	(void)desc_len;
	(void)ordering;
	(void)ticks_per_second;
	(void)max_ticks;
	(void)info;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}

int orr_T_source_get_num(int *num_sources)
{
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	*num_sources = 0;
	return MPI_SUCCESS;
}

int orr_T_source_get_timestamp(int source_index, MPI_Count *timestamp)
{
	(void)source_index;
	(void)timestamp;
	if (!ready())
		return MPI_T_ERR_NOT_INITIALIZED;
	return MPI_T_ERR_INVALID_INDEX;
}
