/* given.c: see given.h. */
#include "given.h"

#include "base/num.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* glibc's own: this library stands behind the names without __libc. */
extern void *__libc_calloc(size_t n, size_t size);

struct given {
	int is_given;
	struct model model;
};

/* In the MPI library. */
typedef int takes_function(double seconds);

const struct guest_hold *given_hold;
static void *own_models;

const char *given_text(void)
{
	return given_hold ? given_hold->kernels() : getenv("ORRERY_KERNELS");
}

/* Behind the end of the first one. */
static const char *next(const char *text)
{
	const char *end = strchr(text, ';');

	return end ? end + 1 : NULL;
}

int given_find(const char *name)
{
	size_t n = strlen(name);
	int i = 0;

	for (const char *text = given_text(); text && *text; text = next(text), i++)
		if (strncmp(text, name, n) == 0 && text[n] == '=')
			return i;
	return -1;
}

static uint64_t rank_of_environment(void)
{
	const char *text = getenv("ORRERY_LIVE_RANK");
	int64_t rank = 0;

	if (text)
		num_take_digits(text, &rank);
	return (uint64_t)rank;
}

static void one_read(struct given *g, const char *text, uint64_t rank)
{
	const char *eq = strchr(text, '=');
	size_t n = strcspn(text, "(=");
	char name[128];

	if (!eq || n >= sizeof name)
		return;
	memcpy(name, text, n);
	name[n] = '\0';
	g->is_given = model_read(&g->model, name, rank, eq + 1);
}

/* Of the rank that runs; NULL: no memory. */
static struct given *models_read(const char *all, uint64_t rank)
{
	struct given *models;
	size_t n = 0;

	for (const char *text = all; text && *text; text = next(text))
		n++;
	models = __libc_calloc(n + 1, sizeof *models);
	n = 0;
	for (const char *text = all; models && text && *text; text = next(text))
		one_read(&models[n++], text, rank);
	return models;
}

/* Before there are threads. */
__attribute__((constructor)) static void given_read(void)
{
	const char *text = getenv("ORRERY_KERNELS");

	if (text)
		own_models = models_read(text, rank_of_environment());
}

static struct given *models_now(void)
{
	void **place = given_hold ? given_hold->place() : &own_models;

	if (given_hold && !*place)
		*place = models_read(given_hold->kernels(), given_hold->rank());
	return *place;
}

static takes_function *library_takes(void)
{
	static union {
		void *object;
		takes_function *function;
	} takes;

	if (given_hold)
		return given_hold->takes;
	if (!takes.object) /* it may come later, with a library that is opened */
		takes.object = dlsym(RTLD_DEFAULT, "orrery_kernel_takes");
	return takes.function;
}

/* NULL: the function is not one of those, or nothing is simulated. */
static takes_function *takes_of(const struct given *all, int i)
{
	return all && all[i].is_given ? library_takes() : NULL;
}

int given_takes(int i, double m, double n, double k)
{
	struct given *all = i < 0 ? NULL : models_now();
	takes_function *takes = takes_of(all, i);

	return takes && takes(model_seconds(&all[i].model, m, n, k));
}

int given_takes_nothing(int i)
{
	takes_function *takes = i < 0 ? NULL : takes_of(models_now(), i);

	return takes && takes(0);
}
