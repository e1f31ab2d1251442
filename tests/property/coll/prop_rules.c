/* prop_rules.c: tuning files drawn at random, with what they mean kept beside: Open MPI's rules
 * (its nearest size not above, the first communicator size also below: coll_tuned_dynamic_rules.c)
 * with numbers in any base, comments and blanks anywhere; MPICH's JSON (the first question answered
 * yes leads on, and there is no way back: csel.c). Each call gets the rule that the model says,
 * with its line and parameters; a word that is none is refused where it stands. */
#include "coll/rules/rules.h"
#include "property/prop.h"

enum { TEXT_MOST = 60000, SIZES = 5, MESSAGES = 6, WORDS = 2000 };

static char text[TEXT_MOST];
static size_t n;
static struct err err;

static void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	n += (size_t)vsnprintf(text + n, sizeof text - n, fmt, ap);
	va_end(ap);
	assert_true(n < sizeof text);
}

static uint32_t line_now(void)
{
	uint32_t line = 1;

	for (size_t i = 0; i < n; i++)
		line += text[i] == '\n';
	return line;
}

/* --- Open MPI --- */

struct message {
	int64_t from, segment;
	uint32_t alg, fanout, line;
};
struct of_kind {
	uint32_t number, n, ranks[SIZES], counts[SIZES];
	struct message messages[SIZES][MESSAGES];
};
static struct of_kind kinds[3];
static uint32_t n_kinds;
static size_t words[WORDS], n_words; /* where numbers begin */

static void blanks(struct rng *r)
{
	static const char *const some[] = {" ",     "\t", "  ", "\n", "\r\n", " # a 7 comment\n",
	                                   "\n\n\t"};

	put("%s", some[rng_below(r, 7)]);
}
static void number(int64_t v, struct rng *r)
{
	uint64_t form = v ? rng_below(r, 4) : 0;

	blanks(r);
	words[n_words++] = n;
	if (form == 2)
		put("0x%llx", (unsigned long long)v);
	else if (form == 3)
		put("0%llo", (unsigned long long)v);
	else
		put("%lld", (long long)v);
}
/* A message size is on the line of its algorithm (that line is told). */
static void message_draw(struct message *m, enum coll_kind k, int64_t from, struct rng *r)
{
	*m = (struct message){.from = from, .fanout = prop_from(r, 0, 9)};
	do
		m->alg = prop_from(r, 0, 9);
	while (m->alg && !coll_ompi_alg(k, m->alg));
	m->segment = prop_once_in(r, 2) ? 0 : prop_from(r, 1, 100000);
	number(from, r);
	m->line = line_now();
	number(m->alg, r);
	number(m->fanout, r);
	number(m->segment, r);
}
static void kind_draw(struct of_kind *c, uint32_t id, struct rng *r)
{
	enum coll_kind k = coll_ompi_kind(id);

	c->number = id;
	c->n = prop_from(r, 0, SIZES);
	number(id, r);
	number(c->n, r);
	for (uint32_t i = 0; i < c->n; i++) {
		c->ranks[i] = (i ? c->ranks[i - 1] : 0) + prop_from(r, 1, 20);
		c->counts[i] = prop_from(r, 1, MESSAGES);
		number(c->ranks[i], r);
		number(c->counts[i], r);
		for (uint32_t j = 0; j < c->counts[i]; j++)
			message_draw(&c->messages[i][j], k,
			             j ? c->messages[i][j - 1].from + prop_from(r, 1, 5000) : 0, r);
	}
}
static void file_draw(struct rng *r)
{
	static const uint32_t ids[] = {0, 2, 3, 7, 11, 12, 15}; /* allgather … scatter */
	uint32_t first = prop_from(r, 0, 4);

	n = n_words = 0;
	n_kinds = prop_from(r, 1, 3);
	number(n_kinds, r);
	for (uint32_t i = 0; i < n_kinds; i++)
		kind_draw(&kinds[i], ids[first + i], r);
	blanks(r);
}

/* The nearest not above; of communicator sizes, the first if all are. */
static const struct message *message_for(enum coll_kind k, uint32_t p, int64_t bytes)
{
	for (uint32_t i = 0; i < n_kinds; i++) {
		const struct of_kind *c = &kinds[i];
		uint32_t size = 0, at = 0;

		if (coll_ompi_kind(c->number) != k || c->n == 0)
			continue;
		for (uint32_t s = 0; s < c->n; s++)
			size = c->ranks[s] <= p ? s : size;
		for (uint32_t m = 0; m < c->counts[size]; m++)
			at = c->messages[size][m].from <= bytes ? m : at;
		return &c->messages[size][at];
	}
	return NULL;
}
/* Whole buffers, or what all ranks have together. */
static int64_t measured(const struct coll_args *a)
{
	int whole = a->kind == COLL_BCAST || a->kind == COLL_REDUCE || a->kind == COLL_ALLREDUCE;

	return a->count * a->type_size * (whole ? 1 : a->size);
}
static void call_check(const struct coll_rules *rules, struct rng *r)
{
	enum coll_kind k = coll_ompi_kind(kinds[rng_below(r, n_kinds)].number);
	struct coll_args a = {.kind = k,
	                      .size = prop_from(r, 1, 110),
	                      .type_size = 1,
	                      .type_size2 = 1,
	                      .commutative = 1};
	const struct message *m;
	const struct rule *rule;

	a.count = a.count2 = prop_from(r, 0, prop_once_in(r, 2) ? 300 : 30000);
	m = message_for(k, a.size, measured(&a));
	rule = coll_rules_find(rules, &a);
	if (!m || !m->alg) { /* Open MPI's own decision */
		assert_null(rule);
		return;
	}
	assert_non_null(rule);
	assert_ptr_equal(rule->alg, coll_ompi_alg(k, m->alg));
	assert_int_equal(rule->line, m->line);
	if (m->segment)
		assert_int_equal(rule->segment, m->segment);
	if (!(k == COLL_BCAST && m->alg == 7) && m->fanout)
		assert_int_equal(rule->fanout, m->fanout);
}

static void open_mpi_files(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct coll_rules *rules;
		struct rng r;

		rng_init(&r, run.seed + i, "open mpi", 0);
		file_draw(&r);
		rules = coll_rules_parse("f", text, n, &err);
		if (!rules)
			fail_msg("seed %llu: %s in\n%s", (unsigned long long)(run.seed + i),
			         err.text, text);
		for (int k = 0; k < 40; k++)
			call_check(rules, &r);
		coll_rules_free(rules);
	}
}

/* --- errors: where the word stands --- */

static void place_of(size_t at, char *out, size_t size)
{
	size_t begin = at, line = 1;

	while (begin > 0 && text[begin - 1] != '\n')
		begin--;
	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	snprintf(out, size, "f:%zu:%zu: ", line, at - begin + 1);
}

static void wrong_words_have_their_place(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct coll_rules *rules;
		struct rng r;
		char place[60];
		size_t at;

		rng_init(&r, run.seed + i, "wrong", 0);
		file_draw(&r);
		at = words[rng_below(&r, n_words)];
		text[at] = "x?z"[rng_below(&r, 3)];
		place_of(at, place, sizeof place);
		rules = coll_rules_parse("f", text, n, &err);
		if (rules)
			fail_msg("seed %llu: accepted, wrong at %s\n%s",
			         (unsigned long long)(run.seed + i), place, text);
		if (strncmp(err.text, place, strlen(place)) != 0)
			fail_msg("seed %llu: \"%s\" is at %s\n%s",
			         (unsigned long long)(run.seed + i), err.text, place, text);
	}
}

/* A number that cannot be: the place is where it begins. */
static void wrong_numbers_have_their_place(void **state)
{
	static const struct {
		const char *text, *place;
	} of[] = {{"1\n2\n2\n 8 1 0 3 0 0\n  8", "f:5:3: "},
	          {"1\n2\n1\n8\n 2\n0 3 0 0 00 3 0 0", "f:6:9: "},
	          {"1\n2\n1\n8\n 2\n0 3 0 0\n\t0x10 99 0 0", "f:7:7: "},
	          {"2\n2\n0\n  2\n0\n", "f:4:3: "},
	          {"1 2 1 8 1   7 3 0 0", "f:1:13: "},
	          {"0  9", "f:1:4: "}};

	(void)state;
	for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
		assert_null(coll_rules_parse("f", of[i].text, strlen(of[i].text), &err));
		if (strncmp(err.text, of[i].place, strlen(of[i].place)) != 0)
			fail_msg("\"%s\" is at %s", err.text, of[i].place);
	}
}

/* Cut anywhere: what there is no more is told, and nothing is read behind the end. */
static void cut_files_are_told(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct coll_rules *rules;
		struct rng r;
		size_t keep;
		char *exact;

		rng_init(&r, run.seed + i, "cut", 0);
		file_draw(&r);
		keep = words[rng_below(&r, n_words)];
		exact = calloc(1, keep + 1);
		assert_non_null(exact);
		memcpy(exact, text, keep);
		rules = coll_rules_parse("f", exact, keep, &err);
		free(exact);
		assert_null(rules);
		assert_non_null(strstr(err.text, "the file ends where"));
	}
}

/* --- MPICH --- */

enum question {
	RANKS_BELOW,
	RANKS_UP_TO,
	RANKS_POW2,
	BYTES_BELOW,
	BYTES_UP_TO,
	TOTAL_BELOW,
	COUNT_UP_TO,
	COUNT_POW2,
	COMMUTES,
	IN_PLACE,
	PER_HOST_UP_TO,
	ANYTHING,
	QUESTIONS
};
enum { NODES = 400, CHILDREN = 4 };
struct node {
	enum question q;
	int64_t value;
	uint32_t n, child[CHILDREN], line;
	int alg; /* -1: none, it asks on */
};
static struct node nodes[NODES];
static uint32_t n_nodes;

/* Two that bcast has; their lines are told. */
static const char *const algs[] = {"MPIR_Bcast_intra_binomial",
                                   "MPIR_Bcast_intra_scatter_ring_allgather"};

static void question_put(const struct node *q)
{
	static const char *const words_of[QUESTIONS] = {
	    "comm_size<%lld",       "comm_size<=%lld",
	    "comm_size=pow2",       "avg_msg_size<%lld",
	    "avg_msg_size <= %lld", "total_msg_size<%lld",
	    "count<=%lld",          "count<pow2",
	    "is_commutative=%s",    "is_sendbuf_inplace = %s",
	    "comm_avg_ppn<=%lld",   "any"};

	put("\"");
	if (q->q == COMMUTES || q->q == IN_PLACE) {
		put("%.*s=%s", (int)strcspn(words_of[q->q], "="), words_of[q->q],
		    q->value ? "yes" : "no");
	} else {
		char number_of[32], *at;
		char form[64];

		snprintf(form, sizeof form, "%s", words_of[q->q]);
		at = strstr(form, "%lld");
		snprintf(number_of, sizeof number_of, "%lld", (long long)q->value);
		put("%.*s%s", at ? (int)(at - form) : (int)strlen(form), form, at ? number_of : "");
	}
	put("\":");
}
/* What follows a key: an object. call: a question about a call was asked (behind it, "below" of
 * ranks means something else to MPICH, and is not drawn: test_rules.c). */
static void object_draw(uint32_t at, int depth, int call, struct rng *r)
{
	struct node *q = &nodes[at];

	q->n = depth > 4 ? 0 : prop_from(r, 0, CHILDREN);
	q->alg = -1;
	put("{");
	if (q->n == 0) {
		q->alg = (int)rng_below(r, 3) - 1;
		q->line = line_now() + 1;
		if (q->alg >= 0)
			put("\n\"algorithm=%s\":{}", algs[q->alg]);
	}
	for (uint32_t i = 0; i < nodes[at].n && n_nodes < NODES; i++) {
		struct node *c = &nodes[n_nodes];
		uint32_t id = n_nodes++;

		*c = (struct node){.q = (enum question)prop_from(r, call, QUESTIONS - 1)};
		c->value = c->q == COMMUTES || c->q == IN_PLACE ? (int64_t)rng_below(r, 2)
		           : c->q <= RANKS_UP_TO                ? prop_from(r, 1, 40)
		           : c->q == PER_HOST_UP_TO             ? prop_from(r, 1, 4)
		                                                : prop_from(r, 0, 3000);
		call |= c->q != RANKS_BELOW && c->q != RANKS_UP_TO && c->q != RANKS_POW2 &&
		        c->q != PER_HOST_UP_TO;
		nodes[at].child[i] = id;
		put("%s", i ? ",\n " : "");
		question_put(c);
		object_draw(id, depth + 1, call, r);
		if (n_nodes == NODES)
			nodes[at].n = i + 1;
	}
	put("}");
}
static int answer(const struct node *q, const struct coll_args *a, uint32_t hosts)
{
	uint32_t pow2 = 1;

	while (2 * pow2 <= a->size)
		pow2 *= 2;
	switch (q->q) {
	case RANKS_BELOW:
		return a->size < q->value;
	case RANKS_UP_TO:
		return a->size <= q->value;
	case RANKS_POW2:
		return pow2 == a->size;
	case BYTES_BELOW:
		return a->count * a->type_size < q->value;
	case BYTES_UP_TO:
		return a->count * a->type_size <= q->value;
	case TOTAL_BELOW:
		return a->count * a->type_size * a->size < q->value;
	case COUNT_UP_TO:
		return a->count <= q->value;
	case COUNT_POW2:
		return a->count < pow2;
	case COMMUTES:
		return a->commutative == q->value;
	case IN_PLACE:
		return a->in_place == q->value;
	case PER_HOST_UP_TO:
		return a->size <= q->value * hosts;
	default:
		return 1;
	}
}
/* The node whose algorithm is taken, or NULL. */
static const struct node *ask(const struct coll_args *a, uint32_t hosts)
{
	const struct node *at = &nodes[0];

	while (at->alg < 0) {
		uint32_t i = 0;

		while (i < at->n && !answer(&nodes[at->child[i]], a, hosts))
			i++;
		if (i == at->n)
			return NULL;
		at = &nodes[at->child[i]];
	}
	return at;
}
static void json_check(const struct coll_rules *rules, struct rng *r)
{
	struct coll_args a = {.kind = COLL_BCAST,
	                      .size = prop_from(r, 1, 40),
	                      .count = prop_from(r, 0, prop_once_in(r, 2) ? 40 : 3000),
	                      .type_size = prop_from(r, 1, 8),
	                      .commutative = (uint8_t)rng_below(r, 2),
	                      .in_place = (uint8_t)rng_below(r, 2)};
	uint32_t host[40], each = prop_from(r, 1, 5);
	struct coll_shape shape;
	const struct node *want;
	const struct rule *got;

	for (uint32_t i = 0; i < a.size; i++)
		host[i] = i / each;
	assert_ok(coll_shape_init(&shape, host, a.size, &err), err);
	a.shape = &shape;
	want = ask(&a, (a.size + each - 1) / each);
	got = coll_rules_find(rules, &a);
	assert_int_equal(got != NULL, want != NULL);
	if (got) {
		assert_string_equal(got->alg->name,
		                    want->alg ? "scatter_LR_allgather" : "binomial_tree");
		assert_int_equal(got->line, want->line);
	}
	coll_shape_release(&shape);
}

static void mpich_files(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct coll_rules *rules;
		struct rng r;

		rng_init(&r, run.seed + i, "mpich", 0);
		n = 0;
		n_nodes = 1;
		nodes[0] = (struct node){.alg = -1};
		put("{\"collective=bcast\":");
		object_draw(0, 0, 0, &r);
		put("}");
		rules = coll_rules_parse("f", text, n, &err);
		if (!rules)
			fail_msg("seed %llu: %s in\n%s", (unsigned long long)(run.seed + i),
			         err.text, text);
		for (int k = 0; k < 60; k++)
			json_check(rules, &r);
		coll_rules_free(rules);
	}
}

/* Any one character of the frame missing: it is refused, with a place; never accepted as if. */
static void broken_json_is_refused(void **state)
{
	struct prop_run run = prop_begin(400);

	(void)state;
	for (uint64_t i = 0; i < run.cases; i++) {
		struct coll_rules *rules;
		struct rng r;
		size_t at;

		rng_init(&r, run.seed + i, "broken", 0);
		n = 0;
		n_nodes = 1;
		nodes[0] = (struct node){.alg = -1};
		put("{\"collective=bcast\":");
		object_draw(0, 1, 0, &r);
		put("}");
		do
			at = 1 + rng_below(&r, n - 1);
		while (!strchr("{}\":,", text[at]));
		memmove(text + at, text + at + 1, n - at);
		rules = coll_rules_parse("f", text, n - 1, &err);
		if (rules)
			fail_msg("seed %llu: accepted\n%s", (unsigned long long)(run.seed + i),
			         text);
		assert_int_equal(err.kind, ERR_INPUT);
		assert_int_equal(strncmp(err.text, "f:", 2), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(open_mpi_files),
	    cmocka_unit_test(wrong_words_have_their_place),
	    cmocka_unit_test(wrong_numbers_have_their_place),
	    cmocka_unit_test(cut_files_are_told),
	    cmocka_unit_test(mpich_files),
	    cmocka_unit_test(broken_json_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
