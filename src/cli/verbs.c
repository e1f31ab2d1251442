/* verbs.c: the list of verbs, in the order of help. */
#include "verbs.h"

#include <stddef.h>

const struct verb *const verbs[] = {
    &verb_trace,     &verb_run,  &verb_can_run, &verb_cc,     &verb_cxx,      &verb_fc,
    &verb_replay,    &verb_info, &verb_convert, &verb_gather, &verb_platform, &verb_export,
    &verb_calibrate, &verb_coll, &verb_tune,    &verb_diff,   NULL,
};
