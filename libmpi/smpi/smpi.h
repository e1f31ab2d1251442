/* smpi/smpi.h: programs for SimGrid's SMPI include this; `orrery cc` finds it. What it offers of
 * SMPI is in orrery/smpi.h. */
#include <mpi.h>
#include <orrery/smpi.h>
