/* place.c: where a rank is in its program, in words: errors that end the run, and lines of the
 * report. */
#include "mp_int.h"

#include <stdarg.h>
#include <stdio.h>

const char *mp_place(const struct mp *mp, uint32_t rank, char *buf, size_t n)
{
	buf[0] = '\0';
	return mp->program.place && rank != NONE && !mp->ranks[rank].ended
	           ? mp->program.place(mp->program.self, rank, buf, n)
	           : buf;
}

const char *where_text(const struct mp *mp, uint32_t rank, uint32_t event, char *buf, size_t n)
{
	char place[WHERE_MAX - 64] = "";
	int numbered = mp->program.event != NULL;

	if (mp->program.place_of)
		mp->program.place_of(mp->program.self, rank, event, place, sizeof place);
	else if (event == event_of(mp, rank))
		mp_place(mp, rank, place, sizeof place);
	snprintf(buf, n, "%s %u%s%s", numbered ? "event" : "operation", event, *place ? ", " : "",
	         place);
	return buf;
}

int mp_error(struct mp *mp, uint32_t rank, struct err *err, const char *fmt, ...)
{
	char text[ERR_TEXT_MAX], place[256], who[32] = "a collective in the background";
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	mp_place(mp, rank, place, sizeof place);
	if (rank != NONE)
		snprintf(who, sizeof who, "rank %u", rank);
	return err_set(err, ERR_PROGRAM, "%s at %.9g s%s%s: %s", who, engine_now(mp->engine),
	               *place ? ", " : "", place, text);
}

void mp_report_add(struct mp *mp, uint32_t rank, const char *place, const char *text)
{
	mp_wrong(mp, "rank %u%s%s: %s", rank, *place ? ", " : "", place, text);
}

void mp_wrong(struct mp *mp, const char *fmt, ...)
{
	char text[2048];
	va_list ap;

	if (mp->report.n++ >= REPORT_LINES)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (mp->program.wrong)
		mp->program.wrong(mp->program.self, text);
	else
		str_printf(&mp->report.lines, "%s\n", text);
}
