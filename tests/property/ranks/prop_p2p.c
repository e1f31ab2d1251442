/* prop_p2p.c: random messages between ranks: what arrives, where it lies, what its status says; and
 * that no match is one which MPI 4.0, 3.5 forbids.
 *
 * Which message a receive with wildcards gets depends on dates. So what is checked is not one
 * outcome but the rules that all of them obey: each message goes to one receive, which names its
 * source and tag or takes any; of two messages of one sender that a receive would take, the later
 * one is only received if the earlier one went to a receive that was posted before. */
#include "../../unit/ranks/ranks.h"

#include "../../unit/ranks/layout.h"
#include "base/rng.h"

enum { RANKS = 6, MESSAGES = 60, COUNT_MOST = 40000, CASES = 40 };
enum kind { SEND, SSEND, RSEND, BSEND, ISEND, ISSEND, IBSEND, PERSISTENT, KINDS };

struct message {
	int from, to, tag, comm, count;
	enum layout layout;
	enum kind kind;
};
struct receive {
	int source, tag, comm, room; /* as MPI_Recv has them */
	enum layout layout;
	int got; /* the message, -1: none yet */
	int *buf;
};
struct plan {
	int n, messages, probes;
	uint64_t seed;
	struct message message[MESSAGES];
	struct receive receive[RANKS][MESSAGES];
	int receives[RANKS];
};

/* Element i of message m. */
static int value(int m, int i)
{
	return m * 65537 + i;
}

/* Room for so many in any layout. */
static int *buffer_new(int count)
{
	return ints_new(2 * count + 2);
}

/* --- sending --- */

struct sent {
	MPI_Request request;
	int *buf;
	int *back; /* what a persistent one goes back to */
};

static void send_one(const struct message *m, int number, MPI_Comm comm, struct sent *s)
{
	int n = m->count / layout_ints(m->layout);
	MPI_Datatype t = layout_type(m->layout);

	s->request = MPI_REQUEST_NULL;
	s->buf = buffer_new(m->count);
	for (int i = 0; i < m->count; i++)
		s->buf[layout_place(m->layout, i)] = value(number, i);
	switch (m->kind) {
	case SEND:
		OK(orr_Send(s->buf, n, t, m->to, m->tag, comm));
		break;
	case SSEND:
		OK(orr_Ssend(s->buf, n, t, m->to, m->tag, comm));
		break;
	case RSEND:
		OK(orr_Rsend(s->buf, n, t, m->to, m->tag, comm));
		break;
	case BSEND:
		OK(orr_Bsend(s->buf, n, t, m->to, m->tag, comm));
		break;
	case ISEND:
		OK(orr_Isend(s->buf, n, t, m->to, m->tag, comm, &s->request));
		break;
	case ISSEND:
		OK(orr_Issend(s->buf, n, t, m->to, m->tag, comm, &s->request));
		break;
	case IBSEND:
		OK(orr_Ibsend(s->buf, n, t, m->to, m->tag, comm, &s->request));
		break;
	default:
		OK(orr_Send_init(s->buf, n, t, m->to, m->tag, comm, &s->request));
		OK(orr_Start(&s->request));
	}
	layout_type_end(t); /* the message goes on */
}

static void sends(const struct plan *p, int me, const MPI_Comm *comm)
{
	struct sent *s = calloc(MESSAGES, sizeof *s);
	MPI_Status status;
	int n = 0;

	assert_non_null(s);
	for (int i = 0; i < p->messages; i++)
		if (p->message[i].from == me)
			send_one(&p->message[i], i, comm[p->message[i].comm], &s[n++]);
	for (int i = n - 1; i >= 0; i--) {
		OK(orr_Wait(&s[i].request, &status));
		if (s[i].request != MPI_REQUEST_NULL)
			OK(orr_Request_free(&s[i].request));
		free(s[i].buf);
	}
	free(s);
}

/* --- receiving what was posted before --- */

static int is_of(const struct receive *r, const struct message *m, int me)
{
	return m->to == me && m->comm == r->comm &&
	       (r->source == MPI_ANY_SOURCE || r->source == m->from) &&
	       (r->tag == MPI_ANY_TAG || r->tag == m->tag);
}

/* The data say which message it is; status and memory say the same. */
static void received(const struct plan *p, struct receive *r, int me, const MPI_Status *s)
{
	MPI_Count n;
	const struct message *m;
	int number = r->buf[layout_place(r->layout, 0)] / 65537;

	assert_in_range(number, 0, p->messages - 1);
	m = &p->message[number];
	assert_true(is_of(r, m, me));
	assert_int_equal(r->got, -1);
	r->got = number;
	assert_int_equal(s->MPI_SOURCE, m->from);
	assert_int_equal(s->MPI_TAG, m->tag);
	OK(orr_Get_count(s, MPI_INT, &n));
	assert_int_equal(n, m->count);
	for (int i = 0; i < m->count; i++)
		if (r->buf[layout_place(r->layout, i)] != value(number, i))
			fail_msg("message %d: element %d is %d", number, i,
			         r->buf[layout_place(r->layout, i)]);
	for (int i = 0; r->layout == SPREAD && i < r->room; i++)
		assert_int_equal(r->buf[2 * i + 1], UNTOUCHED);
	for (int i = m->count; r->layout != SPREAD && i < 2 * r->room; i++)
		assert_int_equal(r->buf[i], UNTOUCHED);
	free(r->buf);
	r->buf = NULL;
}

static void post(struct receive *r, const MPI_Comm *comm, MPI_Request *request, int persistent)
{
	int of = layout_ints(r->layout);
	MPI_Datatype t = layout_type(r->layout);

	r->buf = buffer_new(r->room);
	OK((persistent ? orr_Recv_init : orr_Irecv)(r->buf, r->room / of, t, r->source, r->tag,
	                                            comm[r->comm], request));
	if (persistent)
		OK(orr_Start(request));
	layout_type_end(t);
}

/* Some that are complete, by one of the ways to wait; indices[] and their statuses. */
static int complete_some(struct rng *r, int n, MPI_Request *q, int *indices, MPI_Status *s)
{
	int flag, some = 0;

	switch (rng_below(r, 7)) {
	case 0:
		OK(orr_Waitany(n, q, indices, s));
		return 1;
	case 1:
		OK(orr_Testany(n, q, indices, &flag, s));
		return flag;
	case 2:
		OK(orr_Waitsome(n, q, &some, indices, s));
		assert_true(some > 0);
		return some;
	case 3:
		OK(orr_Testsome(n, q, &some, indices, s));
		return some;
	case 4:
		while (indices[0] = (int)rng_below(r, (uint64_t)n), q[indices[0]] == NULL)
			;
		OK(orr_Test(&q[indices[0]], &flag, s));
		return flag;
	case 5:
		OK(orr_Testall(n, q, &flag, s));
		break;
	default:
		OK(orr_Waitall(n, q, s));
		flag = 1;
	}
	for (int i = 0; i < n; i++)
		indices[i] = i;
	return flag ? n : 0;
}

static void posted_receives(struct plan *p, struct rng *r, int me, const MPI_Comm *comm)
{
	MPI_Request q[MESSAGES];
	MPI_Status s[MESSAGES];
	int n = p->receives[me], indices[MESSAGES], done = 0, some;

	for (int i = 0; i < n; i++)
		post(&p->receive[me][i], comm, &q[i], rng_below(r, 3) == 0);
	OK(orr_Barrier(MPI_COMM_WORLD)); /* ready sends may begin */
	sends(p, me, comm);
	while (done < n) {
		some = complete_some(r, n, q, indices, s);
		for (int k = 0; k < some; k++) {
			struct receive *w = &p->receive[me][indices[k]];

			if (w->got >= 0) /* Testall: those of before have empty statuses */
				continue;
			received(p, w, me, &s[k]);
			done++;
		}
		for (int i = 0; i < n; i++) /* a persistent one would be complete again */
			if (q[i] != MPI_REQUEST_NULL && p->receive[me][i].got >= 0)
				OK(orr_Request_free(&q[i]));
	}
}

/* --- receiving what a probe has found --- */

static void found_receive(struct plan *p, struct rng *r, int me, const MPI_Comm *comm,
                          struct receive *w)
{
	MPI_Message message = MPI_MESSAGE_NULL;
	MPI_Status found, s;
	MPI_Count n;
	MPI_Request q;
	int matched = rng_below(r, 2) != 0, flag = 0;

	if (rng_below(r, 2)) {
		while (!flag)
			OK(matched ? orr_Improbe(w->source, w->tag, comm[w->comm], &flag, &message,
			                         &found)
			           : orr_Iprobe(w->source, w->tag, comm[w->comm], &flag, &found));
	} else {
		OK(matched ? orr_Mprobe(w->source, w->tag, comm[w->comm], &message, &found)
		           : orr_Probe(w->source, w->tag, comm[w->comm], &found));
	}
	OK(orr_Get_count(&found, MPI_INT, &n));
	w->room = (int)n;
	w->layout = SPREAD;
	w->buf = buffer_new(w->room);
	MPI_Datatype t = layout_type(SPREAD);
	if (!matched) {
		OK(orr_Recv(w->buf, n, t, found.MPI_SOURCE, found.MPI_TAG, comm[w->comm], &s));
	} else if (rng_below(r, 2)) {
		OK(orr_Mrecv(w->buf, n, t, &message, &s));
	} else {
		OK(orr_Imrecv(w->buf, n, t, &message, &q));
		OK(orr_Wait(&q, &s));
	}
	assert_true(message == MPI_MESSAGE_NULL);
	assert_int_equal(found.MPI_SOURCE, s.MPI_SOURCE);
	assert_int_equal(found.MPI_TAG, s.MPI_TAG);
	layout_type_end(t);
	received(p, w, me, &s);
}

static void probed_receives(struct plan *p, struct rng *r, int me, const MPI_Comm *comm)
{
	sends(p, me, comm);
	for (int i = 0; i < p->receives[me]; i++)
		found_receive(p, r, me, comm, &p->receive[me][i]);
}

static void body(int me, void *arg)
{
	struct plan *p = arg;
	MPI_Comm comm[2] = {MPI_COMM_WORLD};
	void *room = malloc(64 << 20), *back;
	MPI_Count size;
	struct rng r;

	rng_init(&r, p->seed, "rank", (uint64_t)me);
	OK(orr_Comm_dup(MPI_COMM_WORLD, &comm[1]));
	OK(orr_Buffer_attach(room, 64 << 20));
	if (p->probes)
		probed_receives(p, &r, me, comm);
	else
		posted_receives(p, &r, me, comm);
	OK(orr_Buffer_detach(&back, &size));
	assert_ptr_equal(back, room);
	free(room);
	OK(orr_Comm_free(&comm[1]));
}

/* --- what is drawn --- */

static int count_draw(struct rng *r)
{
	int most = rng_below(r, 4) == 0 ? COUNT_MOST : 60;

	return 2 * (int)(1 + rng_below(r, (uint64_t)most / 2));
}

/* Receives that are sure to take all messages: for each one, a receive that takes it, and which
 * takes more where it has wildcards; all of a rank have as many, so that none is left over. */
static void plan_draw(struct plan *p, uint64_t seed)
{
	struct rng r;
	int wild;

	rng_init(&r, seed, "p2p", 0);
	*p = (struct plan){.seed = seed};
	p->n = 1 + (int)rng_below(&r, RANKS);
	p->messages = 1 + (int)rng_below(&r, MESSAGES);
	p->probes = (int)rng_below(&r, 2);
	wild = (int)rng_below(&r, 3); /* 0: none; 1: all receives; 2: one side of each pair */
	for (int i = 0; i < p->messages; i++) {
		struct message *m = &p->message[i];
		struct receive *w;

		*m = (struct message){.from = (int)rng_below(&r, (uint64_t)p->n),
		                      .to = (int)rng_below(&r, (uint64_t)p->n),
		                      .tag = (int)rng_below(&r, 4),
		                      .comm = (int)rng_below(&r, 2),
		                      .count = count_draw(&r),
		                      .layout = (enum layout)rng_below(&r, LAYOUTS),
		                      .kind = (enum kind)rng_below(&r, KINDS)};
		/* without receives, a synchronous send to oneself would wait for ever */
		if (p->probes && (m->kind == SSEND || m->kind == RSEND || m->kind == ISSEND ||
		                  m->kind == SEND || m->kind >= ISEND))
			m->kind = BSEND;
		w = &p->receive[m->to][p->receives[m->to]++];
		*w = (struct receive){.source = wild == 1 ? MPI_ANY_SOURCE : m->from,
		                      .tag = wild ? MPI_ANY_TAG : m->tag,
		                      .comm = m->comm,
		                      .room = COUNT_MOST,
		                      .layout = (enum layout)rng_below(&r, LAYOUTS),
		                      .got = -1};
	}
}

/* --- the rules --- */

static int receive_of(const struct plan *p, int rank, int message)
{
	for (int i = 0; i < p->receives[rank]; i++)
		if (p->receive[rank][i].got == message)
			return i;
	fail_msg("seed %llu: message %d was not received", (unsigned long long)p->seed, message);
	return -1;
}

/* No receive before its own one would have taken a message unless it took an earlier one of the
 * same sender, or one of another sender's (then dates decide). */
static void order_check(const struct plan *p, int rank)
{
	for (int a = 0; a < p->messages; a++) {
		const struct message *m = &p->message[a];
		int at = m->to == rank ? receive_of(p, rank, a) : -1;

		for (int b = a + 1; at >= 0 && b < p->messages; b++) {
			const struct message *later = &p->message[b];
			int its;

			if (later->to != rank || later->from != m->from || later->comm != m->comm)
				continue;
			its = receive_of(p, rank, b);
			if (its < at && is_of(&p->receive[rank][its], m, rank))
				fail_msg("seed %llu: message %d of rank %d overtook %d",
				         (unsigned long long)p->seed, b, m->from, a);
		}
	}
}

static void messages(void **state)
{
	static struct plan p;
	const char *one = getenv("PROP_SEED"), *cases = getenv("PROP_CASES");
	uint64_t from = one ? strtoull(one, NULL, 10) : 1, to = one     ? from
	                                                        : cases ? strtoull(cases, NULL, 10)
	                                                                : CASES;

	(void)state;
	for (uint64_t seed = from; seed <= to; seed++) {
		struct ranks run = {.body = body, .arg = &p};

		plan_draw(&p, seed);
		run.n = p.n;
		if (ranks_run(&run) < 0)
			fail_msg("seed %llu: %s", (unsigned long long)seed, run.err.text);
		for (int i = 0; i < p.n; i++)
			order_check(&p, i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(messages)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
