/* algs.h: the algorithms by name, for who runs one whatever the user has chosen. Part of the face.
 */
#ifndef ORRERY_COLL_ALGS_H
#define ORRERY_COLL_ALGS_H

#include "coll.h"

#define COLL_ALG(kind, name) extern const struct coll_alg coll_##kind##_##name;
#include "coll_algs.def"
#undef COLL_ALG

#endif
