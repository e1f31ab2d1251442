/* comm_setup.h: whose way of making communicators is followed. */
#ifndef ORRERY_MP_COMM_SETUP_H
#define ORRERY_MP_COMM_SETUP_H

struct mp;

enum comm_library { SETUP_NONE, SETUP_MPICH, SETUP_OMPI };
enum comm_library comm_setup_library(const struct mp *mp);

#endif
