/* fuzz_log.c: any bytes as what stands in the log of a process that was killed: its notes and
 * events are read up to where it is damaged, each event is whole, and can be written. */
#include "fuzz/fuzz.h"
#include "trace/compressed/log.h"

#include <stdlib.h>
#include <string.h>

struct seen {
	int64_t sum;
	struct str line;
	unsigned events;
};
enum { EVENTS_MOST = 3000, STOPPED = 1 };

static int note(void *self, const char *text, struct err *err)
{
	struct seen *s = self;

	(void)err;
	s->sum ^= (int64_t)strlen(text);
	return 0;
}

static int event(void *self, const struct trace_event *ev, struct err *err)
{
	struct seen *s = self;

	if (ev->op >= TRACE_OPS)
		abort();
	for (int64_t i = 0; i < ev->n_members; i++)
		s->sum ^= ev->members[i];
	for (int64_t i = 0; i < ev->n_counts; i++)
		s->sum ^= ev->counts[i];
	str_clear(&s->line);
	trace_event_format(&s->line, 0, ev);
	return ++s->events < EVENTS_MOST ? 0 : err_set(err, ERR_LIMIT, "enough");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t magic = sizeof LOG_MAGIC - 1;
	struct seen s = {0};
	struct err err;
	uint8_t *log = malloc(size + magic);

	if (!log)
		abort();
	memcpy(log, LOG_MAGIC, magic);
	if (size)
		memcpy(log + magic, data, size);
	log_read(log, size + magic, &(struct log_reader){&s, note, event}, &err);
	log_read(log + magic, size, &(struct log_reader){&s, note, event}, &err);
	str_release(&s.line);
	free(log);
	return 0;
}
