/* state.c: the state of a rank: its predefined objects, from the first call to the last. */
#include "comm.h"
#include "errhandler.h"
#include "errors.h"
#include "info.h"
#include "local.h"
#include "op.h"
#include "type.h"

#include <stdlib.h>

/* What another state has, and does not change, is used in common. */
static int borrow(struct orr_local *l)
{
	l->predefined = l->lender->predefined;
	l->as_mpich = l->lender->as_mpich;
	l->as_openmpi = l->lender->as_openmpi;
	l->file_handler = orr_object_keep(l->lender->file_handler);
	return orr_error_codes_start();
}

int orr_local_start(void)
{
	struct orr_local *l = orr_local();
	if (l->started)
		return MPI_SUCCESS;
	l->started = 1;
	if (l->lender)
		return borrow(l);
	l->predefined = calloc(ORR_HANDLES, sizeof *l->predefined);
	if (!l->predefined)
		return MPI_ERR_NO_MEM;
	int code = orr_types_start();
	if (!code)
		code = orr_errors_start();
	if (!code)
		code = orr_ops_start();
	if (!code)
		code = orr_groups_start();
	return code;
}

static void predefined_end(struct orr_object *o)
{
	switch (o->kind) {
	case ORR_TYPE:
		orr_type_drop((struct orr_type *)o);
		break;
	case ORR_OP:
		orr_op_drop((struct orr_op *)o);
		break;
	case ORR_GROUP:
		orr_group_drop((struct orr_group *)o);
		break;
	case ORR_INFO:
		orr_info_drop((struct orr_info *)o);
		break;
	case ORR_ERRHANDLER:
		orr_errhandler_drop((struct orr_errhandler *)o);
		break;
	case ORR_COMM:
		orr_comm_drop((struct orr_comm *)o);
		break;
	default:
		break;
	}
}

void orr_local_end(void)
{
	struct orr_local *l = orr_local();
	orr_attrs_end();
	orr_error_of(NULL, MPI_SUCCESS);
	orr_errors_end();
	for (int i = 0; i < ORR_OWN; i++)
		if (l->own[i])
			predefined_end(l->own[i]);
	if (l->environment)
		predefined_end(l->environment);
	l->environment = NULL;
	for (uint32_t i = 0; l->predefined && !l->lender && i < ORR_HANDLES; i++)
		if (l->predefined[i])
			predefined_end(l->predefined[i]);
	if (!l->lender)
		free(l->predefined);
	l->predefined = NULL;
	for (int k = 0; k < ORR_KINDS; k++)
		orr_table_end(&l->table[k]);
	l->started = 0;
}
