/* zone_none.c: routing="None": no ways at all: a platform for computation only, or for models that
 * ask for no route. */
#include "platform/platform_int.h"

const struct zone_kind zone_none = {
    .name = "None",
    .describe = "no routes",
};
