/* comm.c: the communicators of the trace, under mp's ids. */
#include "replay_int.h"

enum { TRACE_COMM_SELF = 1 };
/* Names that no trace can have, as no simulation has 2^28 ranks. */
#define MERGING ((uint64_t)1 << 62)
#define BETWEEN ((uint64_t)1 << 61)
#define OF_LOW ((uint64_t)1 << 60)
#define OF_HIGH ((uint64_t)3 << 60)

/* MPI_COMM_SELF is another communicator on every rank: it is made when first used, under a key that
 * no trace can write. */
static int comm_self(struct replay *r, struct mp *mp, uint32_t rank, struct mp_comm *out,
                     struct err *err)
{
	uint64_t key = UINT64_MAX - rank;
	uint32_t known = hash64_find(&r->comm, key);

	if (known != HASH_NONE) {
		out->v = known;
		return 0;
	}
	if (mp_comm_make(mp, rank, key, &rank, 1, out, err) < 0)
		return -1;
	return hash64_put(&r->comm, key, out->v, err);
}

/* "0.3" in a trace: the numbers before are of MPI_COMM_WORLD and MPI_COMM_SELF. */
enum { OWN_FIRST = 2 };

int comm_find(struct replay *r, struct mp *mp, uint32_t rank, uint64_t id, struct mp_comm *out,
              struct err *err)
{
	uint32_t known;

	if (id == 0) {
		*out = MP_COMM_WORLD;
		return 0;
	}
	if (id == TRACE_COMM_SELF)
		return comm_self(r, mp, rank, out, err);
	known = hash64_find(&r->comm, id);
	out->v = known;
	if (known != HASH_NONE && mp_comm_rank(mp, *out, rank) >= 0 &&
	    mp_comm_is_freed(mp, *out, rank))
		return replay_error(r, rank, err, "communicator %u.%u was freed by this rank",
		                    (unsigned)(id >> 32), (unsigned)id - OWN_FIRST);
	if (known == HASH_NONE || mp_comm_rank(mp, *out, rank) < 0)
		return replay_error(r, rank, err, "communicator %u.%u was not made by this rank",
		                    (unsigned)(id >> 32), (unsigned)id - OWN_FIRST);
	return 0;
}

/* Appends world ranks to r->members from *n on. */
static int members_add(struct replay *r, uint32_t rank, const int32_t *members, int64_t n,
                       uint32_t *at, struct err *err)
{
	uint32_t *m = vec_grow(r->members, &r->cap_members, sizeof *m, (size_t)*at + (size_t)n,
	                       "members of a communicator", err);

	if (!m)
		return -1;
	r->members = m;
	for (int64_t i = 0; i < n; i++) {
		if (members[i] < 0 || (uint32_t)members[i] >= r->ranks)
			return replay_error(
			    r, rank, err,
			    "member %d of the communicator is not a rank: there are %u", members[i],
			    r->ranks);
		m[(*at)++] = (uint32_t)members[i];
	}
	return 0;
}

/* Of an intercommunicator, the group of the rank after which it is named comes first. */
static int inter_make(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                      struct mp_comm *c, struct err *err)
{
	int mine_first = ev->members[0] == (int32_t)(ev->comm >> 32);
	const int32_t *first = mine_first ? ev->members : ev->remote,
	              *second = mine_first ? ev->remote : ev->members;
	int64_t n_first = mine_first ? ev->n_members : ev->n_remote,
	        n_second = mine_first ? ev->n_remote : ev->n_members;
	uint32_t n = 0;

	if (members_add(r, rank, first, n_first, &n, err) < 0 ||
	    members_add(r, rank, second, n_second, &n, err) < 0)
		return -1;
	return mp_intercomm_make(mp, rank, ev->comm, r->members, n, (uint32_t)n_first, c, err);
}

static int topology_make(struct mp *mp, uint32_t rank, const struct trace_event *ev,
                         struct mp_comm c, struct err *err)
{
	if (ev->flags & TRACE_CART && ev->n_counts2 == ev->n_counts)
		return mp_comm_cart(mp, rank, c, ev->counts, ev->counts2, (uint32_t)ev->n_counts,
		                    err);
	if (ev->flags & TRACE_GRAPH)
		return mp_comm_graph(mp, rank, c, ev->counts, (uint32_t)ev->n_counts, ev->counts2,
		                     (uint32_t)ev->n_counts2, err);
	return 0;
}

static int comm_make(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	struct mp_comm c;
	uint32_t n = 0;
	int made;

	if (ev->n_members ==
	    0) /* MPI_COMM_NULL on this rank, or SimGrid's form, which names nobody */
		return MP_DONE;
	if (ev->n_remote > 0)
		made = inter_make(r, mp, rank, ev, &c, err);
	else if (members_add(r, rank, ev->members, ev->n_members, &n, err) < 0)
		return MP_ERROR;
	else
		made = mp_comm_make(mp, rank, ev->comm, r->members, n, &c, err);
	if (made < 0 || hash64_put(&r->comm, ev->comm, c.v, err) < 0)
		return MP_ERROR;
	if (ev->flags & TRACE_AGREED) /* what the trace has instead of the program's calls */
		mp_comm_disown(mp, c);
	if (topology_make(mp, rank, ev, c, err) < 0)
		return MP_ERROR;
	return ev->flags & TRACE_GRAPH && ev->flags & TRACE_DISTRIBUTED
	           ? mp_comm_edges(mp, rank, c, err)
	           : MP_DONE;
}

static enum mp_agreement agreement_of(const struct trace_event *ev)
{
	switch (ev->op) {
	case TRACE_COMM_SPLIT:
		return MP_AGREE_SPLIT;
	default:
		return ev->flags & TRACE_DISTRIBUTED ? MP_AGREE_GRAPH : MP_AGREE_ALL;
	}
}

/* How a member joins a communicator that its members alone make. Of one that threads made at once
 * (agreed=1) a member does not wait, as it may return from several in another order than others.
 * Where all members are such, nothing is exchanged: foreign traces have communicators so, that no
 * call made. Else the first member that comes waits, mostly, and the others send it what it waits
 * for. */
enum join { JOIN_NOT, JOIN_WAITS, JOIN_BESIDE };

static int join_of(struct replay *r, const struct trace_event *ev, struct err *err)
{
	int beside = (ev->flags & TRACE_AGREED) != 0;
	uint32_t first = hash64_find(&r->joined, ev->comm);

	if (ev->flags & TRACE_NAMELESS || ev->n_members == 0)
		return JOIN_NOT;
	if (first == HASH_NONE) {
		first = beside ? JOIN_NOT : JOIN_WAITS;
		if (hash64_put(&r->joined, ev->comm, first, err) < 0)
			return -1;
	}
	return first == JOIN_NOT ? JOIN_NOT : beside ? JOIN_BESIDE : JOIN_WAITS;
}

/* The request is nobody's: what it stands for goes on by itself. */
static int join(struct mp *mp, uint32_t rank, struct mp_comm c, enum join how, struct err *err)
{
	struct mp_request nobody;

	return how == JOIN_WAITS    ? mp_comm_agree(mp, rank, c, MP_AGREE_GROUP, err)
	       : how == JOIN_BESIDE ? mp_comm_iagree(mp, rank, c, MP_AGREE_GROUP, &nobody, err)
	                            : MP_DONE;
}

/* The members of the old communicator have to agree on the new one. */
static int agree(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                 uint64_t among, struct err *err)
{
	struct mp_comm c;

	if (ev->flags & (TRACE_NAMELESS | TRACE_AGREED))
		return MP_DONE;
	return comm_find(r, mp, rank, among, &c, err) < 0
	           ? MP_ERROR
	           : mp_comm_agree(mp, rank, c, agreement_of(ev), err);
}

/* A communicator is made when its members have agreed. */
static int comm_after_agreement(struct replay *r, struct mp *mp, uint32_t rank,
                                const struct trace_event *ev, struct err *err)
{
	int s = agree(r, mp, rank, ev, ev->parent, err);

	if (s == MP_DONE)
		return comm_make(r, mp, rank, ev, err);
	return s == MP_BLOCKED && event_save(r, rank, ev, AFTER_COMM, err) < 0 ? MP_ERROR : s;
}

static int comm_free(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	struct mp_comm c;

	return comm_find(r, mp, rank, ev->comm, &c, err) < 0 ? MP_ERROR
	                                                     : mp_comm_free(mp, rank, c, err);
}

/* MPI_Comm_disconnect: when its members have agreed. */
static int comm_free_when(struct replay *r, struct mp *mp, uint32_t rank,
                          const struct trace_event *ev, struct err *err)
{
	struct mp_comm c;
	int s = MP_DONE;

	if (ev->comm <= TRACE_COMM_SELF)
		return MP_DONE;
	if (ev->flags & TRACE_DISCONNECTS)
		s = comm_find(r, mp, rank, ev->comm, &c, err) < 0
		        ? MP_ERROR
		        : mp_comm_agree(mp, rank, c, MP_AGREE_ALL, err);
	if (s == MP_DONE)
		return comm_free(r, mp, rank, ev, err);
	return s == MP_BLOCKED && event_save(r, rank, ev, AFTER_COMM, err) < 0 ? MP_ERROR : s;
}

int comm_after(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err)
{
	return ev->op == TRACE_COMM_FREE ? comm_free(r, mp, rank, ev, err)
	                                 : comm_make(r, mp, rank, ev, err);
}

/* What a blocking call beside other threads exchanges is what it does alone. */
static enum mp_agreement later_agreement_of(const struct trace_event *ev)
{
	return !(ev->flags & TRACE_BESIDE)        ? MP_AGREE_GROUP
	       : (ev->flags & TRACE_BESIDE_SPLIT) ? MP_AGREE_SPLIT
	       : (ev->flags & TRACE_BESIDE_GRAPH) ? MP_AGREE_GRAPH
	                                          : MP_AGREE_ALL;
}

static int comm_idup(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                     struct err *err)
{
	struct mp_request q;
	struct mp_comm c;
	int s = comm_find(r, mp, rank, ev->parent, &c, err) < 0
	            ? MP_ERROR
	            : mp_comm_iagree(mp, rank, c, later_agreement_of(ev), &q, err);

	return s < 0 || entry_add(r, rank, ev, q, 0, err) < 0 ? MP_ERROR : s;
}

/* Whose order its members do not know before all have come: they agree in the order of the two
 * groups of the old communicator, as orr_Intercomm_merge of libmpi does. */
static int merge_agree(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
                       struct err *err)
{
	uint32_t n = (uint32_t)ev->n_members, at = 0;
	int how = join_of(r, ev, err), s;
	struct mp_comm parent, c;
	uint32_t *m;

	if (how <= JOIN_NOT)
		return how < 0 ? MP_ERROR : MP_DONE;
	if (comm_find(r, mp, rank, ev->parent, &parent, err) < 0 ||
	    members_add(r, rank, ev->members, n, &at, err) < 0)
		return MP_ERROR;
	m = r->members;
	for (uint32_t i = 0; i < n; i++) {
		int32_t place = mp_comm_rank(mp, parent, (uint32_t)ev->members[i]);

		if (place < 0 || (uint32_t)place >= n)
			return replay_error(
			    r, rank, err,
			    "member %d of the communicator is not one of those merged",
			    ev->members[i]);
		m[place] = (uint32_t)ev->members[i];
	}
	if (mp_comm_make(mp, rank, ev->comm | MERGING, m, n, &c, err) < 0)
		return MP_ERROR;
	s = join(mp, rank, c, (enum join)how, err);
	return s == MP_ERROR || mp_comm_free(mp, rank, c, err) < 0 ? MP_ERROR : s;
}

/* Whom only its members make: made first, then they agree. */
int comm_join(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
              struct err *err)
{
	int s = comm_make(r, mp, rank, ev, err), how = join_of(r, ev, err);
	struct mp_comm c;

	if (s < 0 || how <= JOIN_NOT)
		return how < 0 ? MP_ERROR : s;
	return comm_find(r, mp, rank, ev->comm, &c, err) < 0
	           ? MP_ERROR
	           : join(mp, rank, c, (enum join)how, err);
}

/* --- MPI_Intercomm_create (mp_comm_bridge): two leaders, and the rank's group. What is under way
 * has the turn in count2, and mp's numbers of the communicators in object and message --- */

static int bridge_comm(struct replay *r, struct mp *mp, uint32_t rank, uint64_t key,
                       const int32_t *members, int64_t n, int64_t *out, struct err *err)
{
	struct mp_comm c;
	uint32_t at = 0;

	if (members_add(r, rank, members, n, &at, err) < 0 ||
	    mp_comm_make(mp, rank, key, r->members, at, &c, err) < 0)
		return -1;
	*out = c.v;
	return 0;
}

static int bridge_ends(struct mp *mp, uint32_t rank, const struct trace_event *ev, struct err *err)
{
	if (ev->object >= 0 &&
	    mp_comm_free(mp, rank, (struct mp_comm){(uint32_t)ev->object}, err) < 0)
		return MP_ERROR;
	return mp_comm_free(mp, rank, (struct mp_comm){(uint32_t)ev->message}, err) < 0 ? MP_ERROR
	                                                                                : MP_DONE;
}

int comm_bridge(struct replay *r, struct mp *mp, uint32_t rank, struct trace_event *ev,
                struct err *err)
{
	struct mp_bridge b = {.leader = (uint32_t)ev->root,
	                      .local = (uint32_t)ev->n_members,
	                      .remote = (uint32_t)ev->n_remote};
	int s = MP_DONE;

	while (s == MP_DONE && ev->count2 < mp_bridge_turns(mp)) {
		b.turn = (uint32_t)ev->count2++;
		if (b.turn % 2 || ev->object >= 0) {
			struct mp_comm over = {(uint32_t)(b.turn % 2 ? ev->message : ev->object)};
			struct mp_request nobody;

			s = ev->flags & TRACE_AGREED
			        ? mp_comm_ibridge(mp, rank, over, &b, &nobody, err)
			        : mp_comm_bridge(mp, rank, over, &b, err);
		}
	}
	if (s == MP_DONE)
		return bridge_ends(mp, rank, ev, err);
	return s == MP_BLOCKED && event_save(r, rank, ev, AFTER_BRIDGE, err) < 0 ? MP_ERROR : s;
}

static int bridge_begin(struct replay *r, struct mp *mp, uint32_t rank,
                        const struct trace_event *given, struct err *err)
{
	struct trace_event ev = *given;
	int s = comm_make(r, mp, rank, &ev, err), how = join_of(r, &ev, err);
	int32_t pair[2];
	int low;

	if (s < 0 || how <= JOIN_NOT || mp_bridge_turns(mp) == 0)
		return how < 0 ? MP_ERROR : s;
	if (ev.n_remote == 0)
		return replay_error(r, rank, err, "makes an intercommunicator with no other group");
	if (ev.root < 0 || ev.root >= ev.n_members)
		return replay_error(r, rank, err, "is led by member %d of %lld", (int)ev.root,
		                    (long long)ev.n_members);
	low = ev.members[0] < ev.remote[0];
	ev.count2 = 0;
	ev.object = -1;
	if (bridge_comm(r, mp, rank, ev.comm | (low ? OF_LOW : OF_HIGH), ev.members, ev.n_members,
	                &ev.message, err) < 0)
		return MP_ERROR;
	if (ev.members[ev.root] == (int32_t)rank) {
		int32_t other = ev.peer == TRACE_ANY ? ev.remote[0] : ev.peer;

		pair[other < (int32_t)rank] = (int32_t)rank;
		pair[other >= (int32_t)rank] = other;
		if (bridge_comm(r, mp, rank, ev.comm | BETWEEN, pair, 2, &ev.object, err) < 0)
			return MP_ERROR;
	}
	return comm_bridge(r, mp, rank, &ev, err);
}

int comm_event(struct replay *r, struct mp *mp, uint32_t rank, const struct trace_event *ev,
               struct err *err)
{
	int s;

	switch (ev->op) {
	case TRACE_COMM_FREE:
		return comm_free_when(r, mp, rank, ev, err);
	case TRACE_COMM_IDUP:
		return comm_idup(r, mp, rank, ev, err);
	case TRACE_INTERCOMM_MERGE:
		s = comm_make(r, mp, rank, ev, err);
		return s == MP_DONE ? merge_agree(r, mp, rank, ev, err) : s;
	case TRACE_INTERCOMM_CREATE:
		if (ev->flags & TRACE_LED)
			return bridge_begin(r, mp, rank, ev, err);
		s = ev->flags & (TRACE_SPAWNS | TRACE_SPAWNED) ? spawn_meet(r, mp, rank, ev, err)
		                                               : MP_DONE;
		return s == MP_DONE ? comm_join(r, mp, rank, ev, err) : s;
	case TRACE_COMM_CREATE_GROUP:
		return comm_join(r, mp, rank, ev, err);
	default:
		if (ev->req < 0)
			return comm_after_agreement(r, mp, rank, ev, err);
		s = wait_number(r, mp, rank, ev->req, err); /* of comm_idup, whose end this is */
		if (s == MP_DONE)
			return comm_make(r, mp, rank, ev, err);
		return s == MP_BLOCKED && event_save(r, rank, ev, AFTER_COMM, err) < 0 ? MP_ERROR
		                                                                       : s;
	}
}
