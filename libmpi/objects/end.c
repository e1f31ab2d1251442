/* end.c: predefined objects are released. */
#include "comm.h"
#include "info.h"
#include "local.h"
#include "op.h"
#include "type.h"

void orr_predefined_end(struct orr_object *o)
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
