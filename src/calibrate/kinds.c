/* kinds.c: see kinds.h. */
#include "kinds.h"

#include <stddef.h>
#include <string.h>

enum { NAMES = 3 };
static const struct {
	const char *column[NAMES]; /* all of them are there */
	const char *told;
} kinds[] = {
    {{"m", "k", "duration"},
     ": these are calls of a kernel, which 'orrery calibrate kernel --from' takes"},
    {{"op", "size", "duration"},
     ": these are messages, which 'orrery calibrate network --from' takes"},
    {{"kind", "cpu", "quantum"},
     ": this is noise of an operating system, which 'orrery calibrate noise --from' takes"},
};

static int is_there(const char *name, char *const *field, int fields)
{
	int there = 0;

	for (int i = 0; i < fields; i++)
		there |= strcmp(field[i], name) == 0;
	return there;
}

const char *kind_told(char *const *field, int fields)
{
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
		int all = 1;

		for (int i = 0; i < NAMES; i++)
			all &= is_there(kinds[k].column[i], field, fields);
		if (all)
			return kinds[k].told;
	}
	return fields > 0 && strncmp(field[0], "MPI_", 4) == 0 ? kinds[1].told : "";
}
