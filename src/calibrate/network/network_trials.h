/* network_trials.h: small random programs that no term of the model is fitted to: what those who
 * draw them and those who compare them have in common. */
#ifndef ORRERY_CALIBRATE_NETWORK_TRIALS_H
#define ORRERY_CALIBRATE_NETWORK_TRIALS_H

#include "network.h"

enum {
	TRIALS_HOSTS = 16, /* that take part, at most */
	TRIALS_CLASSES = 3 /* of sizes: from 0, from TRIALS_SMALL, from the threshold */
};
/* Bytes: one packet, whatever the network. */
static const double TRIALS_SMALL = 1024;

#endif
