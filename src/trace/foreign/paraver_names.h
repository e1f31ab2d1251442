/* paraver_names.h: Extrae's numbers of MPI functions. */
#ifndef ORRERY_TRACE_FOREIGN_PARAVER_NAMES_H
#define ORRERY_TRACE_FOREIGN_PARAVER_NAMES_H

#include <stdint.h>

/* Its name without MPI_, or NULL: there is none with this number. */
const char *paraver_name(int64_t value);

#endif
