/* mesh.h: ranks as a mesh, for STAR-MPI's exchanges along its lines. */
#ifndef ORRERY_COLL_MESH_H
#define ORRERY_COLL_MESH_H

#include "coll/coll_int.h"

struct mesh {
	uint32_t x, y, z; /* x lines of y ranks in each of z planes; x = 0: p is no such product */
};
struct mesh mesh_2d(uint32_t p); /* x <= y, as square as possible; z = 1 */
struct mesh mesh_3d(
    uint32_t p); /* x = y, the smallest at or above the cube root whose square divides p */

/* One line of n ranks, first + i stride: receives from all others are posted, then all others are
 * sent to, blocking, then waits. */
struct mesh_line {
	uint32_t first, stride, n;
};
struct mesh_line mesh_row(const struct mesh *m, uint32_t rank);    /* its y ranks are consecutive */
struct mesh_line mesh_column(const struct mesh *m, uint32_t rank); /* of its plane */

#endif
