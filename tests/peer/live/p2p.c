/* p2p.c: messages of all modes, in pairs, floods, from any source, persistent, partitioned; errors
 * that are returned. Each is free of deadlock: who may block has posted its receive. */
#include "play.h"

/* A message between two ranks, as both draw it. */
struct message {
	MPI_Datatype base;
	int elements, tag;
};
static struct message message_of(struct rng *r)
{
	struct message m;
	m.base = base_any(r);
	m.elements = play_size(r);
	m.tag = rng_upto(r, 5);
	return m;
}

static char buffer[1 << 21];
static void buffered(bool on)
{
	int size;
	void *at;
	static int ever;
	if (ON_SMPI && ever++)
		return; /* who detaches waits for what is under way; SMPI does not */
	if (on)
		MPI_Buffer_attach(buffer, sizeof buffer);
	else
		MPI_Buffer_detach(&at, &size);
}

/* Starts a send. Blocking ones only if the rank has posted its receive. */
static MPI_Request send_start(struct play *p, struct form *f, int to, int tag, bool may_block)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int how = rng_upto(&p->own, may_block ? 8 : 5);
	switch (how) {
	case 0:
		MPI_Isend(f->at, f->count, f->type, to, tag, p->comm, &r);
		break;
	case 1:
		MPI_Issend(f->at, f->count, f->type, to, tag, p->comm, &r);
		break;
	case 2:
		MPI_Ibsend(f->at, f->count, f->type, to, tag, p->comm, &r);
		break;
	case 3:
		MPI_Bsend(f->at, f->count, f->type, to, tag, p->comm);
		break;
	case 4:
		MPI_Isend(f->at, f->count, f->type, to, tag, p->comm, &r);
		break;
	case 5:
		MPI_Send(f->at, f->count, f->type, to, tag, p->comm);
		break;
	case 6:
		MPI_Ssend(f->at, f->count, f->type, to, tag, p->comm);
		break;
	default:
		MPI_Send(f->at, f->count, f->type, to, tag, p->comm);
		break;
	}
	return r;
}

static void probe(struct play *p, int from, int tag, MPI_Datatype type)
{
	MPI_Status s = {0};
	int found = 0;
	if (rng_coin(&p->own))
		MPI_Probe(from, tag, p->comm, &s);
	else
		while (!found)
			MPI_Iprobe(from, tag, p->comm, &found, &s);
	play_status(p, &s, type);
}

static void mprobe(struct play *p, int from, int tag, struct form *f)
{
	MPI_Message m;
	MPI_Status s = {0};
	int found = 0;
	if (rng_coin(&p->own))
		MPI_Mprobe(from, tag, p->comm, &m, &s);
	else
		while (!found)
			MPI_Improbe(from, tag, p->comm, &found, &m, &s);
	play_status(p, &s, f->type);
	if (rng_coin(&p->own)) {
		MPI_Mrecv(f->at, f->count, f->type, &m, &s);
	} else {
		MPI_Request r;
		MPI_Imrecv(f->at, f->count, f->type, &m, &r);
		complete_all(p, &r, &s, 1);
	}
	play_status(p, &s, f->type);
}

static void recv_blocking(struct play *p, struct form *f, int from, int tag)
{
	MPI_Status s;
	int how = rng_upto(&p->own, 4);
	if (how == 0 && !ON_SMPI) {
		mprobe(p, from, tag, f);
		return;
	}
	if (how == 1 && !ON_SMPI)
		probe(p, from, tag, f->type);
	if (how == 2) {
		MPI_Request r;
		MPI_Irecv(f->at, f->count, f->type, from, tag, p->comm, &r);
		complete_all(p, &r, &s, 1);
	} else {
		MPI_Recv(f->at, f->count, f->type, from, tag, p->comm, &s);
	}
	play_status(p, &s, f->type);
}

/* Everybody sends to its next of a permutation. */
void part_pairs(struct play *p)
{
	int *order = malloc(sizeof(int) * p->n), me = 0;
	ranks_shuffled(&p->shared, order, p->n);
	while (order[me] != p->rank)
		me++;
	int to = order[(me + 1) % p->n], from = order[(me + p->n - 1) % p->n];
	struct rng rs = play_between(p, p->rank, to), rr = play_between(p, from, p->rank);
	struct message ms = message_of(&rs), mr = message_of(&rr);
	struct form a, b;
	form_make(&a, &p->own, &p->own, ms.base, ms.elements);
	form_make(&b, &p->own, &p->own, mr.base, mr.elements);
	MPI_Request r[2];
	MPI_Status s[2];
	int how = rng_upto(&p->own, 3), ready = rng_upto(&p->shared, 6) == 0;
	buffered(true);
	if (ready) {
		MPI_Irecv(b.at, b.count, b.type, from, mr.tag, p->comm, &r[0]);
		MPI_Barrier(p->comm);
		r[1] = MPI_REQUEST_NULL;
		if (rng_coin(&p->own))
			MPI_Rsend(a.at, a.count, a.type, to, ms.tag, p->comm);
		else
			MPI_Irsend(a.at, a.count, a.type, to, ms.tag, p->comm, &r[1]);
		complete_all(p, r, s, 2);
		play_status(p, &s[0], b.type);
	} else if (how == 0) {
		MPI_Irecv(b.at, b.count, b.type, from, mr.tag, p->comm, &r[0]);
		r[1] = send_start(p, &a, to, ms.tag, true);
		complete_all(p, r, s, 2);
		play_status(p, &s[0], b.type);
	} else if (how == 1) {
		r[0] = send_start(p, &a, to, ms.tag, false);
		recv_blocking(p, &b, from, mr.tag);
		complete_all(p, r, s, 1);
	} else {
		MPI_Sendrecv(a.at, a.count, a.type, to, ms.tag, b.at, b.count, b.type, from, mr.tag,
		             p->comm, &s[0]);
		play_status(p, &s[0], b.type);
	}
	buffered(false);
	play_form(p, &b);
	form_free(&a);
	form_free(&b);
	free(order);
	/* in place, one layout for all */
	struct rng layout = rng_of(p->seed, p->step, 7, 7);
	struct message m = message_of(&p->shared);
	form_make(&a, &layout, &p->own, m.base, m.elements);
	MPI_Sendrecv_replace(a.at, a.count, a.type, (p->rank + 1) % p->n, 9,
	                     (p->rank + p->n - 1) % p->n, 9, p->comm, &s[0]);
	play_status(p, &s[0], a.type);
	play_form(p, &a);
	form_free(&a);
}

/* Everybody to everybody, completed in one of many ways. */
void part_flood(struct play *p)
{
	int n = p->n, *order = malloc(sizeof(int) * n);
	struct form *out = malloc(sizeof *out * n), *in = malloc(sizeof *in * n);
	MPI_Request *r = malloc(sizeof *r * 2 * n);
	MPI_Status *s = malloc(sizeof *s * 2 * n);
	bool sends_first = rng_coin(&p->own);
	buffered(true);
	for (int turn = 0; turn < 2; turn++) {
		ranks_shuffled(&p->own, order, n);
		for (int i = 0; i < n; i++) {
			int k = order[i];
			struct form *f = (turn == 0) == sends_first ? &out[k] : &in[k];
			bool sends = f == &out[k];
			struct rng q = sends ? play_between(p, p->rank, k)
			                     : play_between(p, k, p->rank);
			struct message m = message_of(&q);
			if (rng_upto(&q, 12))
				m.elements = m.elements > 2000 ? 2000 : m.elements;
			form_make(f, &p->own, &p->own, m.base, m.elements);
			if (sends)
				r[n + k] = send_start(p, f, k, m.tag, false);
			else
				MPI_Irecv(f->at, f->count, f->type, k,
				          rng_coin(&p->own) ? MPI_ANY_TAG : m.tag, p->comm, &r[k]);
		}
	}
	if (rng_coin(&p->own)) {
		complete_all(p, r, s, 2 * n);
	} else {
		complete_all(p, r, s, n);
		complete_all(p, r + n, s + n, n);
	}
	buffered(false);
	for (int k = 0; k < n; k++) {
		play_status(p, &s[k], in[k].type);
		play_form(p, &in[k]);
		form_free(&in[k]);
		form_free(&out[k]);
	}
	free(order);
	free(out);
	free(in);
	free(r);
	free(s);
}

/* From any source: each sender one message, told apart by its source. */
void part_any(struct play *p)
{
	int root = rng_upto(&p->shared, p->n), how = rng_upto(&p->shared, ON_SMPI ? 2 : 5);
	MPI_Status s;
	if (p->rank != root) {
		struct rng q = play_between(p, p->rank, root);
		struct form f;
		form_make(&f, &p->own, &p->own, MPI_INT, play_size(&q));
		if (rng_coin(&p->own))
			MPI_Send(f.at, f.count, f.type, root, 4, p->comm);
		else
			MPI_Ssend(f.at, f.count, f.type, root, 4, p->comm);
		form_free(&f);
		MPI_Barrier(p->comm);
		return;
	}
	uint64_t before = p->sum, all = 0;
	for (int i = 1; i < p->n; i++) {
		struct form f;
		struct rng data = rng_of(1, 2, 3, 4);
		form_plain(&f, &data, MPI_INT, 36000);
		p->sum = before;
		if (how == 2) {
			MPI_Probe(MPI_ANY_SOURCE, 4, p->comm, &s);
			MPI_Recv(f.at, f.count, f.type, s.MPI_SOURCE, 4, p->comm, &s);
		} else if (how == 3) {
			MPI_Message m;
			MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &m, &s);
			MPI_Mrecv(f.at, f.count, f.type, &m, &s);
		} else if (how == 4) {
			int found = 0;
			while (!found)
				MPI_Iprobe(MPI_ANY_SOURCE, 4, p->comm, &found, &s);
			MPI_Recv(f.at, f.count, f.type, s.MPI_SOURCE, 4, p->comm, &s);
		} else if (how == 1) {
			MPI_Request r;
			MPI_Irecv(f.at, f.count, f.type, MPI_ANY_SOURCE, 4, p->comm, &r);
			MPI_Wait(&r, &s);
		} else {
			MPI_Recv(f.at, f.count, f.type, MPI_ANY_SOURCE, MPI_ANY_TAG, p->comm, &s);
		}
		play_status(p, &s, f.type);
		play_form(p, &f);
		all += p->sum;
		form_free(&f);
	}
	p->sum = before + all;
	MPI_Barrier(p->comm); /* what others send next is not for these receives */
}

/* Several messages of one source, destination and tag, or of two tags in another order. */
void part_several(struct play *p)
{
	int a = rng_upto(&p->shared, p->n), b = rng_upto(&p->shared, p->n);
	int many = 2 + rng_upto(&p->shared, 6);
	bool tags = rng_coin(&p->shared);
	if (a == b)
		b = (a + 1) % p->n;
	struct form f[8];
	MPI_Request r[8];
	MPI_Status s[8];
	struct rng q = play_between(p, a, b);
	if (p->rank != a && p->rank != b)
		return;
	if (a == b)
		return;
	buffered(true);
	for (int i = 0; i < many; i++) {
		int n = play_size(&q);
		bool sends = p->rank == a;
		int k = sends || !tags ? i : many - 1 - i; /* tags in the other order */
		int own = n;
		if (!sends && tags) {
			struct rng again = play_between(p, a, b);
			for (int j = 0; j <= k; j++)
				own = play_size(&again);
		}
		form_make(&f[i], &p->own, &p->own, MPI_SHORT, own);
		if (sends)
			r[i] = send_start(p, &f[i], b, tags ? k : 1, false);
		else
			MPI_Irecv(f[i].at, f[i].count, f[i].type, a, tags ? k : 1, p->comm, &r[i]);
	}
	complete_all(p, r, s, many);
	for (int i = 0; i < many; i++) {
		if (p->rank == b) {
			play_status(p, &s[i], f[i].type);
			play_form(p, &f[i]);
		}
		form_free(&f[i]);
	}
	buffered(false);
}

/* No process, no elements, more room than data, a receive cancelled. */
void part_null(struct play *p)
{
	struct form f;
	MPI_Status s[3];
	MPI_Request r[3];
	form_plain(&f, &p->own, MPI_INT, 1000);
	MPI_Recv(f.at, 10, MPI_INT, MPI_PROC_NULL, 3, p->comm, &s[0]);
	play_status(p, &s[0], MPI_INT);
	MPI_Send(f.at, 10, MPI_INT, MPI_PROC_NULL, 3, p->comm);
	int next = (p->rank + 1) % p->n, last = (p->rank + p->n - 1) % p->n;
	MPI_Irecv(f.at, 1000, MPI_INT, last, 2, p->comm, &r[0]);
	MPI_Irecv(f.at, 1000, MPI_INT, MPI_PROC_NULL, 2, p->comm, &r[1]);
	MPI_Isend(f.at + 2000, rng_upto(&p->own, 400), MPI_INT, next, 2, p->comm, &r[2]);
	complete_all(p, r, s, 3);
	play_status(p, &s[0], MPI_INT);
	if (!ON_MPICH) /* MPICH 4.0.2 says source 0 */
		play_status(p, &s[1], MPI_INT);
	play_form(p, &f);
	if (!ON_SMPI) {
		MPI_Irecv(f.at, 100, MPI_INT, last, 7, p->comm, &r[0]);
		MPI_Cancel(&r[0]);
		MPI_Wait(&r[0], &s[0]);
		int cancelled = 0;
		MPI_Test_cancelled(&s[0], &cancelled);
		play_number(p, cancelled);
		MPI_Iprobe(MPI_ANY_SOURCE, 77, p->comm, &cancelled, &s[0]);
		play_number(p, cancelled);
	}
	form_free(&f);
	/* a longer room of several elements of a type, a message that ends in the midst of one */
	int lengths[2] = {1, 2}, places[2] = {0, 2};
	MPI_Datatype t;
	MPI_Type_indexed(2, lengths, places, MPI_INT, &t);
	MPI_Type_commit(&t);
	form_plain(&f, &p->own, MPI_INT, 400);
	MPI_Sendrecv(f.at + 1000, 1 + rng_upto(&p->own, 80), MPI_INT, next, 5, f.at, 40, t, last, 5,
	             p->comm, &s[0]);
	play_status(p, &s[0], t);
	play_form(p, &f);
	form_free(&f);
	MPI_Type_free(&t);
}

static void start_all(struct play *p, MPI_Request *r, int n)
{
	if (rng_coin(&p->own))
		MPI_Startall(n, r);
	else
		for (int i = 0; i < n; i++)
			MPI_Start(&r[i]);
}

void part_persistent(struct play *p)
{
	int next = (p->rank + 1) % p->n, last = (p->rank + p->n - 1) % p->n;
	int times = 1 + rng_upto(&p->shared, 4);
	struct rng rs = play_between(p, p->rank, next), rr = play_between(p, last, p->rank);
	struct message ms = message_of(&rs), mr = message_of(&rr);
	struct form a, b;
	form_make(&a, &p->own, &p->own, ms.base, ms.elements);
	form_make(&b, &p->own, &p->own, mr.base, mr.elements);
	MPI_Request r[2];
	MPI_Status s[2];
	buffered(true);
	MPI_Recv_init(b.at, b.count, b.type, last, mr.tag, p->comm, &r[0]);
	int way = rng_upto(&p->own, 3);
	if (way == 2 && !ON_MPICH)
		way = times > 1; /* Open MPI 4.1.4 sends zeros the second time */
	switch (way) {
	case 0:
		MPI_Send_init(a.at, a.count, a.type, next, ms.tag, p->comm, &r[1]);
		break;
	case 1:
		MPI_Ssend_init(a.at, a.count, a.type, next, ms.tag, p->comm, &r[1]);
		break;
	default:
		MPI_Bsend_init(a.at, a.count, a.type, next, ms.tag, p->comm, &r[1]);
		break;
	}
	for (int t = 0; t < times; t++) {
		start_all(p, r, 2);
		int done = 0, at[2], got, i;
		int ending = rng_upto(&p->own, 5);
		switch (ending) {
		case 0:
			while (!done)
				MPI_Testall(2, r, &done, s);
			break;
		case 1:
			MPI_Wait(&r[1], &s[1]);
			MPI_Wait(&r[0], &s[0]);
			break;
		case 2: {
			MPI_Status some[2];
			for (got = 0; done < 2; done += got) {
				MPI_Waitsome(2, r, &got, at, some);
				for (i = 0; i < got; i++)
					s[at[i]] = some[i];
			}
			break;
		}
		case 3:
			for (; done < 2; done++) {
				MPI_Status one;
				MPI_Waitany(2, r, &i, &one);
				s[i] = one;
			}
			break;
		default:
			MPI_Waitall(2, r, s);
		}
		play_status(p, &s[0], b.type);
		play_form(p, &b);
		if (a.bytes > 40)
			a.memory[20]++;
	}
	MPI_Wait(&r[0], &s[0]); /* inactive */
	play_number(p, s[0].MPI_SOURCE);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	buffered(false);
	form_free(&a);
	form_free(&b);
}

void part_partitioned(struct play *p)
{
#if ON_MPICH
	int next = (p->rank + 1) % p->n, last = (p->rank + p->n - 1) % p->n;
	struct rng rs = play_between(p, p->rank, next), rr = play_between(p, last, p->rank);
	int ps = 1 + rng_upto(&rs, 6), cs = 1 + rng_upto(&rs, 500), tag = rng_upto(&rs, 3);
	int pr = 1 + rng_upto(&rr, 6), cr = 1 + rng_upto(&rr, 500), tag_r = rng_upto(&rr, 3);
	struct form a, b;
	form_plain(&a, &p->own, MPI_INT, ps * cs);
	form_plain(&b, &p->own, MPI_INT, pr * cr);
	MPI_Request r[2];
	MPI_Status s[2];
	MPI_Psend_init(a.at, ps, cs, MPI_INT, next, tag, p->comm, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(b.at, pr, cr, MPI_INT, last, tag_r, p->comm, MPI_INFO_NULL, &r[1]);
	for (int t = 0; t < 2; t++) {
		int order[8], there;
		MPI_Startall(2, r);
		ranks_shuffled(&p->own, order, ps);
		for (int i = 0; i < ps; i++)
			MPI_Pready(order[i], r[0]);
		if (rng_coin(&p->own))
			for (int i = 0; i < pr; i++)
				for (there = 0; !there;)
					MPI_Parrived(r[1], i, &there);
		MPI_Waitall(2, r, s);
		play_form(p, &b);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	form_free(&a);
	form_free(&b);
#else
	part_persistent(p);
#endif
}

/* Error codes, where they are returned. */
void part_errors(struct play *p)
{
	if (ON_SMPI)
		return;
	MPI_Comm c;
	MPI_Status s;
	MPI_Comm_dup(p->comm, &c);
	MPI_Comm_set_errhandler(c, MPI_ERRORS_RETURN);
	int x[4] = {0}, codes[24], many = 0;
	codes[many++] = MPI_Send(x, 1, MPI_INT, p->n + 3, 1, c);
	codes[many++] = MPI_Send(x, -1, MPI_INT, 0, 1, c);
	codes[many++] = MPI_Send(x, 1, MPI_INT, 0, -5, c);
	codes[many++] = MPI_Recv(x, 1, MPI_INT, -7, 1, c, &s);
	codes[many++] = MPI_Send(x, 1, MPI_DATATYPE_NULL, 0, 1, c);
	codes[many++] = MPI_Bcast(x, 1, MPI_INT, p->n, c);
	codes[many++] = MPI_Bcast(x, -2, MPI_INT, 0, c);
	codes[many++] = MPI_Reduce(x, x + 1, 1, MPI_INT, MPI_OP_NULL, 0, c);
	codes[many++] = MPI_Gather(x, 1, MPI_INT, x, 1, MPI_INT, -3, c);
	for (int i = 0; i < many; i++) {
		int class;
		MPI_Error_class(codes[i], &class);
		play_number(p, class);
	}
	MPI_Comm_free(&c);
}
