/* calibrate_memory.c: `orrery calibrate memory`: copies and reductions on this computer. */
#include "calibrate/calibrate.h"
#include "calibrate_kinds.h"

int calibrate_memory(const struct args *a, struct err *err)
{
	struct memory_rates m;
	double seconds = 3, largest = 64 << 20;
	struct err why;
	struct str out;
	int r;

	if (calibrate_seconds(a, 3600, &seconds, err) < 0)
		return -1;
	if (args_has(a, OPT_LARGEST) &&
	    (units_parse(args_get(a, OPT_LARGEST), UNIT_SIZE, &largest, &why) < 0 ||
	     !(largest >= 256)))
		return err_set(
		    err, ERR_INPUT,
		    "calibrate: --largest: bytes of an array were expected, 256 at least, not '%s'",
		    args_get(a, OPT_LARGEST));
	if (memory_measure(&m, seconds, largest, err) < 0)
		return -1;
	str_init(&out);
	r = 0;
	if (args_has(a, OPT_OUT)) {
		memory_settings(&m, &out);
		r = print_made(args_get(a, OPT_OUT), &out, err);
		str_clear(&out);
	}
	if (args_has(a, OPT_JSON))
		memory_json(&m, &out);
	else
		memory_text(&m, &out);
	r = r == 0 ? print_stdout(&out, err) : -1;
	str_release(&out);
	return r;
}
