/* foreign.c: what a foreign reader puts becomes our events; communicators and notices. */
#include "foreign.h"

#include "../members.h"
#include "records.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int foreign_ranks(struct foreign *f, uint32_t n, struct err *err)
{
	int32_t *all;

	if (n == 0 || n > INT32_MAX)
		return err_set(err, ERR_INPUT, "%s: the trace has no ranks", f->path);
	f->ranks = n;
	f->records = records_new(n, f->path, err);
	if (!f->records)
		return -1;
	f->begun = calloc(n, 1);
	f->self_given = calloc(n, 1);
	f->dates.last = malloc(n * sizeof *f->dates.last);
	f->counts.of = calloc(n, sizeof *f->counts.of);
	all = malloc(n * sizeof *all);
	if (!f->begun || !f->self_given || !f->dates.last || !f->counts.of || !all) {
		free(all);
		return err_nomem(err, "the ranks of a trace", n * sizeof *all);
	}
	for (uint32_t i = 0; i < n; i++)
		all[i] = (int32_t)i;
	f->comms = vec_grow(f->comms, &f->cap_comms, sizeof *f->comms, 2, "communicators", err);
	if (!f->comms) {
		free(all);
		return -1;
	}
	f->comms[0] = (struct foreign_comm){.id = 0, .members = all, .n = n};
	f->comms[1] = (struct foreign_comm){.id = 1};
	f->n_comms = 2;
	return 0;
}

int foreign_anew(struct foreign *f, struct err *err)
{
	records_free(f->records);
	memset(f->begun, 0, f->ranks);
	foreign_dates_begin(f);
	f->records = records_new(f->ranks, f->path, err);
	return f->records ? 0 : -1;
}

int foreign_ranks_said(struct foreign *f, uint32_t n, struct err *err)
{
	enum { PACKED_MOST = 1100 }; /* bytes of text in one of gzip, at most */
	struct stat st;
	char head[4] = {0};
	int fd = open(f->path, O_RDONLY | O_CLOEXEC), known;
	uint64_t most = UINT64_MAX;

	if (fd >= 0) {
		known = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
		        read(fd, head, sizeof head) == (ssize_t)sizeof head;
		if (known)
			most = (uint64_t)st.st_size *
			       (input_is_packed(head, sizeof head) ? PACKED_MOST : 1);
		close(fd);
	}
	if (n > most)
		return err_set(err, ERR_INPUT,
		               "%s: %llu bytes cannot hold the %u ranks that its head says",
		               f->path, (unsigned long long)st.st_size, n);
	return foreign_ranks(f, n, err);
}

/* --- errors --- */

/* What is behind "path: ", or NULL. */
static const char *rest_of(const char *text, const char *path)
{
	size_t n = strlen(path);

	return strncmp(text, path, n) == 0 && strncmp(text + n, ": ", 2) == 0 ? text + n + 2 : NULL;
}

int foreign_at(const struct foreign *f, const char *file, struct err *err, const char *fmt, ...)
{
	struct err told = *err;
	const char *rest = rest_of(told.text, file);
	char place[64];
	va_list ap;

	if (!rest)
		rest = rest_of(told.text, f->path);
	if (told.kind != ERR_INPUT || told.number || !rest)
		return -1;
	va_start(ap, fmt);
	vsnprintf(place, sizeof place, fmt, ap);
	va_end(ap);
	return err_set(err, ERR_INPUT, "%s: %s: %s", file, place, rest);
}

int foreign_at_line(const struct foreign *f, long line, struct err *err)
{
	struct err told = *err;
	const char *rest = rest_of(told.text, f->path);

	if (told.kind != ERR_INPUT || told.number || !rest)
		return -1;
	return err_at(err, f->path, line, 0, "%s", rest);
}

/* --- communicators --- */

static int is_world(const struct foreign *f, const int32_t *members, uint32_t n)
{
	if (n != f->ranks)
		return 0;
	for (uint32_t i = 0; i < n; i++)
		if (members[i] != (int32_t)i)
			return 0;
	return 1;
}

int foreign_comm_name(struct foreign *f, const int32_t *members, uint32_t n, struct err *err)
{
	struct foreign_comm *c;
	int32_t *copy;

	for (uint32_t i = 0; i < n; i++)
		if (members[i] < 0 || (uint32_t)members[i] >= f->ranks)
			return err_set(err, ERR_INPUT,
			               "%s: a communicator has rank %d, but there are %u ranks",
			               f->path, members[i], f->ranks);
	c = vec_grow(f->comms, &f->cap_comms, sizeof *c, f->n_comms + 1, "communicators", err);
	if (!c)
		return -1;
	f->comms = c;
	copy = malloc((n ? n : 1) * sizeof *copy);
	if (!copy)
		return err_nomem(err, "a communicator", n * sizeof *copy);
	if (n)
		memcpy(copy, members, n * sizeof *copy);
	c[f->n_comms] = (struct foreign_comm){
	    .id = n ? (uint64_t)(uint32_t)members[0] << 32 | f->n_comms : 2,
	    .members = copy,
	    .n = n,
	    .rise = (uint8_t)members_rise(copy, n)};
	return (int)f->n_comms++;
}

int foreign_comm_add(struct foreign *f, const int32_t *members, uint32_t n, struct err *err)
{
	if (!f->world_given && is_world(f, members, n)) {
		f->world_given = 1;
		return 0;
	}
	if (n == 1 && members[0] >= 0 && (uint32_t)members[0] < f->ranks &&
	    !f->self_given[members[0]]) {
		f->self_given[members[0]] = 1;
		return 1;
	}
	return foreign_comm_name(f, members, n, err);
}

int foreign_intercomm_add(struct foreign *f, const int32_t *members, uint32_t n, uint32_t split,
                          struct err *err)
{
	int index = foreign_comm_name(f, members, n, err);

	if (index < 0)
		return -1;
	if (split < 1 || split >= n)
		return err_set(err, ERR_INPUT, "%s: an intercommunicator has an empty group",
		               f->path);
	f->comms[index].split = split;
	if (members[split] < members[0])
		f->comms[index].id = (uint64_t)(uint32_t)members[split] << 32 | (uint32_t)index;
	return index;
}

int foreign_member(const struct foreign *f, uint32_t comm, int64_t rank, int32_t *out,
                   struct err *err)
{
	const struct foreign_comm *c = &f->comms[comm];

	if (rank < 0 || rank >= c->n)
		return err_set(err, ERR_INPUT,
		               "%s: rank %lld of a communicator of %u ranks is named", f->path,
		               (long long)rank, c->n);
	*out = c->members[rank];
	return 0;
}

int32_t foreign_rank_in(const struct foreign *f, uint32_t comm, uint32_t world)
{
	const struct foreign_comm *c = &f->comms[comm];

	if (comm == 0)
		return (int32_t)world;
	if (comm == 1)
		return 0;
	return members_find(c->members, c->n, c->rise, (int32_t)world);
}

/* --- events --- */

void foreign_event(struct trace_event *ev, enum trace_op op)
{
	trace_event_init(ev, op);
	ev->type = ev->type2 = TYPE_BYTE;
	ev->type_size = ev->type_size2 = 1;
}

enum trace_op send_form(int op, uint64_t trait, enum trace_op plain)
{
	enum trace_op o = (enum trace_op)op;

	return op >= 0 && trace_op_sends(o) && !trace_op_has(o, TRACE_RECEIVES) &&
	               trace_op_has(o, trait)
	           ? o
	           : plain;
}

/* The communicators that exist from the start are made at no cost: what the program's own calls
 * cost is not known. */
static void comm_event(struct trace_event *ev, const struct foreign_comm *c, uint32_t me)
{
	foreign_event(ev, c->split ? TRACE_INTERCOMM_CREATE : TRACE_COMM_CREATE_GROUP);
	ev->comm = c->id;
	ev->flags = TRACE_AGREED;
	ev->members = c->members;
	ev->n_members = c->split ? c->split : c->n;
	ev->remote = c->members + c->split;
	ev->n_remote = c->split ? c->n - c->split : 0;
	if (c->split && me >= c->split) {
		ev->members = c->members + c->split;
		ev->n_members = c->n - c->split;
		ev->remote = c->members;
		ev->n_remote = c->split;
	}
}

static int comms_make(struct foreign *f, uint32_t rank, struct err *err)
{
	for (uint32_t i = 2; i < f->n_comms && !f->comms_given; i++) {
		int32_t me = foreign_rank_in(f, i, rank);
		struct trace_event ev;

		if (me < 0)
			continue;
		comm_event(&ev, &f->comms[i], (uint32_t)me);
		if (records_put(f->records, rank, &ev, err) < 0)
			return -1;
	}
	return 0;
}

/* The first events of a rank. */
static int rank_begin(struct foreign *f, uint32_t rank, const struct trace_event *init,
                      struct err *err)
{
	f->begun[rank] = 1;
	return records_put(f->records, rank, init, err) < 0 ? -1 : comms_make(f, rank, err);
}

/* Whether an event that is not the first is to be put: -1 on error. */
static int puts_now(struct foreign *f, uint32_t rank, struct err *err)
{
	struct trace_event init;

	if (f->pass == 1 || f->begun[rank])
		return f->pass != 1;
	foreign_event(&init, TRACE_INIT);
	return rank_begin(f, rank, &init, err) < 0 ? -1 : 1;
}

int foreign_put(struct foreign *f, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	int now;

	BUG_ON(rank >= f->ranks);
	if (ev->op == TRACE_INIT && f->pass != 1 && !f->begun[rank])
		return rank_begin(f, rank, ev, err);
	now = puts_now(f, rank, err);
	return now > 0 ? records_put(f->records, rank, ev, err) : now;
}

int foreign_message(struct foreign *f, uint32_t rank, enum trace_op op, int32_t peer, int32_t tag,
                    int64_t bytes, int64_t req, struct err *err)
{
	int now = puts_now(f, rank, err);

	return now > 0 ? records_put_message(f->records, rank, op, peer, tag, bytes, req, err)
	               : now;
}

int foreign_wait(struct foreign *f, uint32_t rank, uint32_t req, struct err *err)
{
	int now = puts_now(f, rank, err);

	return now > 0 ? records_put_wait(f->records, rank, req, err) : now;
}

int foreign_simple(struct foreign *f, uint32_t rank, enum trace_op op, struct err *err)
{
	struct trace_event ev;

	foreign_event(&ev, op);
	return foreign_put(f, rank, &ev, err);
}

void foreign_cut(struct foreign *f, uint32_t rank)
{
	if (f->pass != 1)
		records_cut(f->records, rank);
}

int foreign_compute(struct foreign *f, uint32_t rank, double ns, double instructions,
                    struct err *err)
{
	struct trace_event ev;

	if (!(ns >= 1) && !(instructions > 0))
		return 0;
	foreign_computed(f, rank, ns);
	foreign_event(&ev, TRACE_COMPUTE);
	ev.duration = ns > 0 ? ns / 1e9 : 0;
	ev.volume = instructions >= 0 ? instructions : ns;
	return foreign_put(f, rank, &ev, err);
}

int foreign_note(struct foreign *f, struct err *err, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof line, fmt, ap);
	va_end(ap);
	if (hash_str_find(&f->noted, line) != HASH_NONE)
		return 0;
	str_puts(&f->notices, line);
	str_putc(&f->notices, '\n');
	if (f->notices.failed)
		return err_nomem(err, "notices", f->notices.cap);
	return hash_str_put(&f->noted, line, 0, err);
}
