/* own_life.c: the beginning and the end of a program whose ranks share a process: its arguments,
 * what its modules have to be called when they are there, main; what is to be called at the end. */
#include "coro_int.h"
#include "processor.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* --- the beginning --- */

union code {
	void *object;
	main_function *main;
	init_function *init;
	plain_function *plain;
};

static void array_call(const struct coros *c, uint32_t slot, const struct module *m, uint64_t array,
                       uint64_t n, int backwards, char *const *argv)
{
	void **p = n ? slot_address(&c->image, slot, m, array) : NULL;
	int argc = 0;

	while (argv[argc])
		argc++;
	for (uint64_t i = 0; i < n; i++) {
		union code f = {.object = p[backwards ? n - 1 - i : i]};

		if (f.object && f.object != (void *)-1)
			f.init(argc, argv, environ);
	}
}

static void module_begin(const struct coros *c, uint32_t slot, const struct module *m,
                         char *const *argv)
{
	union code f = {.object = m->init ? slot_address(&c->image, slot, m, m->init) : NULL};

	if (f.object)
		f.plain();
	array_call(c, slot, m, m->init_array, m->n_init, 0, argv);
}

void own_module_begin(const struct coros *c, uint32_t slot, const struct module *m)
{
	module_begin(c, slot, m, coro_words(c, coro_rank()));
}

/* The arguments, as the kernel lays them: count, addresses, NULL, no environment, no table. */
void *own_arguments(const struct coros *c, uint32_t rank, unsigned char *below)
{
	char *const *words = coro_words(c, rank);
	uint64_t *p, n = 0;

	while (words[n])
		n++;
	for (uint64_t i = 0; i < n; i++)
		below -= strlen(words[i]) + 1;
	p = (uint64_t *)(((uintptr_t)below - 8 * (n + 6)) & ~(uintptr_t)15);
	memset(p, 0, 8 * (n + 6));
	p[0] = n;
	for (uint64_t i = 0; i < n; i++) {
		size_t size = strlen(words[i]) + 1;

		memcpy(below, words[i], size);
		p[1 + i] = (uintptr_t)below;
		below += size;
	}
	return p;
}

_Noreturn void own_begin(struct coros *c, uint32_t rank, void *arguments)
{
	uint32_t slot = coro_slot(c, rank);
	const struct module *program = &c->image.module[0];
	uint64_t *words = arguments;
	char **argv = (char **)&words[1];
	union code main;

	own_environment_begin(c, rank);
	if (c->o.output && own_streams_begin(own_now()) < 0)
		coro_ends(CORO_KILLED, SIGKILL, "ended: there is no memory for its output");
	for (uint32_t i = 0; i + 1 < c->image.n_first_modules; i++)
		module_begin(c, slot, &c->image.module[c->image.order[i]], argv);
	if (program->entry)
		coro_enter_program(
		    (uintptr_t)slot_address(&c->image, slot, program, program->entry), arguments);
	main.object = image_symbol(&c->image, slot, "main");
	if (!main.object)
		coro_ends(CORO_KILLED, SIGABRT, "has no function main");
	module_begin(c, slot, program, argv);
	own_exit(main.main((int)words[0], argv, environ));
}

/* What the first instructions of a program call. init: of programs linked before glibc 2.34. */
int own_start(main_function *main, int argc, char **argv, init_function *init, plain_function *fini,
              plain_function *loaded, void *stack)
{
	struct coros *c = coros_now;

	(void)fini;
	(void)loaded;
	(void)stack;
	if (init)
		init(argc, argv, environ);
	else
		module_begin(c, coro_slot(c, coro_rank()), &c->image.module[0], argv);
	own_exit(main(argc, argv, environ));
}

/* --- the end --- */

static void handlers_call(struct at_exit **first, const void *module, int code)
{
	for (struct at_exit **p = first; *p;) {
		struct at_exit *e = *p;

		if (module && e->module != module) {
			p = &e->next;
			continue;
		}
		*p = e->next;
		e->function(e->argument, code);
		free(e);
		if (!module)
			p = first; /* it may have added others */
	}
}

static void module_end(const struct coros *c, uint32_t slot, const struct module *m)
{
	union code f = {.object = m->fini ? slot_address(&c->image, slot, m, m->fini) : NULL};
	char *none[] = {NULL};

	array_call(c, slot, m, m->fini_array, m->n_fini, 1, none);
	if (f.object)
		f.plain();
}

_Noreturn void own_exit(int code)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());

	handlers_call(&coro_now()->at_exit, NULL, code);
	for (uint32_t i = c->image.n; i-- > 0;) {
		const struct module *m = &c->image.module[c->image.order[i]];

		if (slot_has(&c->image, slot, m->part))
			module_end(c, slot, m);
	}
	c->library.exits();
	coro_ends(CORO_EXITED, code & 0xff, "");
}

_Noreturn void own_ends_now(int code)
{
	coro_ends(CORO_EXITED, code & 0xff, "");
}

_Noreturn void own_quick_exit(int code)
{
	handlers_call(&coro_now()->at_quick_exit, NULL, code);
	own_ends_now(code);
}

static int handler_put(struct at_exit **first, exit_function *function, void *argument,
                       void *module)
{
	struct at_exit *e = malloc(sizeof *e);

	if (!e)
		return -1;
	*e = (struct at_exit){
	    .next = *first, .function = function, .argument = argument, .module = module};
	*first = e;
	return 0;
}

static int handler_add(exit_function *function, void *argument, void *module)
{
	return handler_put(&coro_now()->at_exit, function, argument, module);
}

/* Of at_quick_exit, which is not in the library but calls this. */
int own_cxa_at_quick_exit(exit_function *function, void *module)
{
	return handler_put(&coro_now()->at_quick_exit, function, NULL, module);
}

/* Called with an argument too many, as the processor's calls allow. */
int own_cxa_atexit(exit_function *function, void *argument, void *module)
{
	return handler_add(function, argument, module);
}

struct turned { /* on_exit's functions take their arguments the other way round */
	void (*function)(int code, void *argument);
	void *argument;
};

static void turned_call(void *argument, int code)
{
	struct turned t = *(struct turned *)argument;

	free(argument);
	t.function(code, t.argument);
}

int own_on_exit(void (*function)(int code, void *argument), void *argument)
{
	struct turned *t = malloc(sizeof *t);

	if (!t)
		return -1;
	*t = (struct turned){function, argument};
	if (handler_add(turned_call, t, NULL) == 0)
		return 0;
	free(t);
	return -1;
}

extern int __cxa_thread_atexit_impl(exit_function *function, void *argument, void *module);

/* A thread that a rank made ends as the C library has it. */
int own_cxa_thread_atexit(exit_function *function, void *argument, void *module)
{
	return *coro_tls_thread() ? __cxa_thread_atexit_impl(function, argument, module)
	                          : handler_add(function, argument, module);
}

int own_atexit(exit_function *function)
{
	return handler_add(function, NULL, NULL);
}

void own_cxa_finalize(void *module)
{
	if (module)
		handlers_call(&coro_now()->at_exit, module, 0);
}

static void handlers_drop(struct at_exit **first)
{
	while (*first) {
		struct at_exit *e = *first;

		*first = e->next;
		free(e);
	}
}

void own_exits_drop(struct coro *r)
{
	handlers_drop(&r->at_exit);
	handlers_drop(&r->at_quick_exit);
}
