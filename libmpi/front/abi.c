/* abi.c: what libmpi_abi.so.0 has beside MPI's functions: handles as integers. The standard's ABI
 * leaves Fortran to libraries on top of it, which register no callbacks of their own: no proxies.
 */
#include "front_int.h"

#include "proxy.h"

/* No handle of this ABI is an address. */
unsigned char *front_place;

void front_moved(const void *own, uint64_t offset)
{
	(void)own;
	(void)offset;
}

const char *front_name(void)
{
	return "MPI standard ABI 1.0";
}

/* A handle is a number that an int holds. */
#define CONVERT(name, kind) \
	CONVERSIONS(MPI_##kind, int, name##_toint, name##_fromint, (int)(intptr_t)handle, \
	            (MPI_##kind)(intptr_t)handle) \
	CONVERSIONS(MPI_##kind, MPI_Fint, name##_c2f, name##_f2c, (int)(intptr_t)handle, \
	            (MPI_##kind)(intptr_t)handle)
CONVERT(Comm, Comm)
CONVERT(Type, Datatype)
CONVERT(Errhandler, Errhandler)
CONVERT(File, File)
CONVERT(Group, Group)
CONVERT(Info, Info)
CONVERT(Message, Message)
CONVERT(Op, Op)
CONVERT(Request, Request)
CONVERT(Session, Session)
CONVERT(Win, Win)

#define COPY_STATUS(name) \
	FRONT int P##name(const void *from, void *to); \
	int P##name(const void *from, void *to) \
	{ \
		memcpy(to, from, sizeof(MPI_Status)); \
		return 0; \
	} \
	ALIAS(name)
COPY_STATUS(MPI_Status_c2f)
COPY_STATUS(MPI_Status_f2c)
COPY_STATUS(MPI_Status_c2f08)
COPY_STATUS(MPI_Status_f082c)
COPY_STATUS(MPI_Status_f082f)
COPY_STATUS(MPI_Status_f2f08)

FRONT int PMPI_Abi_get_version(int *abi_major, int *abi_minor);
int PMPI_Abi_get_version(int *abi_major, int *abi_minor)
{
	*abi_major = MPI_ABI_VERSION;
	*abi_minor = MPI_ABI_SUBVERSION;
	return MPI_SUCCESS;
}
ALIAS(MPI_Abi_get_version)

/* What this library knows of Fortran: nothing that a program could not ask its compiler. */
FRONT int PMPI_Abi_get_info(MPI_Info *info);
int PMPI_Abi_get_info(MPI_Info *info)
{
	int rc = orr_Info_create(info);

	if (!rc)
		rc = orr_Info_set(*info, "mpi_aint_size", "8");
	if (!rc)
		rc = orr_Info_set(*info, "mpi_count_size", "8");
	return rc ? rc : orr_Info_set(*info, "mpi_offset_size", "8");
}
ALIAS(MPI_Abi_get_info)

MPI_Fint fortran_Datatype(MPI_Datatype type)
{
	return (MPI_Fint)(intptr_t)type;
}

/* No token of this front has a language but C. */
void proxy_op(struct callback *c, void *in, void *inout, int len, N_Datatype type)
{
	(void)c, (void)in, (void)inout, (void)len, (void)type;
}

int proxy_copy(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
               void *extra_state, void *value_in, void *value_out, int *flag)
{
	(void)c, (void)kind, (void)handle, (void)keyval, (void)extra_state;
	(void)value_in, (void)value_out, (void)flag;
	return MPI_ERR_INTERN;
}

int proxy_delete(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
                 void *value, void *extra_state)
{
	(void)c, (void)kind, (void)handle, (void)keyval, (void)value, (void)extra_state;
	return MPI_ERR_INTERN;
}

void *front_errors_throw(void)
{
	return NULL;
}

void proxy_errhandler(struct callback *c, enum error_kind kind, const void *handle, int *error,
                      const char *function)
{
	(void)c, (void)kind, (void)handle, (void)error, (void)function;
}
