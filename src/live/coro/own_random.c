/* own_random.c: random numbers of the C library, which keeps one state of each generator for a
 * process: of each rank its own. */
#include "coro_int.h"

static struct random_data *random_now(void)
{
	struct own *o = own_now();

	if (!o->has_random)
		initstate_r(1, o->random_state, sizeof o->random_state, &o->random);
	o->has_random = 1;
	return &o->random;
}

long own_random(void)
{
	int32_t x = 0;

	random_r(random_now(), &x);
	return x;
}

int own_rand(void)
{
	return (int)own_random();
}

void own_srandom(unsigned seed)
{
	srandom_r(seed, random_now());
}

/* What setstate takes begins before the numbers (as in the C library). */
static char *state_now(void)
{
	return (char *)(random_now()->state - 1);
}

char *own_initstate(unsigned seed, char *state, size_t n)
{
	char *before = state_now();

	return initstate_r(seed, state, n, random_now()) < 0 ? NULL : before;
}

char *own_setstate(char *state)
{
	char *before = state_now();

	return setstate_r(state, random_now()) < 0 ? NULL : before;
}

static struct drand48_data *random48_now(void)
{
	struct own *o = own_now();

	o->has_random48 = 1;
	return &o->random48; /* zero is its beginning */
}

double own_drand48(void)
{
	double x = 0;

	drand48_r(random48_now(), &x);
	return x;
}

long own_lrand48(void)
{
	long x = 0;

	lrand48_r(random48_now(), &x);
	return x;
}

long own_mrand48(void)
{
	long x = 0;

	mrand48_r(random48_now(), &x);
	return x;
}

void own_srand48(long seed)
{
	srand48_r(seed, random48_now());
}

unsigned short *own_seed48(unsigned short seed[3])
{
	struct drand48_data *now = random48_now();

	seed48_r(seed, now);
	return now->__old_x;
}

void own_lcong48(unsigned short parameters[7])
{
	lcong48_r(parameters, random48_now());
}
