/* key_parse.c: the trailing "key=value" tokens of our superset: communicators, requests, measured
 * durations (docs/trace-format.md). */
#include "scan.h"
#include "trace/trace_int.h"

#include <assert.h>
#include <string.h>

enum { LIST_LIMIT = 1 << 20 };

static const char *no_memory(struct parse *ps)
{
	ps->at = NULL;
	return NULL;
}

/* Ends a value: blank, end of line, or a character that the list grammar knows. */
static const char *int_scan(const char *p, int64_t *out)
{
	const char *digits = p + (*p == '-'), *end = digits_scan(digits, out);

	if (end && *p == '-')
		*out = -*out;
	return end;
}

static const char *value_i64(struct parse *ps, const char *p, int64_t least, int64_t *out,
                             const char *what)
{
	const char *end = i64_scan(p, out);

	return end && *out >= least ? end : parse_fault(ps, p, "%s", what);
}

/* "a", "a-b" or "a-b:step" from p on. */
struct range {
	int64_t from, to, step;
};

static const char *range_scan(struct parse *ps, const char *p, struct range *r)
{
	const char *start = p;

	p = int_scan(p, &r->from);
	if (!p)
		return parse_fault(ps, start, "a list such as 0-7,9,12-20:2");
	r->to = r->from;
	r->step = 1;
	if (*p != '-')
		return p;
	p = int_scan(p + 1, &r->to);
	if (p && *p == ':')
		p = int_scan(p + 1, &r->step);
	if (!p || r->step == 0 || (r->to - r->from) / r->step < 0)
		return parse_fault(ps, start, "a range such as 3-7 or 0-30:2");
	return p;
}

static const char *range_push(struct parse *ps, const char *p, const struct range *r, int64_t *n)
{
	int64_t limit = ps->grammar->ranks > LIST_LIMIT ? ps->grammar->ranks : LIST_LIMIT,
	        items = (r->to - r->from) / r->step + 1;

	if (items > limit || *n + items > limit)
		return parse_fault(ps, p, "a list of at most %lld items", (long long)limit);
	*n += items;
	for (int64_t i = 0; i < items; i++)
		if (lists_push(ps->lists, r->from + i * r->step, ps->err) < 0)
			return no_memory(ps);
	return p;
}

static const char *list_parse(struct parse *ps, const char *p, uint32_t *offset, int64_t *n)
{
	struct range r;
	const char *start;

	*offset = ps->lists->n;
	*n = 0;
	while (!is_end(*p)) {
		start = p;
		p = range_scan(ps, p, &r);
		if (!p || !range_push(ps, start, &r, n))
			return NULL;
		if (is_end(*p))
			break;
		if (*p != ',')
			return parse_fault(ps, start, "a list such as 0-7,9,12-20:2");
		if (is_end(*++p))
			return parse_fault(ps, p, "a list such as 0-7,9,12-20:2");
	}
	return p;
}

/* World ranks: 32 bits each, packed over the 64-bit items they were read into. */
static const char *ranks_parse(struct parse *ps, const char *p, uint32_t *offset, int64_t *n)
{
	const char *end = list_parse(ps, p, offset, n);

	for (int64_t i = 0; end && i < *n; i++) {
		int64_t *items = ps->lists->items + *offset;
		int32_t rank = (int32_t)items[i];

		if (items[i] < 0 || items[i] >= ps->grammar->peers)
			return parse_fault(ps, p, "world ranks (0 to %d)",
			                   (int)ps->grammar->peers - 1);
		memcpy((char *)items + (size_t)i * sizeof rank, &rank, sizeof rank);
	}
	return end;
}

/* Fewer than so many take less than what it takes to share them. */
enum { SHARED_LEAST = 512 };

static const char *members_parse(struct parse *ps, const char *p)
{
	struct shared_ranks **shared = &ps->lists->members;
	int64_t *n = &ps->ev->n_members;
	const char *end = p;

	ps->keys |= KEY_MEMBERS;
	shares_leave(*shared); /* of group= in the same line: the last one holds */
	*shared = NULL;
	if (!ps->shares)
		return ranks_parse(ps, p, &ps->members, n);
	while (!is_end(*end))
		end++;
	*shared = shares_find(ps->shares, p, (size_t)(end - p));
	if (*shared) {
		shares_at(*shared, n);
		return end;
	}
	end = ranks_parse(ps, p, &ps->members, n);
	if (!end || *n < SHARED_LEAST)
		return end;
	*shared = shares_add(ps->shares, p, (size_t)(end - p),
	                     (const int32_t *)(const void *)(ps->lists->items + ps->members), *n,
	                     ps->err);
	ps->lists->n = ps->members;
	return *shared ? end : no_memory(ps);
}

static const char *remote_parse(struct parse *ps, const char *p)
{
	return ranks_parse(ps, p, &ps->remote, &ps->ev->n_remote);
}

static const char *first_list(struct parse *ps, const char *p)
{
	return list_parse(ps, p, &ps->counts, &ps->ev->n_counts);
}

static const char *second_list(struct parse *ps, const char *p)
{
	return list_parse(ps, p, &ps->counts2, &ps->ev->n_counts2);
}

static const char *dims_parse(struct parse *ps, const char *p)
{
	ps->ev->flags |= TRACE_CART;
	return first_list(ps, p);
}

static const char *sources_parse(struct parse *ps, const char *p)
{
	ps->ev->flags |= TRACE_GRAPH;
	return first_list(ps, p);
}

/* "world", "self", or "<world rank of its rank 0>.<counter>". */
static const char *comm_parse(struct parse *ps, const char *p, uint64_t *out)
{
	const char *start = p;
	int64_t leader, counter;
	size_t n = (size_t)(token_end(p) - p);

	if (n == 5 && strncmp(p, "world", n) == 0) {
		*out = 0;
		return p + n;
	}
	if (n == 4 && strncmp(p, "self", n) == 0) {
		*out = 1;
		return p + n;
	}
	p = int_scan(p, &leader);
	if (p && *p == '.')
		p = int_scan(p + 1, &counter);
	else
		p = NULL;
	if (!p || !is_end(*p) || leader < 0 || leader > INT32_MAX || counter < 0 ||
	    counter > UINT32_MAX - 2)
		return parse_fault(
		    ps, start,
		    "a communicator: world, self, or the rank of its leader and a number, such "
		    "as 4.0");
	*out = (uint64_t)leader << 32 | (uint64_t)(counter + 2);
	return p;
}

/* "<send tag>,<receive tag>" of a sendRecv. */
static const char *tags_parse(struct parse *ps, const char *p)
{
	const char *start = p;
	int64_t tag, tag2;

	p = int_scan(p, &tag);
	p = p && *p == ',' ? int_scan(p + 1, &tag2) : NULL;
	if (!p || !is_end(*p) || tag < TRACE_ANY || tag > INT32_MAX || tag2 < TRACE_ANY ||
	    tag2 > INT32_MAX)
		return parse_fault(ps, start, "the tags of sending and receiving, such as 4,5");
	ps->ev->tag = (int32_t)tag;
	ps->ev->tag2 = (int32_t)tag2;
	return p;
}

/* One of the words that stand for flags. */
struct word {
	const char *word;
	uint16_t flag;
};

static const char *flag_parse(struct parse *ps, const char *p, const struct word *words,
                              const char *expected)
{
	size_t n = (size_t)(token_end(p) - p);

	for (; words->word; words++)
		if (strlen(words->word) == n && strncmp(words->word, p, n) == 0) {
			ps->ev->flags |= words->flag;
			return p + n;
		}
	return parse_fault(ps, p, "%s", expected);
}

static const struct word op_words[] = {
    {"noncommutative", TRACE_NONCOMMUTATIVE},
    {"unknown", TRACE_COMMUTATIVE_UNKNOWN},
    {"own", TRACE_OWN_OPERATOR},
    {"own_noncommutative", TRACE_OWN_OPERATOR | TRACE_NONCOMMUTATIVE},
    {NULL, 0}};
static const struct word take_words[] = {{"oldest", TRACE_OLDEST},
                                         {"latest", TRACE_LATEST},
                                         {"latest_recv", TRACE_LATEST_RECV},
                                         {NULL, 0}};
static const struct word in_place_words[] = {{"1", TRACE_IN_PLACE}, {"0", 0}, {NULL, 0}};

static const struct word beside_words[] = {{"1", TRACE_BESIDE},
                                           {"split", TRACE_BESIDE | TRACE_BESIDE_SPLIT},
                                           {"graph", TRACE_BESIDE | TRACE_BESIDE_GRAPH},
                                           {"0", 0},
                                           {NULL, 0}};

static const char *beside_key(struct parse *ps, const char *p)
{
	const char *end;

	if (!(ps->ev->flags & TRACE_NONBLOCKING) && ps->ev->op != TRACE_COMM_IDUP)
		return parse_fault(ps, p, "a key of non-blocking collectives and comm_idup");
	end = flag_parse(ps, p, beside_words, "0, 1, split or graph");
	if (end && ps->ev->op != TRACE_COMM_IDUP &&
	    ps->ev->flags & (TRACE_BESIDE_SPLIT | TRACE_BESIDE_GRAPH))
		return parse_fault(ps, p, "0 or 1");
	return end;
}

static const struct word holes_words[] = {{"1", TRACE_HOLES}, {"0", 0}, {NULL, 0}};

static const struct word agreed_words[] = {{"1", TRACE_AGREED}, {"0", 0}, {NULL, 0}};

static const char *agreed_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, agreed_words, "0 or 1");
}

static const char *root_key(struct parse *ps, const char *p, int flag)
{
	const char *end;
	int64_t v = 0;

	if (ps->ev->op != TRACE_INTERCOMM_CREATE)
		return parse_fault(ps, p, "a key of intercomm_create");
	end = value_i64(ps, p, 0, &v, "a place in a group");
	if (end && v > INT32_MAX)
		return parse_fault(ps, p, "a place in a group");
	ps->ev->root = (int32_t)v;
	ps->ev->flags |= (uint16_t)flag;
	return end;
}

static const char *spawn_key(struct parse *ps, const char *p)
{
	return root_key(ps, p, TRACE_SPAWNS);
}

static const char *spawned_key(struct parse *ps, const char *p)
{
	return root_key(ps, p, TRACE_SPAWNED);
}

/* "leader=1", "leader=1,6": a place in the group, and at the leader the rank of the other one. */
static const char *leader_key(struct parse *ps, const char *p)
{
	const char *start = p;
	int64_t leader = 0, other = TRACE_ANY;

	if (ps->ev->op != TRACE_INTERCOMM_CREATE)
		return parse_fault(ps, p, "a key of intercomm_create");
	p = digits_scan(p, &leader);
	if (p && *p == ',')
		p = digits_scan(p + 1, &other);
	if (!p || !is_end(*p) || leader > INT32_MAX || other > INT32_MAX)
		return parse_fault(ps, start,
		                   "a place in a group and, at the leader, the rank of the other "
		                   "one, such as 0,4");
	ps->ev->root = (int32_t)leader;
	ps->ev->peer = (int32_t)other;
	ps->ev->flags |= TRACE_LED;
	return p;
}

static const struct word disconnect_words[] = {{"1", TRACE_DISCONNECTS}, {"0", 0}, {NULL, 0}};

static const char *disconnect_key(struct parse *ps, const char *p)
{
	if (ps->ev->op != TRACE_COMM_FREE)
		return parse_fault(ps, p, "a key of comm_free");
	return flag_parse(ps, p, disconnect_words, "0 or 1");
}

static const struct word distributed_words[] = {{"1", TRACE_DISTRIBUTED}, {"0", 0}, {NULL, 0}};

static const char *distributed_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, distributed_words, "0 or 1");
}

static const char *holes_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, holes_words, "0 or 1");
}

static const struct word any_words[] = {{"source", TRACE_WILD_SOURCE},
                                        {"tag", TRACE_WILD_TAG},
                                        {"both", TRACE_WILD_SOURCE | TRACE_WILD_TAG},
                                        {NULL, 0}};

static const char *any_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, any_words, "source, tag or both");
}

/* Of all ranks a lock is never exclusive. */
static const struct word lock_words[] = {
    {"exclusive", TRACE_EXCLUSIVE}, {"unchecked", TRACE_UNCHECKED}, {"shared", 0}, {NULL, 0}};

static const char *lock_key(struct parse *ps, const char *p)
{
	return ps->ev->op == TRACE_WIN_LOCK_ALL
	           ? flag_parse(ps, p, lock_words + 1, "unchecked or shared")
	           : flag_parse(ps, p, lock_words, "exclusive, unchecked or shared");
}

static const char *done_parse(struct parse *ps, const char *p)
{
	ps->keys |= KEY_DONE;
	return list_parse(ps, p, &ps->done, &ps->ev->n_done);
}

static const char *found_parse(struct parse *ps, const char *p)
{
	const char *end = i64_scan(p, &ps->ev->count);

	ps->keys |= KEY_FOUND;
	return end && (ps->ev->count == 0 || ps->ev->count == 1) ? end
	                                                         : parse_fault(ps, p, "0 or 1");
}

static const char *req_parse(struct parse *ps, const char *p)
{
	ps->keys |= KEY_REQ;
	return value_i64(ps, p, 0, &ps->ev->req, "the number of a request");
}

static const char *reqs_parse(struct parse *ps, const char *p)
{
	ps->keys |= KEY_REQS;
	return list_parse(ps, p, &ps->reqs, &ps->ev->n_reqs);
}

static const char *take_parse(struct parse *ps, const char *p)
{
	ps->keys |= KEY_TAKE;
	return flag_parse(ps, p, take_words, "oldest, latest or latest_recv");
}

static const char *duration_parse(struct parse *ps, const char *p)
{
	const char *end = double_scan(p, &ps->ev->duration);

	return end && ps->ev->duration >= 0 ? end : parse_fault(ps, p, "seconds");
}

/* "<file>:<line>". */
static const char *at_parse(struct parse *ps, const char *p)
{
	const char *end = token_end(p), *colon = end;

	while (colon > p && *colon != ':')
		colon--;
	if (colon == p || i64_scan(colon + 1, &ps->ev->line) != end)
		return parse_fault(ps, p, "a call site such as solve.c:120");
	return word_parse(ps, p, colon) ? end : NULL;
}

static const char *message_key(struct parse *ps, const char *p)
{
	return value_i64(ps, p, 0, &ps->ev->message, "the number of a message");
}

static const char *object_key(struct parse *ps, const char *p)
{
	return value_i64(ps, p, 0, &ps->ev->object, "the number of a window or a file");
}

static const char *comm_key(struct parse *ps, const char *p)
{
	return comm_parse(ps, p, &ps->ev->comm);
}

static const char *parent_key(struct parse *ps, const char *p)
{
	return comm_parse(ps, p, &ps->ev->parent);
}

static const char *op_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, op_words, "noncommutative, unknown, own or own_noncommutative");
}

static const char *in_place_key(struct parse *ps, const char *p)
{
	return flag_parse(ps, p, in_place_words, "0 or 1");
}

static const char *dtsize_key(struct parse *ps, const char *p)
{
	return value_i64(ps, p, 0, &ps->type_size, "the bytes of a datatype");
}

static const char *dtsize2_key(struct parse *ps, const char *p)
{
	return value_i64(ps, p, 0, &ps->type_size2, "the bytes of a datatype");
}

#define NAME(name) (name), sizeof(name) - 1

static const struct key {
	const char *name;
	size_t length;
	const char *(*parse)(struct parse *ps, const char *p);
	uint64_t traits; /* of these the operation has one; 0: any may */
} keys[] = {
    {NAME("t"), duration_parse, 0},
    {NAME("req"), req_parse, TAKES_CALL},
    {NAME("reqs"), reqs_parse, TRACE_LISTS},
    {NAME("done"), done_parse, TRACE_OUTCOME},
    {NAME("comm"), comm_key, TAKES_CALL},
    {NAME("dtsize"), dtsize_key, TAKES_TYPE},
    {NAME("dtsize2"), dtsize2_key, TAKES_TYPE2},
    {NAME("tags"), tags_parse, TAKES_TAGS},
    {NAME("parent"), parent_key, TRACE_MAKES_COMM | TAKES_BESIDE},
    {NAME("members"), members_parse, TRACE_MAKES_COMM},
    {NAME("op"), op_key, TRACE_COLLECTIVE},
    {NAME("in_place"), in_place_key, TRACE_COLLECTIVE},
    {NAME("beside"), beside_key, TRACE_COLLECTIVE | TAKES_BESIDE},
    {NAME("found"), found_parse, TAKES_FOUND},
    {NAME("take"), take_parse, TAKES_TAKE},
    {NAME("at"), at_parse, TAKES_SITE},
    {NAME("region"), region_parse, TAKES_REGION},
    {NAME("any"), any_key, TRACE_WILD},
    {NAME("message"), message_key, TRACE_MATCHED},
    {NAME("remote"), remote_parse, TRACE_MAKES_COMM},
    {NAME("dims"), dims_parse, TRACE_MAKES_COMM},
    {NAME("periods"), second_list, TRACE_MAKES_COMM},
    {NAME("sources"), sources_parse, TRACE_MAKES_COMM},
    {NAME("dests"), second_list, TRACE_MAKES_COMM},
    {NAME("agreed"), agreed_key, TRACE_MAKES_COMM},
    {NAME("distributed"), distributed_key, TRACE_MAKES_COMM},
    {NAME("disconnect"), disconnect_key, TRACE_IN_COMM},
    {NAME("spawn"), spawn_key, TRACE_MAKES_COMM},
    {NAME("spawned"), spawned_key, TRACE_MAKES_COMM},
    {NAME("leader"), leader_key, TRACE_MAKES_COMM},
    {NAME("parts"), first_list, TAKES_PARTS},
    {NAME("group"), members_parse, TAKES_GROUP},
    {NAME("win"), object_key, TRACE_WINDOW},
    {NAME("lock"), lock_key, TAKES_LOCK},
    {NAME("file"), object_key, TAKES_FILE},
    {NAME("holes"), holes_key, TAKES_HOLES},
    {NAME("scounts"), first_list, TAKES_BLOCKS},
    {NAME("rcounts"), second_list, TAKES_BLOCKS},
};

static_assert(sizeof keys / sizeof *keys <= 64, "a bit for each of them");

/* What of its keys follows from its arguments, and what not from any: bits besides its traits. */
static uint64_t taken(enum trace_op op)
{
	const struct action *a = &trace_ops[op];

	return a->traits | (a->traits & TRACE_LIFE ? 0 : TAKES_CALL) |
	       (strchr(a->args, 'F') ? 0 : TAKES_SITE) | (strchr(a->args, 'd') ? TAKES_TYPE : 0) |
	       (strchr(a->args, 'e') ? TAKES_TYPE2 : 0);
}

static const struct key *key_find(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (keys[i].length == n && keys[i].name[0] == *p &&
		    strncmp(keys[i].name, p, n) == 0)
			return &keys[i];
	return NULL;
}

const char *keys_parse(struct parse *ps, const char *p)
{
	const struct key *key;
	const char *equals, *end;
	uint64_t seen = 0;

	for (p = blanks_skip(p); *p != '\n' && *p != '#'; p = blanks_skip(end)) {
		for (equals = p; !is_end(*equals) && *equals != '='; equals++)
			;
		key = *equals == '=' ? key_find(p, (size_t)(equals - p)) : NULL;
		if (!key)
			return parse_fault(ps, p,
			                   *equals == '=' ? "a key (t, req, reqs, done, comm, …)"
			                                  : "key=value or the end of the line");
		if (key->traits && !(key->traits & taken((enum trace_op)ps->ev->op)))
			return parse_fault(ps, p, "a key of %s", trace_op_name(ps->ev->op));
		if (seen >> (key - keys) & 1)
			return parse_fault(ps, p, "each key once");
		seen |= UINT64_C(1) << (key - keys);
		end = key->parse(ps, equals + 1);
		if (!end)
			return NULL;
		if (!is_end(*end))
			return parse_fault(ps, end, "a blank");
	}
	while (*p != '\n')
		p++;
	return p;
}
