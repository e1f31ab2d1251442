/* fuzz_num.c: strict numbers against strtod and strtoll: what is accepted has their value, and they
 * read it to its end. */
#include "base/num.h"
#include "base/str.h"

#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition)
{
	if (!condition)
		abort();
}

static void check_round_trip(double v)
{
	struct str s;

	str_init(&s);
	str_put_double(&s, v);
	check(!s.failed && strtod(s.s, NULL) == v);
	str_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = strndup((const char *)data, size), *end, people[32];
	int64_t i;
	double d;

	check(text != NULL);
	size = strlen(text);
	errno = 0;
	if (num_parse_i64(text, size, &i) == 0)
		check(i == strtoll(text, &end, 10) && *end == '\0' && errno == 0);
	if (num_parse_double(text, size, &d) == 0) {
		check(d == strtod(text, &end) && *end == '\0');
		check_round_trip(d);
		fmt_si(people, sizeof people, d, "B/s");
		fmt_seconds(people, sizeof people, d);
	}
	if (num_take_digits(text, &i))
		check(i == strtoll(text, &end, 10) &&
		      num_take_digits(text, &i) == (size_t)(end - text));
	if (num_parse_count(text, size, &i) == 0)
		check(num_parse_double(text, size, &d) == 0);
	free(text);
	return 0;
}
