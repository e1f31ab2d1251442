/* radical.c: the number list of a cluster, "0-9,12,20-23", kept as ranges.
 *
 * Invariants: (1) lo <= hi in every range; (2) first is the sum of the sizes of the ranges before;
 * (3) consecutive ranges that continue each other are one ("0,1,2" is one range). Numbers may
 * repeat here: names.c refuses the names. */
#include "platform/platform_int.h"

#include <stdlib.h>
#include <string.h>

static const char *blanks_skip(const char *s)
{
	while (*s == ' ' || *s == '\t' || *s == '\n' || *s == '\r')
		s++;
	return s;
}

static int range_add(struct radical *r, uint32_t lo, uint32_t hi, struct err *err)
{
	if ((uint64_t)r->count + (hi - lo) + 1 > HOSTS_MAX)
		return err_set(err, ERR_INPUT, "radical: more than %d hosts", HOSTS_MAX);
	struct range *last = r->n ? &r->ranges[r->n - 1] : NULL;
	if (last && last->hi + 1 == lo) {
		last->hi = hi;
	} else {
		struct range *grown = vec_grow(r->ranges, &r->cap, sizeof *grown, (size_t)r->n + 1,
		                               "radical ranges", err);
		if (!grown)
			return -1;
		r->ranges = grown;
		r->ranges[r->n++] = (struct range){lo, hi, r->count};
	}
	r->count += hi - lo + 1;
	return 0;
}

/* A dash that a text processor has made longer looks the same, and has to be told. */
static int refuse(const char *text, const char *at, struct err *err)
{
	return err_set(err, ERR_INPUT,
	               "malformed radical '%.100s' at character %d: expected numbers and ranges "
	               "separated by commas, as in \"0-9,12,20-23\"%s",
	               text, (int)(at - text) + 1,
	               (unsigned char)*at >= 0x80
	                   ? " (it is no '-' of the keyboard, which it may look like)"
	                   : "");
}

static int number_parse(const char *text, const char **at, uint32_t *out, struct err *err)
{
	const char *s = *at;
	uint64_t v = 0;
	if (*s < '0' || *s > '9')
		return refuse(text, s, err);
	for (; *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (uint64_t)(*s - '0');
		if (v > INT32_MAX)
			return err_set(err, ERR_INPUT,
			               "number too large in radical '%.100s' at character %d: at "
			               "most %d",
			               text, (int)(*at - text) + 1, INT32_MAX);
	}
	*at = s;
	*out = (uint32_t)v;
	return 0;
}

static int item_parse(const char *text, const char **at, struct radical *r, struct err *err)
{
	uint32_t lo, hi;
	*at = blanks_skip(*at);
	const char *start = *at;
	if (number_parse(text, at, &lo, err) < 0)
		return -1;
	hi = lo;
	*at = blanks_skip(*at);
	if (**at == '-') {
		*at = blanks_skip(*at + 1);
		if (number_parse(text, at, &hi, err) < 0)
			return -1;
		*at = blanks_skip(*at);
	}
	if (hi < lo)
		return err_set(err, ERR_INPUT, "empty range '%.*s' in radical: %u is below %u",
		               (int)(*at - start), start, hi, lo);
	if (**at && **at != ',')
		return refuse(text, *at, err);
	return range_add(r, lo, hi, err);
}

int radical_parse(const char *text, struct radical *out, struct err *err)
{
	struct radical r = {0};
	const char *at = text;
	for (;;) {
		if (item_parse(text, &at, &r, err) < 0) {
			radical_release(&r);
			return -1;
		}
		if (!*at)
			break;
		at++; /* the comma */
	}
	*out = r;
	return 0;
}

void radical_release(struct radical *r)
{
	free(r->ranges);
	memset(r, 0, sizeof *r);
}

/* The last range whose first rank is not above `rank`. */
uint32_t radical_number(const struct radical *r, uint32_t rank)
{
	uint32_t lo = 0, hi = r->n;
	BUG_ON(rank >= r->count);
	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (r->ranges[mid].first <= rank)
			lo = mid;
		else
			hi = mid;
	}
	return r->ranges[lo].lo + (rank - r->ranges[lo].first);
}

void radical_truncate(struct radical *r, uint32_t count)
{
	if (count >= r->count)
		return;
	r->count = count;
	while (r->n && r->ranges[r->n - 1].first >= count)
		r->n--;
	if (r->n) {
		struct range *last = &r->ranges[r->n - 1];
		last->hi = last->lo + (count - 1 - last->first);
	}
}
