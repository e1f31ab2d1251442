/* local.h: how the parts of a rank's state begin and end. */
#ifndef ORRERY_LIBMPI_LOCAL_H
#define ORRERY_LIBMPI_LOCAL_H

struct orr_errhandler;
struct orr_info;

int orr_types_start(void);
int orr_errors_start(void);
int orr_ops_start(void);
int orr_groups_start(void);
int orr_infos_start(void);
void orr_attrs_end(void);
void orr_errors_end(void);
void orr_errhandler_drop(struct orr_errhandler *h);
void orr_info_drop(struct orr_info *info);
#endif
