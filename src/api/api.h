/* api.h: the face of the room behind include/orrery/orrery.h, which is all there is of it. */
#ifndef ORRERY_API_H
#define ORRERY_API_H

#include <orrery/orrery.h>

#endif
