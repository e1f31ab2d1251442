/* automatic.c: the selector "automatic" as far as it is a function of the call: who runs the
 * program measures (mp/coll_auto.c) and asks here only for what the measured algorithm is made of.
 */
#include "coll/coll_int.h"

static const struct coll_alg *inner_choose(const struct coll_args *a)
{
	return coll_selector_ompi.choose(a);
}

const struct coll_selector coll_selector_automatic = {
    .name = "automatic",
    .help = "the fastest one, found by simulation: slow to choose, not what any library does",
    .choose = inner_choose};
