/* uses.c: what a flow uses, in the pool: its resources and coefficients. */
#include "carrier_int.h"

#include <string.h>

/* Items of the pool for n uses, and for coefficients of their own. */
static uint32_t block_size(uint32_t n, int own_coefs)
{
	return own_coefs ? 2 * n : n;
}
static_assert(sizeof(struct use) == sizeof(float), "a coefficient an item");

static inline uint32_t coef_bits(float coef)
{
	uint32_t bits;

	memcpy(&bits, &coef, sizeof bits);
	return bits;
}

/* Above 0, below infinity: the bits of such numbers go from 1 to those before infinity's. */
static inline int coef_is_right(float coef)
{
	return coef_bits(coef) - 1 < 0x7f800000u - 1;
}

double coef_of_its_own(const struct engine *e, const struct activity *a, const struct use *u)
{
	const struct use *first = engine_uses(e, a);

	if (a->carrier)
		return carrier_of_flow(e, a)->uses[u - first].coef;
	return (double)((const float *)(first + a->n_uses))[u - first];
}

/* Of a way longer than MEMBER_USES. */
uint32_t member_far(const struct engine *e, const struct resource *r, struct member m)
{
	const struct use *u = engine_uses(e, &e->activities[m.activity]);
	uint32_t id = (uint32_t)(r - e->resources), k = m.k;

	while (u[k].resource != id)
		k += MEMBER_USES;
	return k;
}

/* The number of a coefficient, a new one if there is room; or COEF_OWN. */
static __attribute__((noinline)) uint32_t coef_find(struct engine *e, float coef)
{
	for (uint32_t i = 0; i < e->n_coefs; i++)
		if (e->coefs_short[i] == coef)
			return i;
	if (e->n_coefs == N_COEFS)
		return COEF_OWN;
	e->coefs_short[e->n_coefs] = coef;
	e->coefs[e->n_coefs] = (double)coef;
	return e->n_coefs++;
}

/* Mostly it is 1, or else the first other one that came, that of acknowledgements. */
static inline uint32_t coef_number(struct engine *e, float coef)
{
	uint64_t one = coef_bits(coef) ^ coef_bits(1),
	         other = coef_bits(coef) ^ coef_bits(e->coefs_short[COEF_ONE + 1]);

	/* neither: one branch, and that hardly ever */
	return __builtin_expect(one * other != 0, 0) ? coef_find(e, coef) : COEF_ONE + (other == 0);
}

static int parts_reserve(struct engine *e, uint32_t n, struct err *err)
{
	void *p;

	if (n <= e->parts_cap)
		return 0;
	p = vec_grow(e->parts, &e->parts_cap, sizeof *e->parts, n, "uses of resources", err);
	if (!p)
		return -1;
	e->parts = p;
	return 0;
}

/* A block with coefficients of its own for that of uses just numbered, and these behind them. */
static int coefs_apart(struct engine *e, const struct flow_use *from, uint32_t n, uint32_t *block,
                       struct err *err)
{
	uint32_t larger;

	if (pool_take(&e->uses, pool_class(block_size(n, 1)), &larger, err))
		return -1;
	struct use *u = use_at(e, larger);
	float *coef = (float *)(u + n);
	memcpy(u, use_at(e, *block), n * sizeof *u);
	for (uint32_t k = 0; k < n; k++) {
		u[k].coef = COEF_OWN;
		coef[k] = from[k].coef;
	}
	pool_give(&e->uses, pool_class(n), *block);
	*block = larger;
	return 0;
}

int flow_copy_uses(struct engine *e, const struct flow_use *from, uint32_t n, uint32_t *block,
                   struct err *err)
{
	uint32_t k = 0, own = 0;

	*block = 0;
	if (n == 0)
		return 0;
	if (parts_reserve(e, n, err) || pool_take(&e->uses, pool_class(n), block, err))
		return -1;
	struct use *u = use_at(e, *block);
	for (; k < n && from[k].resource.v < e->n_resources && coef_is_right(from[k].coef); k++) {
		uint32_t coef = coef_number(e, from[k].coef);
		own |= coef == COEF_OWN;
		u[k] = (struct use){.resource = from[k].resource.v & MAX_RESOURCES,
		                    .coef = coef & 7};
	}
	if (k < n) {
		pool_give(&e->uses, pool_class(n), *block);
		return err_set(err, ERR_INPUT, "use %u of a flow: resource %u with coefficient %g",
		               k, from[k].resource.v, (double)from[k].coef);
	}
	if (own && coefs_apart(e, from, n, block, err)) {
		pool_give(&e->uses, pool_class(n), *block);
		return -1;
	}
	return (int)own;
}

int flow_share_uses(struct engine *e, const struct activity *from, struct activity *a,
                    struct err *err)
{
	uint32_t size = block_size(from->n_uses, from->own_coefs), block;

	if (pool_take(&e->uses, pool_class(size), &block, err))
		return -1;
	memcpy(use_at(e, block), engine_uses(e, from), size * sizeof(struct use));
	a->uses = block;
	a->n_uses = from->n_uses;
	a->own_coefs = from->own_coefs;
	return 0;
}

void flow_give_uses(struct engine *e, const struct activity *a)
{
	pool_give(&e->uses, pool_class(block_size(a->n_uses, a->own_coefs)), a->uses);
}
