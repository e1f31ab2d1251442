/* sink.c: see sink.h. */
#include "sink.h"

#include "trace/compressed/block_out.h"
#include "trace/compressed/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the log --- */

/* What is in s->line becomes part of the log. Its first byte is written last: until then there is a
 * zero, at which a reader stops. */
static int line_keep(struct sink *s, struct err *err)
{
	size_t n = s->line.n;
	char *at;

	if (s->line.failed) {
		s->line.failed = 0;
		return err_nomem(err, "a log", s->line.cap);
	}
	at = mapped_room(&s->log, n, err);
	if (!at)
		return -1;
	memcpy(at + 1, s->line.s + 1, n - 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	at[0] = s->line.s[0];
	mapped_keep(&s->log, n);
	return 0;
}

static int note_put(struct sink *s, const char *text, struct err *err)
{
	str_clear(&s->line);
	log_note_put(&s->line, text);
	return line_keep(s, err);
}

/* All notes so far, and where the log begins. */
static int notes_put(struct sink *s, struct err *err)
{
	char chapters[64];

	str_clear(&s->line);
	str_puts(&s->line, LOG_MAGIC);
	if (line_keep(s, err) < 0)
		return -1;
	for (char *p = s->notes.s, *end; p && *p; p = end + 1) {
		int r;

		end = strchr(p, '\n');
		*end = '\0';
		r = note_put(s, p, err);
		*end = '\n';
		if (r < 0)
			return -1;
	}
	snprintf(chapters, sizeof chapters, "chapters %u", s->chapters);
	return note_put(s, chapters, err);
}

/* A new log, and the old one is gone: its events are in a chapter. */
static int log_restart(struct sink *s, struct err *err)
{
	struct mapped old = s->log;
	const char *before = s->path[s->other];
	struct err dropped;

	s->other = !s->other;
	log_numbers_release(&s->numbers);
	unlink(s->path[s->other]);
	if (mapped_open(&s->log, s->path[s->other], s->window, err) < 0) {
		mapped_close(&old, &dropped);
		return -1;
	}
	mapped_close(&old, &dropped);
	if (notes_put(s, err) < 0)
		return -1;
	unlink(before);
	return 0;
}

int sink_open(struct sink *s, const char *dir, uint32_t rank, uint32_t ranks, size_t window,
              size_t memory, void (*forget)(int64_t req), struct err *err)
{
	*s = (struct sink){.rank = rank, .ranks = ranks, .memory = memory, .window = window};
	nest_init(&s->nest);
	held_init(&s->held, forget);
	snprintf(s->path[0], sizeof s->path[0], "%s/rank-%u.log", dir, rank);
	snprintf(s->path[1], sizeof s->path[1], "%s/rank-%u.log2", dir, rank);
	snprintf(s->part, sizeof s->part, "%s/rank-%u.part", dir, rank);
	s->log.fd = -1;
	if (mapped_open(&s->log, s->path[0], window, err) < 0)
		return -1;
	return notes_put(s, err);
}

/* --- chapters --- */

static int fd_write(void *self, const void *bytes, size_t n, struct err *err)
{
	return output_put(*(const int *)self, bytes, n) < 0 ? err_sys(err, errno, "a chapter") : 0;
}

/* Bytes at the end of the chapter file. It is opened anew each time: the program may close
 * descriptors that are not its own. */
static int part_append(struct sink *s, const struct str *packed, struct err *err)
{
	int fd = open(s->part, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	struct block_out out = {.write = fd_write, .self = &fd, .plain = 1};
	off_t before = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	int r;

	if (fd < 0 || before < 0)
		return err_sys(err, errno, "%s", s->part);
	r = block_out_put(&out, BLOCK_BUNDLE, packed->s, packed->n, err);
	block_out_release(&out);
	if (r < 0 && ftruncate(fd, before) < 0)
		err_sys(err, errno, "%s", s->part);
	close(fd);
	return r;
}

static int chapter_put_away(struct sink *s, struct err *err)
{
	struct bundle b;
	struct str packed = {0};
	int r = nest_close(&s->nest, err);

	bundle_init(&b, 100);
	if (r == 0)
		r = bundle_add(&b, s->rank, &s->nest, err);
	if (r == 0)
		bundle_pack(&b, 1, &packed);
	bundle_release(&b);
	if (packed.failed)
		r = err_nomem(err, "a chapter", packed.cap);
	if (r == 0)
		r = part_append(s, &packed, err);
	str_release(&packed);
	if (r < 0)
		return -1;
	s->chapters++;
	nest_release(&s->nest);
	nest_init(&s->nest);
	return log_restart(s, err);
}

static size_t tables_bytes(const struct calls *c)
{
	return (size_t)c->lists.bytes_cap + c->texts.bytes_cap + 2 * c->keys.bytes_cap +
	       2 * c->shapes.bytes_cap;
}

static int is_full(const struct sink *s)
{
	const struct nest *n = &s->nest;
	size_t room = s->memory / 4;

	return n->bytes > room || n->n_node * sizeof *n->node + tables_bytes(&n->calls) > room ||
	       mapped_size(&s->log) > SINK_LOG;
}

static int nest_take(void *self, uint32_t call, const int64_t *value, struct err *err)
{
	struct sink *s = self;

	s->passed++;
	return nest_put_call(&s->nest, call, value, err);
}

/* What is held has numbers of this nest's calls: it has to go first. */
static int memory_look(struct sink *s, struct err *err)
{
	if (held_pass(&s->held, &s->nest.calls, 1, nest_take, s, err) < 0)
		return -1;
	memset(&s->guess, 0, sizeof s->guess);
	again_forget(&s->again);
	return s->nest.events ? chapter_put_away(s, err) : 0;
}

/* --- events --- */

enum { LOOK_EVERY = 256 }; /* events */

/* The event of a call into the nest, or among what is held. */
static int call_put(struct sink *s, uint32_t call, const int64_t *value,
                    const struct trace_event *ev, struct err *err)
{
	if (!held_any(&s->held) && !held_wanted(ev))
		return nest_take(s, call, value, err);
	if (held_put(&s->held, &s->nest.calls, call, value, ev, err) < 0)
		return -1;
	return held_pass(&s->held, &s->nest.calls, 0, nest_take, s, err);
}

static int event_counted(struct sink *s, struct err *err)
{
	return ++s->events % LOOK_EVERY == 0 && is_full(s) ? memory_look(s, err) : 0;
}

/* A call that the log has, and of which nothing but its costs is open. */
static int known_put(struct sink *s, uint32_t call, uint32_t number, double volume, double duration,
                     struct err *err)
{
	struct mapped *m = &s->log;
	char *at = m->cap - m->kept < LOG_COSTS_MOST ? mapped_room(m, LOG_COSTS_MOST, err)
	                                             : m->at + m->kept,
	     first;
	size_t n;

	if (!at)
		return -1;
	n = log_costs_put(at, number, volume, duration, &first);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	at[0] = first;
	mapped_keep(m, n);
	s->passed++;
	if (nest_put_costs(&s->nest, call, double_bits(volume), double_bits(duration), err) < 0)
		return -1;
	return event_counted(s, err);
}

/* An event that is not known to be one that came before. */
static int new_put(struct sink *s, const struct trace_event *ev, struct err *err)
{
	int64_t value[CALL_COLUMNS];
	uint32_t call = calls_put_guessed(&s->nest.calls, &s->guess, ev, value, err);

	if (call == CALL_NONE)
		return -1;
	str_clear(&s->line);
	if (log_call_put(&s->numbers, &s->nest.calls, call, value, &s->line, err) < 0 ||
	    line_keep(s, err) < 0)
		return -1;
	if (ev->op == TRACE_RESOLVE) {
		s->events++;
		held_resolve(&s->held, ev);
		return held_pass(&s->held, &s->nest.calls, 0, nest_take, s, err);
	}
	if (!held_wanted(ev))
		again_keep(&s->again, &s->nest.calls, call, s->numbers.call[call], ev);
	if (call_put(s, call, value, ev, err) < 0)
		return -1;
	return event_counted(s, err);
}

int sink_put(struct sink *s, const struct trace_event *ev, struct err *err)
{
	const struct again_slot *known = held_any(&s->held)
	                                     ? NULL
	                                     : again_find(&s->again, &s->nest.calls, ev);

	if (known)
		return known_put(s, known->call, known->number, ev->volume, ev->duration, err);
	return new_put(s, ev, err);
}

static int compute_new(struct sink *s, struct again_region *slot, const struct trace_event *ev,
                       struct err *err)
{
	const struct again_slot *known;

	if (sink_put(s, ev, err) < 0)
		return -1;
	known = again_find(&s->again, &s->nest.calls, ev);
	if (known)
		*slot = (struct again_region){ev->region, known->call, known->number};
	return 0;
}

int sink_compute(struct sink *s, int64_t region, double volume, double duration, struct err *err)
{
	struct again_region *slot = again_region(&s->again, region);
	struct trace_event ev;

	if (slot->number && slot->region == region && !held_any(&s->held))
		return known_put(s, slot->call, slot->number, volume, duration, err);
	trace_event_init(&ev, TRACE_COMPUTE);
	ev.region = region;
	ev.volume = volume;
	ev.duration = duration;
	return compute_new(s, slot, &ev, err);
}

int sink_note(struct sink *s, const char *text, struct err *err)
{
	str_puts(&s->notes, text);
	str_putc(&s->notes, '\n');
	if (s->notes.failed)
		return err_nomem(err, "notes", s->notes.cap);
	return note_put(s, text, err);
}

int sink_end(struct sink *s, struct err *err)
{
	char end[64];

	if (held_pass(&s->held, &s->nest.calls, 1, nest_take, s, err) < 0 ||
	    nest_close(&s->nest, err) < 0)
		return -1;
	snprintf(end, sizeof end, "end %llu", (unsigned long long)s->passed);
	return sink_note(s, end, err);
}

int sink_leave(struct sink *s, struct err *err)
{
	return s->nest.events ? chapter_put_away(s, err) : 0;
}

/* --- back --- */

static int block_read(int fd, uint32_t i, struct block *b, off_t *at)
{
	uint8_t head[BLOCK_BYTES];

	*at = 0;
	for (;; i--, *at += (off_t)b->stored) {
		if (pread(fd, head, sizeof head, *at) != (ssize_t)sizeof head ||
		    block_get(head, sizeof head, b) < 0)
			return -1;
		*at += BLOCK_BYTES;
		if (i == 0)
			return 0;
	}
}

static int chapter_read_at(int fd, uint32_t i, struct str *out)
{
	struct block b;
	off_t at;
	char *stored, *raw;
	int r = -1;

	if (block_read(fd, i, &b, &at) < 0)
		return -1;
	stored = malloc(b.stored + 1);
	raw = malloc(b.raw + 1);
	if (stored && raw && pread(fd, stored, b.stored, at) == (ssize_t)b.stored &&
	    block_checksum(stored, b.stored) == b.checksum &&
	    block_unpack((enum block_packing)b.packing, stored, b.stored, raw, b.raw) == 0) {
		str_putn(out, raw, b.raw);
		r = out->failed ? -1 : 0;
	}
	free(stored);
	free(raw);
	return r;
}

int sink_chapter(const struct sink *s, uint32_t i, struct str *out, struct err *err)
{
	int fd = open(s->part, O_RDONLY | O_CLOEXEC), r;

	str_clear(out);
	if (fd < 0)
		return err_sys(err, errno, "%s", s->part);
	r = chapter_read_at(fd, i, out);
	close(fd);
	return r < 0 ? err_set(err, ERR_LIMIT, "%s cannot be read back", s->part) : 0;
}

void sink_rescue(struct sink *s)
{
	mapped_rescue(&s->log);
}

void sink_close(struct sink *s, int remove)
{
	struct err dropped;

	mapped_close(&s->log, &dropped);
	if (remove) {
		unlink(s->path[s->other]);
		if (s->chapters)
			unlink(s->part);
	}
	nest_release(&s->nest);
	nest_init(&s->nest);
	held_release(&s->held);
	log_numbers_release(&s->numbers);
	str_release(&s->line);
	str_release(&s->notes);
}
