/* three.h: the run of feed_three, recorded and opened, for tests of what is made of a recording. */
#ifndef ORRERY_TESTS_OBSERVE_THREE_H
#define ORRERY_TESTS_OBSERVE_THREE_H

#include "feed.h"
#include "test.h"
#include "tmp.h"

static struct tmp tmp;
static struct recording *three;

static inline int three_open(void **state)
{
	struct err err;
	char path[256];
	struct recorder *w;
	struct mp_observer o;

	(void)state;
	tmp_init(&tmp);
	snprintf(path, sizeof path, "%s", tmp_path(&tmp, "three.orr"));
	w = recorder_open(path, &feed_info, feed_host, NULL, &err);
	assert_non_null(w);
	o = recorder_observer(w);
	feed_three(&o);
	assert_ok(recorder_close(w, 8, &err), err);
	three = recording_open(path, &err);
	assert_non_null(three);
	return 0;
}

static inline int three_close(void **state)
{
	(void)state;
	recording_close(three);
	tmp_release(&tmp);
	return 0;
}

#endif
