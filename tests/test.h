/* test.h: what every C test includes first: cmocka with the headers it needs, and shorthands. */
#ifndef ORRERY_TESTS_TEST_H
#define ORRERY_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

/* The call must succeed (>= 0); otherwise the test fails with the text of its struct err. */
#define assert_ok(call, err) \
	do { \
		if ((call) < 0) \
			fail_msg("%s: %s", #call, (err).text); \
	} while (0)

/* The call must fail (< 0) with that kind of error and a text that contains `part`. */
#define assert_fails(call, err, wanted, part) \
	do { \
		assert_true((call) < 0); \
		assert_int_equal((err).kind, wanted); \
		if (!strstr((err).text, part)) \
			fail_msg("%s: \"%s\" is not in: %s", #call, part, (err).text); \
	} while (0)

/* cmocka 1.1.5 compares integers only; doubles are compared exactly here (an expected value comes
 * from a formula). */
#define assert_double_is(a, b) \
	do { \
		double a_ = (a), b_ = (b); \
		if (!(a_ == b_)) \
			fail_msg("%s is %.17g, not %.17g", #a, a_, b_); \
	} while (0)

/* Equal within a relative distance. */
#define assert_close(a, b, relative) \
	do { \
		double a_ = (a), b_ = (b), d_ = a_ > b_ ? a_ - b_ : b_ - a_, \
		       m_ = b_ < 0 ? -b_ : b_; \
		if (!(d_ <= (relative)*m_)) \
			fail_msg("%s is %.17g, not %.17g", #a, a_, b_); \
	} while (0)

#endif
