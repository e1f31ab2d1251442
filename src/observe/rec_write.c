/* rec_write.c: the recorder: from mp's hooks to blocks of a file.
 *
 * Invariants
 *  1. What is in the file is whole blocks, in the order INFO CALL HOST* (STAT | MESG | COMM |
 * INFO)* DONE; only the very last can be cut, by a full disk or a killed process.
 *  2. At most REC_BLOCK_RECORDS states and as many messages are in memory; the rest is in the file.
 *  3. After a failure nothing more is written and all hooks return at once; the error is kept for
 *     recorder_close. */
#include "rec_int.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct open_call {
	double since;
	int32_t call; /* -1: in none */
};
static_assert(sizeof(struct open_call) == 16, "one of each rank");

struct recorder {
	struct output file;
	char *path;
	uint32_t ranks;
	struct open_call *open;
	struct rec_state *states;
	struct rec_message *messages;
	uint32_t n_states, n_messages;
	struct str comms; /* the COMM block being filled */
	uint32_t n_comms;
	uint8_t *raw, *packed; /* one block as columns, and packed */
	size_t packed_cap;
	struct recording_totals totals; /* of what was written; makespan: latest date seen */
	int described;                  /* INFO, CALL and HOST are in the file */
	int failed;
	uint8_t stuck; /* recorder_stuck */
	struct err err;
};

static void recorder_free(struct recorder *w)
{
	if (!w)
		return;
	output_release(&w->file);
	free(w->path);
	free(w->open);
	free(w->states);
	free(w->messages);
	str_release(&w->comms);
	free(w->raw);
	free(w->packed);
	free(w);
}

static int write_all(struct recorder *w, const void *data, size_t n)
{
	if (output_write(&w->file, data, n, &w->err) == 0)
		return 0;
	w->failed = 1;
	return -1;
}

/* Writes one block; b has kind, records and dates. */
static int put_block(struct recorder *w, struct rec_block *b, const void *payload, size_t n)
{
	uint8_t header[REC_BLOCK_HEADER];
	enum rec_packing packing;
	size_t packed;

	BUG_ON(n > REC_BLOCK_MAX);
	packed = n <= w->packed_cap ? rec_pack(payload, n, w->packed, w->packed_cap, &packing) : 0;
	b->raw = (uint32_t)n;
	b->packing = packed > 0 && packed < n ? packing : PACKED_NOT;
	b->stored = b->packing == PACKED_NOT ? (uint32_t)n : (uint32_t)packed;
	payload = b->packing == PACKED_NOT ? payload : w->packed;
	b->checksum = rec_checksum(payload, b->stored);
	rec_block_format(b, header);
	if (write_all(w, header, sizeof header) < 0)
		return -1;
	return write_all(w, payload, b->stored);
}

static void dates_widen(struct rec_block *b, double first, double last)
{
	b->first = first < b->first ? first : b->first;
	b->last = last > b->last ? last : b->last;
}

/* The records of a block, column by column; what there are of them in all grows by as many. */
static int put_columns(struct recorder *w, struct rec_block *b, const struct rec_table *columns,
                       const void *records, uint64_t *total)
{
	rec_columns_write(columns, records, b->records, w->raw);
	if (put_block(w, b, w->raw, (size_t)b->records * columns->record) < 0)
		return -1;
	*total += b->records;
	return 0;
}

static int flush_states(struct recorder *w)
{
	struct rec_block b = {.kind = BLOCK_STATE, .records = w->n_states, .first = INFINITY};

	for (uint32_t i = 0; i < b.records; i++)
		dates_widen(&b, w->states[i].enter, w->states[i].leave);
	w->n_states = 0;
	return b.records ? put_columns(w, &b, &rec_states, w->states, &w->totals.states) : 0;
}

static int flush_messages(struct recorder *w)
{
	struct rec_block b = {.kind = BLOCK_MESSAGE, .records = w->n_messages, .first = INFINITY};

	for (uint32_t i = 0; i < b.records; i++)
		dates_widen(&b, w->messages[i].sent, w->messages[i].received);
	w->n_messages = 0;
	return b.records ? put_columns(w, &b, &rec_messages, w->messages, &w->totals.messages) : 0;
}

/* A block of texts or numbers gathered in a string, which is emptied. */
static int flush_gathered(struct recorder *w, enum rec_block_kind kind, struct str *s,
                          uint32_t *records)
{
	struct rec_block b = {.kind = kind, .records = *records};
	int got = 0;

	if (s->failed) {
		w->failed = 1;
		return err_nomem(&w->err, "a block of the recording", s->cap);
	}
	if (*records > 0)
		got = put_block(w, &b, s->s, s->n);
	str_clear(s);
	*records = 0;
	return got;
}

static int flush_comms(struct recorder *w)
{
	uint32_t n = w->n_comms;

	if (flush_gathered(w, BLOCK_COMM, &w->comms, &w->n_comms) < 0)
		return -1;
	w->totals.comms += n;
	return 0;
}

static void put_state(struct recorder *w, const struct rec_state *s)
{
	w->states[w->n_states++] = *s;
	if (w->n_states == REC_BLOCK_RECORDS)
		flush_states(w);
}

/* Rounding must not make a record that a reader refuses. */
static double between(double v, double low, double high)
{
	return v < low ? low : v > high ? high : v;
}

static void recorder_enter(void *self, uint32_t rank, enum mp_call call, double date)
{
	struct recorder *w = self;

	if (w->failed)
		return;
	BUG_ON(rank >= w->ranks || w->open[rank].call >= 0);
	w->open[rank] = (struct open_call){date, (int32_t)call};
	w->totals.makespan = date > w->totals.makespan ? date : w->totals.makespan;
}

static void recorder_leave(void *self, uint32_t rank, enum mp_call call, double date,
                           int32_t partner, double bytes, double wait)
{
	struct recorder *w = self;

	if (w->failed)
		return;
	BUG_ON(rank >= w->ranks || w->open[rank].call != (int32_t)call);
	w->open[rank].call = -1;
	wait = between(wait, 0, date - w->open[rank].since);
	w->totals.makespan = date > w->totals.makespan ? date : w->totals.makespan;
	put_state(w, &(struct rec_state){.rank = rank,
	                                 .call = call,
	                                 .partner = partner < 0 ? -1 : partner,
	                                 .enter = w->open[rank].since,
	                                 .leave = date,
	                                 .bytes = bytes,
	                                 .wait = wait});
}

static void recorder_message(void *self, const struct mp_arrival *m)
{
	struct recorder *w = self;

	if (w->failed)
		return;
	BUG_ON(m->from >= w->ranks || m->to >= w->ranks || !(m->sent <= m->received));
	w->messages[w->n_messages++] = (struct rec_message){
	    .from = m->from,
	    .to = m->to,
	    .tag = m->tag,
	    .comm = m->comm.v,
	    .coll = m->coll != 0,
	    .bytes = m->bytes,
	    .sent = m->sent,
	    .moved = between(m->moved, m->sent, m->received),
	    .received = m->received};
	if (w->n_messages == REC_BLOCK_RECORDS)
		flush_messages(w);
}

static void put_u32(struct str *s, uint32_t v)
{
	uint8_t b[4];

	rec_put32(b, v);
	str_putn(s, (const char *)b, sizeof b);
}

static void recorder_comm(void *self, struct mp_comm comm, const uint32_t *members, uint32_t n)
{
	struct recorder *w = self;
	uint32_t i;

	if (w->failed)
		return;
	if (n > REC_BLOCK_MAX / 4 - 2) {
		w->failed = 1;
		err_set(&w->err, ERR_LIMIT,
		        "recording %s: a communicator of %u ranks is more than a block holds",
		        w->path, (unsigned)n);
		return;
	}
	if (w->comms.n + 4 * ((size_t)n + 2) > REC_TEXT_BLOCK && flush_comms(w) < 0)
		return;
	put_u32(&w->comms, comm.v);
	put_u32(&w->comms, n);
	for (i = 0; i < n; i++)
		put_u32(&w->comms, members[i]);
	w->n_comms++;
}

struct mp_observer recorder_observer(struct recorder *w)
{
	return (struct mp_observer){.self = w,
	                            .enter = recorder_enter,
	                            .leave = recorder_leave,
	                            .message = recorder_message,
	                            .comm = recorder_comm};
}

static void put_pair(struct str *s, const char *key, const char *value)
{
	str_putn(s, key, strlen(key) + 1);
	str_putn(s, value ? value : "", value ? strlen(value) + 1 : 1);
}

static int write_info(struct recorder *w, const struct run_info *info)
{
	struct run_info copy = *info;
	struct str s;
	char ranks[16];
	uint32_t n = REC_TEXTS + 1;
	int i, got;

	str_init(&s);
	snprintf(ranks, sizeof ranks, "%u", (unsigned)info->ranks);
	put_pair(&s, "ranks", ranks);
	for (i = 0; i < REC_TEXTS; i++)
		put_pair(&s, rec_text_keys[i], *rec_text(&copy, i));
	if (s.n > REC_BLOCK_MAX) {
		str_release(&s);
		return err_set(&w->err, ERR_LIMIT,
		               "recording %s: the settings and names of the run are over %d bytes",
		               w->path, REC_BLOCK_MAX);
	}
	got = flush_gathered(w, BLOCK_INFO, &s, &n);
	str_release(&s);
	return got;
}

void recorder_note(struct recorder *w, const char *key, const char *value)
{
	struct str s;
	uint32_t n = 1;

	if (w->failed || !w->described)
		return;
	str_init(&s);
	put_pair(&s, key, value);
	if (flush_gathered(w, BLOCK_INFO, &s, &n) < 0)
		w->failed = 1;
	str_release(&s);
}

void recorder_trim(struct recorder *w, uint32_t ranks)
{
	char text[16];

	BUG_ON(ranks > w->ranks);
	if (ranks == w->ranks)
		return;
	snprintf(text, sizeof text, "%u", (unsigned)ranks);
	recorder_note(w, "ranks", text);
}

static int write_calls(struct recorder *w)
{
	struct str s;
	uint32_t n = CALL_CALLS;
	int c, got;

	str_init(&s);
	for (c = 0; c < CALL_CALLS; c++)
		str_putn(&s, mp_call_name((enum mp_call)c),
		         strlen(mp_call_name((enum mp_call)c)) + 1);
	got = flush_gathered(w, BLOCK_CALL, &s, &n);
	str_release(&s);
	return got;
}

static int write_hosts(struct recorder *w, const char *(*host)(void *, uint32_t, char *, size_t),
                       void *self)
{
	struct str s;
	char buf[256];
	const char *name;
	uint32_t r, n = 0;
	int got = 0;

	str_init(&s);
	for (r = 0; r < w->ranks && got == 0; r++) {
		name = host(self, r, buf, sizeof buf);
		str_putn(&s, name, strlen(name) + 1);
		n++;
		if (s.n > REC_TEXT_BLOCK || s.failed)
			got = flush_gathered(w, BLOCK_HOST, &s, &n);
	}
	if (got == 0)
		got = flush_gathered(w, BLOCK_HOST, &s, &n);
	str_release(&s);
	return got;
}

static int write_header(struct recorder *w)
{
	uint8_t h[REC_HEADER];

	memcpy(h, REC_MAGIC, 8);
	rec_put32(h + 8, REC_VERSION);
	rec_put32(h + 12, REC_ORDER);
	return write_all(w, h, sizeof h);
}

/* A failure is kept for recorder_close. */
static void describe(struct recorder *w, const struct run_info *info,
                     const char *(*host)(void *, uint32_t, char *, size_t), void *self)
{
	w->described = write_header(w) == 0 && write_info(w, info) == 0 && write_calls(w) == 0;
	if (!w->described || (host && write_hosts(w, host, self) < 0))
		w->failed = 1;
}

static int recorder_allocate(struct recorder *w, const char *path)
{
	size_t raw = REC_BLOCK_RECORDS * (size_t)rec_messages.record,
	       open = w->ranks * sizeof *w->open;
	uint32_t r;

	w->packed_cap = raw + raw / 64 + 1024;
	w->path = strdup(path);
	w->open = malloc(open ? open : 1);
	w->states = calloc(REC_BLOCK_RECORDS, sizeof *w->states);
	w->messages = calloc(REC_BLOCK_RECORDS, sizeof *w->messages);
	w->raw = malloc(raw);
	w->packed = malloc(w->packed_cap);
	if (!w->path || !w->open || !w->states || !w->messages || !w->raw || !w->packed)
		return -1;
	for (r = 0; r < w->ranks; r++)
		w->open[r] = (struct open_call){0, -1};
	return 0;
}

struct recorder *recorder_open(const char *path, const struct run_info *info,
                               const char *(*host)(void *self, uint32_t rank, char *buf, size_t n),
                               void *self, struct err *err)
{
	struct recorder *w = calloc(1, sizeof *w);

	if (w) {
		w->file.fd = -1;
		w->ranks = info->ranks;
	}
	if (!w || recorder_allocate(w, path) < 0) {
		recorder_free(w);
		err_nomem(err, "the recorder", 16ull * info->ranks + REC_BLOCK_RECORDS * 200ull);
		return NULL;
	}
	if (output_open(&w->file, path, err) < 0) {
		recorder_free(w);
		return NULL;
	}
	describe(w, info, host, self);
	return w;
}

void recorder_stuck(struct recorder *w)
{
	w->stuck = 1;
}

/* States of calls that never ended: they last until the end of the run. */
static void close_calls(struct recorder *w, double makespan)
{
	uint32_t r;

	for (r = 0; r < w->ranks && !w->failed; r++) {
		enum mp_call call = (enum mp_call)w->open[r].call;
		double since = w->open[r].since;

		if (w->open[r].call >= 0)
			put_state(w, &(struct rec_state){
			                 .rank = r,
			                 .call = call,
			                 .flags = STATE_OPEN,
			                 .partner = -1,
			                 .enter = since,
			                 .leave = makespan,
			                 .wait = w->stuck ? call_stuck(call, since, makespan) : 0});
	}
}

static void write_done(struct recorder *w, double makespan)
{
	struct rec_block b = {.kind = BLOCK_DONE, .records = 1};
	uint8_t payload[32];

	rec_put64(payload, w->totals.states);
	rec_put64(payload + 8, w->totals.messages);
	rec_put64(payload + 16, w->totals.comms);
	rec_put_double(payload + 24, makespan);
	put_block(w, &b, payload, sizeof payload);
}

static void word_failure(const struct recorder *w, int kept, struct err *err)
{
	err_set(err, w->err.kind, "recording: %s", w->err.text);
	if (err)
		err->number = w->err.number;
	if (kept)
		err_append(
		    err, "; only %llu calls and %llu messages of the run can be read from it",
		    (unsigned long long)w->totals.states, (unsigned long long)w->totals.messages);
	else
		err_append(err, "; nothing was recorded, and a file that was there is as it was");
	err_append(err, "; the prediction is not affected");
}

/* Part of a recording is better than none, but not than an older one that is whole. */
static int part_keep(struct recorder *w)
{
	struct err dropped;

	return w->described && (w->file.direct || output_is_new(&w->file)) &&
	       output_commit(&w->file, &dropped) == 0;
}

int recorder_close(struct recorder *w, double makespan, struct err *err)
{
	int failed;

	makespan = makespan > w->totals.makespan ? makespan : w->totals.makespan;
	close_calls(w, makespan);
	if (!w->failed && flush_states(w) == 0 && flush_messages(w) == 0 && flush_comms(w) == 0)
		write_done(w, makespan);
	failed = w->failed;
	if (failed)
		word_failure(w, part_keep(w), err);
	else
		failed = output_commit(&w->file, err) < 0;
	recorder_free(w);
	return failed ? -1 : 0;
}

void recorder_abandon(struct recorder *w)
{
	recorder_free(w);
}
