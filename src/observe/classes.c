/* classes.c: the classes of time: their words, and which call belongs to which. */
#include "observe.h"

#include <assert.h>

static const struct {
	const char *key, *name;
} class_words[] = {
    [TIME_COMPUTE] = {"compute", "computation"}, [TIME_P2P] = {"p2p", "point-to-point"},
    [TIME_COLL] = {"coll", "collectives"},       [TIME_IO] = {"io", "I/O"},
    [TIME_WAIT] = {"wait", "waiting"},           [TIME_OTHER] = {"other", "other"},
    [TIME_IDLE] = {"idle", "idle at the end"},
};
static_assert(sizeof class_words / sizeof *class_words == TIME_CLASSES, "a word for every class");

const char *time_class_name(enum time_class c)
{
	return class_words[c].name;
}

const char *time_class_key(enum time_class c)
{
	return class_words[c].key;
}

enum time_class call_class(enum mp_call c)
{
	if (c >= CALL_COLL)
		return TIME_COLL;
	switch (c) {
	case CALL_COMPUTE:
	case CALL_SLEEP:
		return TIME_COMPUTE;
	case CALL_INIT:
	case CALL_FINALIZE:
	case CALL_COMM:
		return TIME_OTHER;
	case CALL_OPEN:
	case CALL_READ:
	case CALL_WRITE:
	case CALL_FILE_OPEN:
	case CALL_FILE_CLOSE:
	case CALL_FILE_SYNC:
	case CALL_FILE_READ:
	case CALL_FILE_WRITE:
	case CALL_FILE_READ_ALL:
	case CALL_FILE_WRITE_ALL:
		return TIME_IO;
	default:
		return TIME_P2P;
	}
}

double call_stuck(enum mp_call c, double since, double end)
{
	return call_class(c) == TIME_COMPUTE ? 0 : end - since;
}
