/* common.c: random numbers, checksums, and ways to complete requests. */
#include "play.h"

static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}
uint64_t rng_next(struct rng *r)
{
	return mix(r->at += 0x9e3779b97f4a7c15u);
}
int rng_upto(struct rng *r, int n)
{
	return n > 0 ? (int)(rng_next(r) % (uint64_t)n) : 0;
}
struct rng rng_of(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
	return (struct rng){mix(mix(mix(mix(a + 1) + b + 1) + c + 1) + d + 1)};
}

void play_bytes(struct play *p, const void *data, size_t n)
{
	const unsigned char *at = data;
	uint64_t h = p->sum;
	for (size_t i = 0; i < n; i++)
		h = (h ^ at[i]) * 0x100000001b3u;
	p->sum = h;
}
void play_number(struct play *p, long long v)
{
	play_bytes(p, &v, sizeof v);
}

void play_status(struct play *p, const MPI_Status *s, MPI_Datatype type)
{
	int count = -7, elements = -7;
	MPI_Get_count(s, type, &count);
	if (!ON_SMPI)
		MPI_Get_elements(s, type, &elements);
	else
		elements = count;
	play_number(p, s->MPI_SOURCE);
	play_number(p, s->MPI_TAG);
	play_number(p, count);
	play_number(p, elements);
	int cancelled = 0;
	MPI_Test_cancelled(s, &cancelled);
	play_number(p, cancelled);
}

struct rng play_between(struct play *p, int a, int b)
{
	return rng_of(p->seed, p->step, 1000 + a, 1000 + b);
}

int play_size(struct rng *r)
{
	switch (rng_upto(r, 8)) {
	case 0:
		return rng_upto(r, 4);
	case 1:
		return 5000 + rng_upto(r, 30000);
	case 2:
		return 500 + rng_upto(r, 3000);
	default:
		return 1 + rng_upto(r, 200);
	}
}

void ranks_shuffled(struct rng *r, int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = i;
	for (int i = n - 1; i > 0; i--) {
		int j = rng_upto(r, i + 1), t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
}

static int pending(MPI_Request *r, int n)
{
	int left = 0;
	for (int i = 0; i < n; i++)
		left += r[i] != MPI_REQUEST_NULL;
	return left;
}

static void wait_some(MPI_Request *r, MPI_Status *s, int n, bool test)
{
	int *at = malloc(sizeof(int) * (n + 1)), got;
	MPI_Status *some = malloc(sizeof *some * (n + 1));
	for (int left = n; left > 0;) {
		(test ? MPI_Testsome : MPI_Waitsome)(n, r, &got, at, some);
		if (got == MPI_UNDEFINED)
			break;
		for (int i = 0; i < got; i++)
			s[at[i]] = some[i];
		left -= got;
	}
	free(at);
	free(some);
}

static void wait_any(MPI_Request *r, MPI_Status *s, int n, bool test)
{
	for (int left = n; left > 0;) {
		int i, done = 1;
		MPI_Status one;
		if (test)
			MPI_Testany(n, r, &i, &done, &one);
		else
			MPI_Waitany(n, r, &i, &one);
		if (!done)
			continue;
		if (i == MPI_UNDEFINED)
			break;
		s[i] = one;
		left--;
	}
}

/* Requests that are not persistent. */
void complete_all(struct play *p, MPI_Request *r, MPI_Status *s, int n)
{
	int done = 0;
	for (int i = 0; i < n; i++)
		memset(&s[i], 0, sizeof s[i]);
	if (pending(r, n) == 0)
		return;
	int way = rng_upto(&p->own, no_peeks || on_smpi ? 8 : 9);

	if (on_smpi && way == 7)
		way = 6; /* its MPI_Testany never finds a detached send (docs/compat.md) */

	switch (way) {
	case 0:
		MPI_Waitall(n, r, s);
		break;
	case 1:
		for (int i = 0; i < n; i++)
			MPI_Wait(&r[i], &s[i]);
		break;
	case 2:
		while (!done)
			MPI_Testall(n, r, &done, s);
		break;
	case 3:
		for (int i = n - 1; i >= 0; i--)
			for (done = 0; !done;)
				MPI_Test(&r[i], &done, &s[i]);
		break;
	case 4:
		wait_some(r, s, n, false);
		break;
	case 5:
		wait_some(r, s, n, true);
		break;
	case 6:
		wait_any(r, s, n, false);
		break;
	case 7:
		wait_any(r, s, n, true);
		break;
	default:
		if (!ON_SMPI)
			for (int i = 0; i < n; i++)
				for (done = r[i] == MPI_REQUEST_NULL; !done;)
					MPI_Request_get_status(r[i], &done, MPI_STATUS_IGNORE);
		MPI_Waitall(n, r, s);
	}
	for (int i = 0; i < n; i++)
		play_number(p, r[i] == MPI_REQUEST_NULL);
}
