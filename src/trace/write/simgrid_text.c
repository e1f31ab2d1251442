/* simgrid_text.c: the words that all lines of SimGrid's plain form are put together from, and what
 * is said where it has none. */
#include "simgrid_int.h"

int simgrid_cannot(uint32_t rank, const struct trace_event *ev, const char *why, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "rank %u: %s%s: %s; `orrery replay` takes the trace as it is", rank,
	               ev->flags & TRACE_NONBLOCKING ? "i" : "", trace_op_name(ev->op), why);
}

struct simgrid_unit simgrid_unit(int32_t type, int64_t size)
{
	static const struct simgrid_unit basic[] = {
	    {0, 8},
	    {1, 4},
	    {3, 2},
	    {TYPE_BYTE, 1}}; /* double, int, short, byte: times is their size */

	if (type >= 0 && trace_type_size(type) == size)
		return (struct simgrid_unit){type, 1};
	for (size_t i = 0; i < sizeof basic / sizeof *basic; i++)
		if (size % basic[i].times == 0)
			return (struct simgrid_unit){basic[i].type, size / basic[i].times};
	return (struct simgrid_unit){TYPE_BYTE, size};
}

int64_t simgrid_units(int64_t count, struct simgrid_unit u)
{
	int64_t units;

	return __builtin_mul_overflow(count, u.times, &units) ? INT64_MAX : units;
}

void simgrid_number(struct text *t, int64_t v)
{
	text_char(t, ' ');
	text_i64(t, v);
}

void simgrid_begin(struct text *t, uint32_t rank, const char *action)
{
	text_u64(t, rank);
	text_char(t, ' ');
	text_word(t, action);
}

void simgrid_end(struct text *t)
{
	text_char(t, '\n');
}
