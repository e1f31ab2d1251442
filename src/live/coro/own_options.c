/* own_options.c: options of a command: how far getopt was is of each rank its own. */
#include "coro_int.h"

#include <getopt.h>

/* A program may have a copy of optind and so on, in the place of the C library's. */
struct options {
	int *optind, *opterr, *optopt;
	char **optarg;
};

static struct options options_in(void)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());
	struct options o = {
	    image_symbol(&c->image, slot, "optind"), image_symbol(&c->image, slot, "opterr"),
	    image_symbol(&c->image, slot, "optopt"), image_symbol(&c->image, slot, "optarg")};
	struct own *own = own_now();

	optind = o.optind ? *o.optind : own->options ? own->options - 1 : 1;
	if (!own->options && optind == 1)
		optind = 0; /* from the beginning */
	if (o.opterr)
		opterr = *o.opterr;
	return o;
}

static int options_out(const struct options *o, int found)
{
	if (o->optind)
		*o->optind = optind;
	if (o->optopt)
		*o->optopt = optopt;
	if (o->optarg)
		*o->optarg = optarg;
	own_now()->options = optind + 1;
	return found;
}

int own_getopt(int argc, char *const *argv, const char *letters)
{
	struct options o = options_in();

	return options_out(&o, getopt(argc, argv, letters));
}

int own_getopt_long(int argc, char *const *argv, const char *letters, const struct option *names,
                    int *index)
{
	struct options o = options_in();

	return options_out(&o, getopt_long(argc, argv, letters, names, index));
}

int own_getopt_long_only(int argc, char *const *argv, const char *letters,
                         const struct option *names, int *index)
{
	struct options o = options_in();

	return options_out(&o, getopt_long_only(argc, argv, letters, names, index));
}
