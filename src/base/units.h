/* units.h: numbers with units, as SimGrid platforms write them: number immediately followed by the
 * unit, case matters. Time: w d h m s ms us ns ps. Bandwidth: Bps and bps (1/8) with k M G T P E Z
 * Y (x1000) and Ki Mi Gi Ti Pi Ei Zi Yi (x1024). Size: B and b, same prefixes. Speed: f with k M G
 * T P E Z Y, and "flops" with kilo mega giga tera peta exa zeta zetta yotta. Results are in
 * seconds, bytes/s, bytes, flop/s (or instructions/s). Source: SimGrid 3.32/4.1 reference,
 * "Units". */
#ifndef ORRERY_BASE_UNITS_H
#define ORRERY_BASE_UNITS_H

#include "err.h"

enum unit_kind { UNIT_TIME, UNIT_BANDWIDTH, UNIT_SIZE, UNIT_SPEED, UNIT_KINDS };

/* A bare number gets the default unit of its kind. Fails (without place: wrap with err_at) on
 * garbage, unknown unit, nan, inf. The message names the units that exist and, for the common slip
 * (KBps, GF), the right spelling. */
int units_parse(const char *text, enum unit_kind kind, double *out, struct err *err);
/* The same as SimGrid rounds it, which multiplies where we divide: 50us is 50·1e-6, the double
 * below the one nearest to 50e-6. */
int units_parse_product(const char *text, enum unit_kind kind, double *out, struct err *err);

/* What a volume of computation counts: of a trace; and, per second, of a machine's speed. */
enum volume_unit {
	VOLUME_UNKNOWN, /* nobody said */
	VOLUME_INSTRUCTIONS,
	VOLUME_FLOPS,
	VOLUME_SECONDS, /* of a processor, times the trace's nominal rate (1e9) */
	VOLUME_ELAPSED, /* seconds that passed, likewise */
	VOLUME_MADE_UP, /* a number of calls: nothing of a machine */
	VOLUME_ANY,     /* of a machine: whatever the traces count */
	VOLUME_UNITS
};
const char *volume_unit_word(enum volume_unit u); /* "instructions", …; "" for VOLUME_UNKNOWN */
/* The unit of that word; VOLUME_UNITS: there is none. */
enum volume_unit volume_unit_find(const char *word);

#endif
