/* read_values.c: attribute values of SimGrid's format. */
#include "platform/reader.h"

#include <math.h>
#include <string.h>

static int refuse(const struct xml *x, const char *attr, const char *why, struct err *err)
{
	return xml_error(x, xml_place_of(x, attr), err, "%s of <%s>: %s", attr, xml_tag(x), why);
}

int value_read(const struct xml *x, const char *attr, enum unit_kind kind, double *out,
               struct err *err)
{
	struct err why;
	if (units_parse(xml_get(x, attr), kind, out, &why) < 0)
		return refuse(x, attr, why.text, err);
	return 0;
}

#define TIME_MOST 1e100 /* s: of latencies there are sums, and products with factors */

int value_read_time(const struct reader *r, const struct xml *x, const char *attr, double *out,
                    struct err *err)
{
	struct err why;
	int got = (r->b.p->compat ? units_parse_product : units_parse)(xml_get(x, attr), UNIT_TIME,
	                                                               out, &why);
	if (got < 0)
		return refuse(x, attr, why.text, err);
	return fabs(*out) > TIME_MOST ? refuse(x, attr, "it is too large", err) : 0;
}

static int not_negative(const struct xml *x, const char *attr, double v, struct err *err)
{
	return v < 0 ? refuse(x, attr, "cannot be negative", err) : 0;
}

int value_read_time_optional(const struct reader *r, const struct xml *x, const char *attr,
                             double *out, struct err *err)
{
	*out = 0;
	if (!*xml_get(x, attr))
		return 0;
	if (value_read_time(r, x, attr, out, err) < 0)
		return -1;
	return not_negative(x, attr, *out, err);
}

int value_read_optional(const struct xml *x, const char *attr, enum unit_kind kind, double *out,
                        struct err *err)
{
	*out = 0;
	if (!*xml_get(x, attr))
		return 0;
	if (value_read(x, attr, kind, out, err) < 0)
		return -1;
	return not_negative(x, attr, *out, err);
}

static int is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Copies item number `index` of a comma-separated list, blanks around it removed. Returns its
 * length, -1: no such item, or -2: it is too long. */
static int item_get(const char *list, uint32_t index, char *buf, size_t n)
{
	for (; index; index--) {
		list = strchr(list, ',');
		if (!list)
			return -1;
		list++;
	}
	size_t len = strcspn(list, ",");
	while (len && is_blank(*list))
		list++, len--;
	while (len && is_blank(list[len - 1]))
		len--;
	if (len >= n)
		return -2;
	memcpy(buf, list, len);
	buf[len] = 0;
	return (int)len;
}

/* "1,5Gf" is not the two states 1 f and 5 Gf: somebody's decimal mark is a comma. */
static int is_decimal_comma(const char *item, const char *before)
{
	size_t n = strlen(item), m = strlen(before);
	return m && before[m - 1] >= '0' && before[m - 1] <= '9' &&
	       !(item[n - 1] >= '0' && item[n - 1] <= '9');
}

int value_read_speed(const struct reader *r, const struct xml *x, uint32_t pstate, int least,
                     double *out, struct err *err)
{
	char item[128], before[128] = "";
	struct err why;
	int length;
	uint32_t i;
	double v;
	for (i = 0; (length = item_get(xml_get(x, "speed"), i, item, sizeof item)) >= 0; i++) {
		if (units_parse(item, UNIT_SPEED, &v, &why) < 0)
			return refuse(x, "speed", why.text, err);
		if (v < 0 || (v == 0 && i == pstate && least > 0)) /* 0: a state of booting */
			return refuse(x, "speed",
			              least > 0 ? "must be positive" : "cannot be negative", err);
		if (!r->b.p->compat && is_decimal_comma(item, before))
			return refuse(x, "speed",
			              "a comma separates the speeds of pstates, and either all "
			              "have a unit or none: is it a decimal point that was meant?",
			              err);
		if (i == pstate)
			*out = v;
		memcpy(before, item, sizeof item);
	}
	if (length == -2)
		return refuse(x, "speed", "more than 127 characters are no number", err);
	return pstate < i ? 0 : refuse(x, "speed", "the list has no value for this pstate", err);
}

int value_read_int(const struct xml *x, const char *attr, int64_t min, int64_t max, int64_t *out,
                   struct err *err)
{
	const char *text = xml_get(x, attr);
	if (num_parse_count(text, strlen(text), out) < 0 || *out < min || *out > max)
		return xml_error(x, xml_place_of(x, attr), err,
		                 "%s of <%s> is '%.100s', expected an integer from %lld to %lld",
		                 attr, xml_tag(x), text, (long long)min, (long long)max);
	return 0;
}

static int coords_parse(const char *s, double out[3])
{
	for (int i = 0; i < 3; i++) {
		while (is_blank(*s))
			s++;
		size_t n = strcspn(s, " \t\r\n");
		if (num_parse_double(s, n, &out[i]) < 0)
			return -1;
		s += n;
	}
	while (is_blank(*s))
		s++;
	return *s ? -1 : 0;
}

int value_read_coords(const struct xml *x, struct arena *a, const double **out, struct err *err)
{
	double xyz[3];
	*out = NULL;
	if (!*xml_get(x, "coordinates"))
		return 0;
	if (coords_parse(xml_get(x, "coordinates"), xyz) < 0)
		return refuse(x, "coordinates", "expected three numbers separated by blanks", err);
	double *kept = arena_alloc(a, sizeof xyz, err);
	if (!kept)
		return -1;
	memcpy(kept, xyz, sizeof xyz);
	*out = kept;
	return 0;
}

int value_refuse(const struct xml *x, const char *attr, const char *why, struct err *err)
{
	return xml_given(x, attr) && *xml_get(x, attr) ? refuse(x, attr, why, err) : 0;
}
