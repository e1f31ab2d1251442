/* otf2_absent.c: OTF2 without libotf2: an archive is recognised, and what is missing is said. */
#include "foreign.h"

#ifndef ORRERY_HAVE_OTF2
static int otf2_probe(const char *path, const unsigned char *head, size_t n, struct err *err)
{
	if (n <= 6 || head[0] != 3 || memcmp(head + 2, "OTF2", 4) != 0)
		return 0;
	return err_set(err, ERR_INPUT,
	               "%s: an OTF2 archive, which this orrery was built without (Debian: "
	               "libotf2-trace-dev; build anew)",
	               path);
}

const struct foreign_format foreign_otf2 = {.name = "OTF2", .probe = otf2_probe};
#endif
