/* smpi/mpi.h: as smpi/smpi.h. */
#include <smpi/smpi.h>
