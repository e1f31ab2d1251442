/* verbs.h: the verbs, one per file. To add one: its file, its line here, its line in verbs.c. */
#ifndef ORRERY_CLI_VERBS_H
#define ORRERY_CLI_VERBS_H

#include "cli.h"

extern const struct verb verb_trace, verb_run, verb_can_run, verb_cc, verb_cxx, verb_fc,
    verb_replay, verb_info, verb_convert, verb_platform, verb_export, verb_calibrate, verb_coll,
    verb_tune, verb_diff, verb_gather;

#endif
