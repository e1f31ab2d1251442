/* calibrate.h: the face of the calibrate room: fits of measurements (fit.h), models of networks
 * made with them (network.h); simulated runs beside real ones (compare.h). */
#ifndef ORRERY_CALIBRATE_CALIBRATE_H
#define ORRERY_CALIBRATE_CALIBRATE_H

#include "compare/compare.h"
#include "cpu_runs.h"
#include "fit/fit.h"
#include "kernel.h"
#include "machine.h"
#include "measurer.h"
#include "memory.h"
#include "network/campaign.h"
#include "network/network.h"
#include "network/network_result.h"
#include "osnoise/osnoise.h"
#include "processor.h"

#endif
