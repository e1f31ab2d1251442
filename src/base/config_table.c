/* config_table.c: the syntax of factor and overhead tables, checked where the setting is given so
 * that the message has its place. Values are times as SimGrid reads them ("1us" is 1e-6),
 * thresholds are whole numbers (1e9 is one): bytes, or instructions. The meaning is in the room
 * net. */
#include "config_int.h"

#include "num.h"
#include "units.h"

#include <string.h>

enum { FIELD_MAX = 64 };

static const char blanks[] = " \t\r\n";

/* One number between two separators, given as [s, s + n). */
static int field_check(const char *s, size_t n, int is_threshold)
{
	char field[FIELD_MAX];
	int64_t threshold;
	double v;

	if (n == 0 || n >= sizeof field)
		return -1;
	if (is_threshold)
		return num_parse_count(s, n, &threshold) < 0 || threshold < 0 ? -1 : 0;
	memcpy(field, s, n);
	field[n] = '\0';
	return units_parse(field, UNIT_TIME, &v, NULL);
}

/* "threshold:value[:value…]" of n bytes. */
static int section_check(const char *s, size_t n)
{
	const char *end = s + n;
	int fields = 0;
	size_t length;

	for (;; s += length + 1) {
		const char *colon = memchr(s, ':', (size_t)(end - s));

		length = (size_t)((colon ? colon : end) - s);
		if (field_check(s, length, fields == 0) < 0)
			return -1;
		fields++;
		if (!colon)
			return fields >= 2 ? 0 : -1;
	}
}

int config_table_check(const struct config_row *row, const char *text, struct err *err)
{
	const char *s, *end;
	int sections = 0;
	size_t n;

	if (!strpbrk(text, ":;")) { /* one constant; in a section a fit may have a negative part */
		int is_time = row->unit[0] == 's', is_less = text[strspn(text, blanks)] == '-';

		return field_check(text, strlen(text), 0) == 0 && !(is_time && is_less)
		           ? 0
		           : err_set(
		                 err, ERR_INPUT,
		                 "setting %s takes a number or size:value;size:value;…, not \"%s\"",
		                 row->name, text);
	}
	for (s = text; *s; s = *end ? end + 1 : end) {
		end = s + strcspn(s, ";");
		s += strspn(s, blanks);
		for (n = s < end ? (size_t)(end - s) : 0; n > 0 && strchr(blanks, s[n - 1]); n--)
			;
		if (n == 0)
			continue; /* ";;", or a last ';' */
		if (section_check(s, n) < 0)
			return err_set(err, ERR_INPUT,
			               "setting %s: \"%.*s\" is not a section size:value[:value]",
			               row->name, (int)n, s);
		sections++;
	}
	if (sections == 0)
		return err_set(err, ERR_INPUT, "setting %s: the table \"%s\" has no section",
		               row->name, text);
	return 0;
}
