/* own_env.c: the environment of a rank: that of the simulator until the rank changes it, or asks
 * for what launchers put there, then a copy of its own. The C library's functions keep one array
 * for a process, which they move. A program that names environ has a copy of that variable in its
 * data, which it reads and may set: that one counts.
 *
 * The launcher's variables are not made before somebody asks, as they take a KiB, and there may be
 * a million ranks. Who reads the array itself does not ask: such ranks have them from the
 * beginning. */
#include "../launched.h"
#include "coro_int.h"
#include "image_int.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void own_environment_enter(const struct coros *c, const struct coro *r)
{
	if (r->environ_copy)
		environ = *r->environ_copy;
	else
		environ = r->environment ? r->environment : c->environment;
}

static uint32_t count(void)
{
	uint32_t n = 0;

	while (environ && environ[n])
		n++;
	return n;
}

/* The rank's own array, with room for one more; NULL: no memory. What it holds is never freed, as
 * the program may have it from getenv. */
static char **mine(void)
{
	struct coro *r = coro_now();
	uint32_t n = count();
	char **p = malloc((n + 2) * sizeof *p);

	if (!p)
		return NULL;
	if (n)
		memcpy(p, environ, n * sizeof *p);
	p[n] = p[n + 1] = NULL;
	free(r->environment);
	r->environment = environ = p;
	if (r->environ_copy)
		*r->environ_copy = p;
	return p;
}

static char **find(const char *name, size_t n)
{
	for (char **p = environ; p && *p; p++)
		if (strncmp(*p, name, n) == 0 && (*p)[n] == '=')
			return p;
	return NULL;
}

static int put(char *text, size_t n)
{
	char **p = mine(), **at;

	if (!p)
		return -1;
	at = find(text, n);
	*(at ? at : p + count()) = text;
	return 0;
}

/* Without memory the rank goes on as if nobody had launched it. */
static void launched_make(struct coro *r)
{
	char(*text)[LAUNCHED_TEXT] = malloc(LAUNCHED * sizeof *text);

	r->is_launched = 1;
	r->launched = text;
	if (!text)
		return;
	launched_write(coros_now->launched, coro_rank(), text);
	for (int i = 0; i < LAUNCHED; i++)
		put(text[i], strcspn(text[i], "="));
}

/* What the program has set since it has its turn, and all that is there from the beginning. */
static void look(void)
{
	struct coro *r = coro_now();

	if (r->environ_copy)
		environ = *r->environ_copy;
	if (!r->is_launched)
		launched_make(r);
}

static int reads_array(const struct image *im)
{
	static const char *const name[] = {"environ", "__environ", "_environ"};

	for (uint32_t i = 0; i < im->n_first_modules; i++)
		for (uint32_t k = 1; k < im->module[i].n_sym; k++)
			for (size_t n = 0; n < sizeof name / sizeof *name; n++)
				if (strcmp(
				        module_text(&im->module[i], im->module[i].sym[k].st_name),
				        name[n]) == 0)
					return 1;
	return 0;
}

int own_environment_find(struct coros *c, struct err *err)
{
	c->reads_environ = reads_array(&c->image);
	c->launched = launched_new(wire_at(c->o.head, c->o.head->hosts), c->o.ranks, c->o.world,
	                           err);
	return c->launched ? 0 : -1;
}

void own_environment_begin(struct coros *c, uint32_t rank)
{
	c->coro[rank].environ_copy = image_symbol(&c->image, coro_slot(c, rank), "environ");
	if (c->reads_environ)
		look();
}

char *own_getenv(const char *name)
{
	if (launched_is(name, strlen(name)))
		look();
	return getenv(name);
}

static int is_name(const char *name)
{
	if (name && *name && !strchr(name, '='))
		return 1;
	errno = EINVAL;
	return 0;
}

int own_setenv(const char *name, const char *value, int replace)
{
	size_t n, more;
	char *text;

	if (!is_name(name))
		return -1;
	look();
	n = strlen(name);
	more = strlen(value) + 1;
	if (!replace && find(name, n))
		return 0;
	text = malloc(n + 1 + more);
	if (!text)
		return -1;
	memcpy(text, name, n);
	text[n] = '=';
	memcpy(text + n + 1, value, more);
	if (put(text, n) == 0)
		return 0;
	free(text);
	return -1;
}

int own_unsetenv(const char *name)
{
	char **at;

	if (!is_name(name))
		return -1;
	look();
	if (find(name, strlen(name)) && !mine())
		return -1;
	while ((at = find(name, strlen(name))) != NULL)
		for (; *at; at++)
			at[0] = at[1];
	return 0;
}

int own_putenv(char *text)
{
	const char *equal = strchr(text, '=');

	look();
	return equal ? put(text, (size_t)(equal - text)) : own_unsetenv(text);
}

int own_clearenv(void)
{
	char **p;

	look();
	p = mine();
	if (!p)
		return -1;
	*p = NULL;
	return 0;
}
