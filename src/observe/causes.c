/* causes.c: the words for what time is put down to. */
#include "causes.h"

const char *cause_name(enum cause c)
{
	static const char *const names[CAUSES] = {
	    [CAUSE_COMPUTE] = "computation",
	    [CAUSE_SLEEP] = "sleep",
	    [CAUSE_LATE] = "waiting for a late",
	    [CAUSE_LATENCY] = "latency",
	    [CAUSE_RESOURCE] = "bandwidth of",
	    [CAUSE_BOUND] = "alone on its way, limited by",
	    [CAUSE_TRANSFER] = "transfer:",
	    [CAUSE_WHOLE] = "collectives decided as a whole",
	    [CAUSE_ROUNDS] = "rounds of a ring that were taken to last as those before",
	    [CAUSE_FILES] = "files",
	    [CAUSE_OVERHEAD] = "overheads",
	};
	return names[c];
}

const char *cause_key(enum cause c)
{
	static const char *const keys[CAUSES] = {
	    [CAUSE_COMPUTE] = "computation", [CAUSE_SLEEP] = "sleep",
	    [CAUSE_LATE] = "late_peer",      [CAUSE_LATENCY] = "latency",
	    [CAUSE_RESOURCE] = "bandwidth",  [CAUSE_BOUND] = "alone",
	    [CAUSE_TRANSFER] = "transfer",   [CAUSE_WHOLE] = "whole_collective",
	    [CAUSE_ROUNDS] = "ring_rounds",  [CAUSE_FILES] = "files",
	    [CAUSE_OVERHEAD] = "overhead",
	};
	return keys[c];
}
