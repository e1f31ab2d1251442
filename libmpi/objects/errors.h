/* errors.h: how the codes of errors begin. */
#ifndef ORRERY_LIBMPI_ERRORS_H
#define ORRERY_LIBMPI_ERRORS_H

int orr_error_codes_start(void);

#endif
