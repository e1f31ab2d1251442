/* rules.h: tuning files of real libraries, as one tree of tests that ends in algorithms: Open
 * MPI's dynamic rules (ompi.c) and MPICH's JSON (mpich.c), told apart by
 * their content. Read once, walked at each call.
 *
 * Invariants: 1. rule 0 is the root, if n > 0. 2. `then` and `otherwise` are larger than the rule's
 * own index, or RULE_NONE: a walk ends.
 * 3. Algorithms are of the kind that the tests before them ask for. */
#ifndef ORRERY_COLL_RULES_H
#define ORRERY_COLL_RULES_H

#include "coll/coll_int.h"
#include "numbers.h"

enum { RULE_NONE = 0xffffffffu };

/* What a rule asks. Those with a value: is the measure below it? Those of MPICH are told in its
 * csel.c. */
enum rule_test {
	RULE_USE, /* no question: the algorithm */
	RULE_ANY,
	RULE_COLLECTIVE,     /* value: enum coll_kind */
	RULE_INTER,          /* an intercommunicator? value 1 or 0 */
	RULE_RANKS,          /* ranks of the communicator */
	RULE_RANKS_POW2,     /* a power of two */
	RULE_RANKS_ONE_NODE, /* all on one host */
	RULE_PER_NODE,       /* ranks per host, on average */
	RULE_PER_NODE_UP_TO, /* the same, or equal */
	RULE_HIERARCHY,      /* value: enum rule_hierarchy */
	RULE_CONSECUTIVE,    /* ranks of each host follow one another: value 1 or 0 */
	RULE_BYTES,          /* MPICH's avg_msg_size: of one rank's buffer or block */
	RULE_TOTAL_BYTES,    /* MPICH's total_msg_size */
	RULE_OMPI_BYTES,     /* what Open MPI compares with the sizes of its rules */
	RULE_COUNT,          /* elements */
	RULE_COUNT_POW2,     /* fewer elements than the largest power of two of ranks */
	RULE_IN_PLACE,       /* these: value 1 or 0 */
	RULE_REGULAR,
	RULE_COMMUTATIVE,
	RULE_BUILT_IN, /* the operator is MPI's: a trace does not know; those that commute are taken
	                  for such */
	RULE_NEVER     /* a question that is always answered no here (several threads call MPI) */
};
enum rule_hierarchy { HIERARCHY_FLAT, HIERARCHY_PARENT, HIERARCHY_NODE_ROOTS, HIERARCHY_NODE };

struct rule {
	uint8_t test;
	uint32_t line;            /* of the file */
	uint32_t then, otherwise; /* rules, or RULE_NONE: no rule for this call */
	int64_t value;
	const struct coll_alg *alg; /* RULE_USE; NULL: as if there were no rule */
	int64_t segment;
	uint32_t fanout;
};

struct coll_rules {
	struct rule *v;
	uint32_t n, cap;
	/* for calls without a rule: what the library itself would do */
	const struct coll_selector *otherwise;
	char *path;
	struct coll_rules *next; /* of the policy that owns it */
};

/* Errors name file, line, column. */
struct coll_rules *coll_rules_read(const char *path, struct err *err); /* NULL on error */
/* The same of text already in memory (n bytes and a NUL); path for messages. */
struct coll_rules *coll_rules_parse(const char *path, const char *text, size_t n, struct err *err);
void coll_rules_free(struct coll_rules *r);
/* The rule for a call (RULE_USE), or NULL. */
const struct rule *coll_rules_find(const struct coll_rules *r, const struct coll_args *a);
extern const struct coll_selector coll_selector_file;

/* For the two readers. A new rule, all zero but without ways on; RULE_NONE on error. */
uint32_t rule_new(struct coll_rules *r, enum rule_test test, uint32_t line, struct err *err);
int coll_rules_parse_ompi(struct coll_rules *r, const char *text, size_t n, struct err *err);
int coll_rules_parse_mpich(struct coll_rules *r, const char *text, size_t n, struct err *err);

#endif
