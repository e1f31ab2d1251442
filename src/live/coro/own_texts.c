/* own_texts.c: what the C library returns in one place for a process (dates, texts of errors,
 * formats of numbers), and the table of hsearch: of each rank its own, so that it finds there what
 * it left when others have run. */
#include "coro_int.h"

#include <errno.h>
#include <search.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

struct own_texts {
	struct tm tm;
	char date[128], error[128];
	struct lconv numbers;
	struct hsearch_data table;
	int has_table;
};

static struct own_texts *texts(void)
{
	struct own *o = own_now();

	if (!o->texts)
		o->texts = calloc(1, sizeof *o->texts);
	if (!o->texts)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its state");
	return o->texts;
}

struct tm *own_gmtime(const time_t *t)
{
	return gmtime_r(t, &texts()->tm);
}

struct tm *own_localtime(const time_t *t)
{
	tzset(); /* its TZ */
	return localtime_r(t, &texts()->tm);
}

/* The form that the C standard gives, in which English names are cut out. */
char *own_asctime(const struct tm *tm)
{
	static const char days[] = "SunMonTueWedThuFriSat",
	                  months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	struct own_texts *own = texts();
	const char *day, *month;

	if (!tm) {
		errno = EINVAL;
		return NULL;
	}
	day = tm->tm_wday >= 0 && tm->tm_wday < 7 ? days + (ptrdiff_t)3 * tm->tm_wday : "???";
	month = tm->tm_mon >= 0 && tm->tm_mon < 12 ? months + (ptrdiff_t)3 * tm->tm_mon : "???";
	snprintf(own->date, sizeof own->date, "%.3s %.3s%3d %.2d:%.2d:%.2d %lld\n", day, month,
	         tm->tm_mday, tm->tm_hour, tm->tm_min, tm->tm_sec, 1900LL + tm->tm_year);
	return own->date;
}

char *own_ctime(const time_t *t)
{
	const struct tm *tm = own_localtime(t);

	return tm ? own_asctime(tm) : NULL;
}

char *own_strerror(int number)
{
	return strerror_r(number, texts()->error, sizeof texts()->error);
}

struct lconv *own_localeconv(void)
{
	struct own_texts *own = texts();

	own->numbers = *localeconv();
	return &own->numbers;
}

/* --- hsearch --- */

int own_hcreate(size_t n)
{
	struct own_texts *own = texts();

	if (own->has_table)
		return 0; /* as the C library has it */
	memset(&own->table, 0, sizeof own->table);
	own->has_table = hcreate_r(n, &own->table);
	return own->has_table;
}

ENTRY *own_hsearch(ENTRY item, ACTION action)
{
	struct own_texts *own = texts();
	ENTRY *found = NULL;

	if (!own->has_table) {
		errno = action == FIND ? ESRCH : ENOMEM;
		return NULL;
	}
	return hsearch_r(item, action, &found, &own->table) ? found : NULL;
}

void own_hdestroy(void)
{
	struct own_texts *own = texts();

	if (own->has_table)
		hdestroy_r(&own->table);
	own->has_table = 0;
}

void own_texts_release(struct own *o)
{
	if (o->texts && o->texts->has_table)
		hdestroy_r(&o->texts->table);
	free(o->texts);
}
