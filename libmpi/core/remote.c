/* remote.c: windows and files at the simulator; memory of other processes (objects/remote.h). */
#include "objects/remote.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/num.h"
#include "intact.h"
#include "meet.h"
#include "objects/core.h"
#include "orr_mpi.h"
#include "status.h"

_Static_assert((int)RMA_PUT == MP_PUT && (int)RMA_FETCH == MP_GET_ACCUMULATE, "as in mp.h");
_Static_assert((int)WIN_FENCE == MP_WIN_FENCE && (int)WIN_FREE == MP_WIN_FREE, "as in mp.h");
_Static_assert((int)FILE_ALONE == MP_FILE_ALONE && (int)FILE_HOLES == MP_FILE_HOLES, "as in mp.h");

/* Asks, and gives the error of the answer. */
static int ask(struct wire_op *op, uint32_t *value)
{
	const struct wire_answer *a = link_ask(op);
	if (value)
		*value = a->value;
	return a->error;
}

void orr_core_attach(void)
{
	link_open();
}

void orr_core_enter(void)
{
	link_enter();
}

void orr_core_leave(void)
{
	link_leave();
}

/* --- turns: calls of all members that block the rank, of threads that call at once --- */

struct link_turns {
	struct orr_comm *comm; /* whose members own the window or file; borrowed */
	uint32_t count;
};

static struct link_turns *turns_at(uint32_t number, int file)
{
	struct link *l = link_state();
	uint32_t i = 2 * number + (uint32_t)file;

	if (i >= l->cap_turns) {
		uint32_t cap = 2 * i + 16;
		struct link_turns *p = realloc(l->turns, cap * sizeof *p);

		if (!p)
			link_abort("no memory for windows and files", 1);
		memset(p + l->cap_turns, 0, (cap - l->cap_turns) * sizeof *p);
		l->turns = p;
		l->cap_turns = cap;
	}
	return &l->turns[i];
}

static void turns_begin(uint32_t number, int file, struct orr_comm *c)
{
	*turns_at(number, file) = (struct link_turns){.comm = c};
}

static void turn(uint32_t number, int file)
{
	struct link_turns *t = turns_at(number, file);

	if (t->comm && t->comm->size > 1)
		take_turn(t->comm, 4 * (uint64_t)number + 1 + (uint64_t)file, &t->count);
}

/* Of what is made on a communicator. */
static void comm_turn(struct orr_comm *c)
{
	if (c->size > 1)
		take_turn(c, name_mix(c->context, 0), &comm_core(c)->turns);
}

/* --- windows --- */

/* A look at memory takes nothing; but after LOOKS with nothing between them each takes LOOK, so
 * that what a loop of them waits for happens, or a LOOK_PART of how long the loop has looked, so
 * that it need not look often; LOOK_MOST at most, as who only uses its own window, and waits for
 * nothing, calls as often. */
#define LOOK 1e-7
#define LOOK_PART (1.0 / 128)
#define LOOK_MOST 1e-6
enum { LOOKS = 8 };

/* A rank that locks, reads and unlocks its own window again and again waits for what others put
 * there: none of it takes time, so that after LOOKS of them each takes LOOK. */
static int time_lets(struct link *l)
{
	int code = MPI_SUCCESS;

	if (l->still >= LOOKS) {
		double part = LOOK_PART * (l->still_date - l->still_since);

		code = ask(link_sleep(WIRE_CLOCK, part < LOOK        ? LOOK
		                                  : part < LOOK_MOST ? part
		                                                     : LOOK_MOST),
		           NULL);
		l->still_date = l->c->answer.date;
	}
	return code;
}

static void time_passed(struct link *l)
{
	if (l->c->answer.date > l->still_date) {
		l->still = 0;
		l->still_since = l->c->answer.date;
	} else {
		l->still++;
	}
	l->still_date = l->c->answer.date;
}

int orr_core_win_make(struct orr_comm *c, uint32_t *win)
{
	link_enter();
	comm_turn(c);
	struct wire_op *op = link_room(WIRE_WIN_MAKE, 0);
	op->a = comm_core(c)->id;
	int code = ask(op, win);
	turns_begin(*win, 0, c);
	link_leave();
	return code;
}

int orr_core_win_sync(uint32_t win, enum orr_win_sync what, int process)
{
	struct link *l = link_state();
	link_enter();
	touches_end(win, what, process);
	if (what == WIN_FENCE || what == WIN_FREE)
		turn(win, 0);
	int code = time_lets(l);
	if (code == MPI_SUCCESS) {
		struct wire_op *op = link_room(WIRE_WIN_SYNC, 0);
		op->a = win;
		op->mode = (uint8_t)what;
		op->b = (uint32_t)process;
		code = ask(op, NULL);
	}
	time_passed(l);
	link_leave();
	return code;
}

int orr_core_win_group(uint32_t win, int post, const struct orr_group *g)
{
	void *to;
	link_enter();
	struct wire_op *op = link_room_list(WIRE_WIN_GROUP, 0, (uint32_t)g->n, sizeof(int32_t),
	                                    &to);
	memcpy(to, g->member, (size_t)g->n * sizeof(int32_t));
	op->a = win;
	op->b = (uint32_t)post;
	int code = ask(op, NULL);
	link_leave();
	return code;
}

/* --- requests of windows, files and buffers --- */

static int finish(struct orr_request *r, const struct wire_done *d, MPI_Status *status)
{
	(void)d;
	if (status) {
		status_set_empty(status);
		status_set_bytes(status, r->count);
	}
	return MPI_SUCCESS;
}

/* A request, or NULL: no memory. */
static struct orr_request *request_make(MPI_Request *request)
{
	struct orr_request *r = request_new(REQUEST_OTHER, NULL, NULL, 0, NULL);
	if (!r)
		return NULL;
	r->number = link_number();
	r->active = 1;
	r->complete = finish;
	*request = orr_handle(r);
	return r;
}

void orr_core_request_bytes(MPI_Request request, int64_t bytes)
{
	struct orr_request *r = request_of(request);
	if (r)
		r->count = bytes;
}

/* With a request it rests until that is over; ordered: the answer is waited for. Leaves the link.
 */
static int rests_put(struct wire_op *op, const struct orr_request *r, int ordered)
{
	int code = MPI_SUCCESS;

	if (r)
		op->flags |= WIRE_RESTS;
	if (ordered)
		code = ask(op, NULL);
	else
		link_put(op);
	link_leave();
	return code;
}

int orr_core_rma(uint32_t win, enum orr_rma_kind kind, int process, int64_t bytes, int ordered,
                 MPI_Request *request)
{
	link_enter();
	struct orr_request *r = request ? request_make(request) : NULL;
	if (request && !r) {
		link_leave();
		return MPI_ERR_NO_MEM;
	}
	struct wire_op *op = link_room(WIRE_RMA, sizeof(struct wire_rma));
	*(struct wire_rma *)(op + 1) = (struct wire_rma){
	    .win = win,
	    .kind = (uint32_t)kind,
	    .target = process == MPI_PROC_NULL ? WIRE_NOBODY : process,
	    .request = r ? r->number : WIRE_NONE,
	    .bytes = (uint64_t)bytes};
	return rests_put(op, r, ordered);
}

int orr_core_buffer_iflush(MPI_Request *request)
{
	link_enter();
	struct orr_request *r = request_make(request);
	if (!r) {
		link_leave();
		return MPI_ERR_NO_MEM;
	}
	struct wire_op *op = link_room(WIRE_BUFFER_IFLUSH, 0);
	op->a = r->number;
	return rests_put(op, r, 0);
}

int orr_core_poll(void)
{
	struct link *l = link_state();
	link_enter();
	l->looks = l->ops == l->ops_looked ? l->looks + 1 : 0;
	int code = ask(link_sleep(WIRE_CLOCK, l->looks < LOOKS ? 0 : LOOK), NULL);
	l->ops_looked = l->ops;
	link_leave();
	return code;
}

/* --- memory --- */

uint64_t orr_core_shared_new(int64_t bytes)
{
	struct link *l = link_state();
	uint64_t out = l->heap->out, place = wire_block_new(l->heap, (uint64_t)bytes);
	l->heap->out = out; /* it is no message under way */
	return place;
}

void orr_core_shared_free(uint64_t place)
{
	link_block_free(place);
}

void *orr_core_shared_at(uint64_t place)
{
	return link_at(place);
}

int orr_core_one_host(const struct orr_comm *c)
{
	const struct link *l = link_state();
	const uint32_t *host = wire_at(l->head, l->head->hosts);
	for (int i = 1; i < c->size; i++)
		if (host[c->local->member[i]] != host[c->local->member[0]])
			return 0;
	return 1;
}

void orr_core_peer_allow(void)
{
	if (!link_state()->hold)
		prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
}

/* The kernel reads a byte at both ends of each piece. */
static int are_memory(const struct iovec *mine, size_t n)
{
	int good = 1;
	char byte;

	for (size_t i = 0; i < 2 * n && good; i++) {
		const struct iovec *p = &mine[i / 2];
		struct iovec to = {&byte, 1}, from = {p->iov_base, 1};

		if (i % 2)
			from.iov_base = (char *)p->iov_base + p->iov_len - 1;
		good = p->iov_len == 0 || process_vm_readv(gettid(), &to, 1, &from, 1, 0) == 1;
	}
	return good;
}

struct copy {
	int write;
	const struct iovec *mine, *its;
	size_t n_mine, n_its;
};

static ssize_t copy_by(pid_t thread, const struct copy *c)
{
	return c->write ? process_vm_writev(thread, c->mine, c->n_mine, c->its, c->n_its, 0)
	                : process_vm_readv(thread, c->mine, c->n_mine, c->its, c->n_its, 0);
}

/* A process whose first thread has ended (pthread_exit) has its memory by way of the others alone.
 */
static ssize_t process_copy(pid_t pid, const struct copy *c)
{
	ssize_t n = copy_by(pid, c);
	const struct dirent *e;
	char path[32];
	int64_t tid;
	DIR *all;

	if (n >= 0 || errno != ESRCH)
		return n;
	snprintf(path, sizeof path, "/proc/%ld/task", (long)pid);
	all = opendir(path);
	while (all && n < 0 && (e = readdir(all)))
		if (num_take_digits(e->d_name, &tid))
			n = copy_by((pid_t)tid, c);
	if (all)
		closedir(all);
	return n;
}

int orr_core_peer_copy(int process, int write, const struct iovec *mine, size_t n_mine,
                       const struct iovec *its, size_t n_its)
{
	const struct link *l = link_state();
	if (l->hold)
		return l->hold->copy((uint32_t)process, write, mine, n_mine, its, n_its);
	pid_t pid = (pid_t)atomic_load(&wire_channel(l->head, (uint32_t)process)->pid);
	size_t wanted = 0;
	for (size_t i = 0; i < n_mine; i++)
		wanted += mine[i].iov_len;
	const struct copy c = {write, mine, its, n_mine, n_its};
	ssize_t n = process_copy(pid, &c);
	if (n < 0 && (errno == EPERM || errno == ENOSYS)) {
		char text[256];
		snprintf(
		    text, sizeof text,
		    "the memory of rank %d's window cannot be reached (%s): one-sided "
		    "communication needs process_vm_readv (in a container: --cap-add SYS_PTRACE)",
		    process, strerror(errno));
		orr_core_abort(text, MPI_ERR_OTHER);
	}
	if (n >= 0 && (size_t)n == wanted)
		return 0;
	return are_memory(mine, n_mine) ? -1 : 1;
}

/* --- files --- */

int orr_core_file_open(struct orr_comm *c, const char *name, uint32_t *file)
{
	void *to;
	uint32_t n = (uint32_t)strlen(name);
	link_enter();
	comm_turn(c);
	struct wire_op *op = link_room_list(WIRE_FILE_OPEN, 0, n, 1, &to);
	memcpy(to, name, n);
	op->a = comm_core(c)->id;
	int code = ask(op, file);
	turns_begin(*file, 1, c);
	link_leave();
	return code;
}

int orr_core_file_access(uint32_t file, enum orr_file_way way, int write, int64_t bytes,
                         int ordered, MPI_Request *request)
{
	link_enter();
	struct orr_request *r = request ? request_make(request) : NULL;
	if (request && !r) {
		link_leave();
		return MPI_ERR_NO_MEM;
	}
	if (!request && way >= FILE_ORDERED)
		turn(file, 1);
	struct wire_op *op = link_room(WIRE_FILE_ACCESS, sizeof(struct wire_access));
	*(struct wire_access *)(op + 1) = (struct wire_access){.file = file,
	                                                       .way = (uint32_t)way,
	                                                       .write = (uint32_t)write,
	                                                       .request = r ? r->number : WIRE_NONE,
	                                                       .bytes = (uint64_t)bytes};
	return rests_put(op, r, ordered);
}

static int of_file(enum wire_kind kind, uint32_t file)
{
	link_enter();
	turn(file, 1);
	struct wire_op *op = link_room(kind, 0);
	op->a = file;
	int code = ask(op, NULL);
	link_leave();
	return code;
}

int orr_core_file_sync(uint32_t file)
{
	return of_file(WIRE_FILE_SYNC, file);
}

int orr_core_file_close(uint32_t file)
{
	return of_file(WIRE_FILE_CLOSE, file);
}

int orr_core_file_unlink(const char *name)
{
	void *to;
	uint32_t n = (uint32_t)strlen(name);
	link_enter();
	struct wire_op *op = link_room_list(WIRE_FILE_UNLINK, 0, n, 1, &to);
	memcpy(to, name, n);
	int code = ask(op, NULL);
	link_leave();
	return code;
}
