/* proxy.h: callbacks that are not C functions of the front's ABI: each front's own (mpich.c, …). */
#ifndef ORRERY_LIBMPI_PROXY_H
#define ORRERY_LIBMPI_PROXY_H

#include "front_int.h"

struct callback *token_recent(int back); /* of this thread; 0 the last */

MPI_Fint fortran_Datatype(MPI_Datatype type);
void proxy_op(struct callback *c, void *in, void *inout, int len, N_Datatype type);
void java_op(struct callback *c, void *in, void *inout, int len, N_Datatype type);
int proxy_copy(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
               void *extra_state, void *value_in, void *value_out, int *flag);
int proxy_delete(struct callback *c, enum attr_kind kind, const void *handle, int keyval,
                 void *value, void *extra_state);
void proxy_errhandler(struct callback *c, enum error_kind kind, const void *handle, int *error,
                      const char *function);

#endif
