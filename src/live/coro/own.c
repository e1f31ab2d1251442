/* own.c: functions that stand in for the C library's in a program whose ranks share a process: the
 * beginning and the end of a program, what the library keeps for a process (states of random
 * numbers, tokens, options, keys), and what cannot be held so, which is refused by name. */
#include "coro_int.h"
#include "processor.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the beginning --- */

static _Noreturn void own_exit(int code);

typedef int main_function(int argc, char **argv, char **envp);
typedef void init_function(int argc, char *const *argv, char **envp);
typedef void plain_function(void);

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
static int own_start(main_function *main, int argc, char **argv, init_function *init,
                     plain_function *fini, plain_function *loaded, void *stack)
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
	static char *none[] = {NULL};

	array_call(c, slot, m, m->fini_array, m->n_fini, 1, none);
	if (f.object)
		f.plain();
}

static _Noreturn void own_exit(int code)
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

static _Noreturn void own_ends_now(int code)
{
	coro_ends(CORO_EXITED, code & 0xff, "");
}

static _Noreturn void own_quick_exit(int code)
{
	handlers_call(&coro_now()->at_quick_exit, NULL, code);
	own_ends_now(code);
}

static int handler_put(struct at_exit **first, void (*function)(void *argument, int code),
                       void *argument, void *module)
{
	struct at_exit *e = malloc(sizeof *e);

	if (!e)
		return -1;
	*e = (struct at_exit){
	    .next = *first, .function = function, .argument = argument, .module = module};
	*first = e;
	return 0;
}

static int handler_add(void (*function)(void *argument, int code), void *argument, void *module)
{
	return handler_put(&coro_now()->at_exit, function, argument, module);
}

/* Of at_quick_exit, which is not in the library but calls this. */
static int own_cxa_at_quick_exit(void (*function)(void *argument, int code), void *module)
{
	return handler_put(&coro_now()->at_quick_exit, function, NULL, module);
}

/* Called with an argument too many, as the processor's calls allow. */
static int own_cxa_atexit(void (*function)(void *argument, int code), void *argument, void *module)
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

static int own_on_exit(void (*function)(int code, void *argument), void *argument)
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

extern int __cxa_thread_atexit_impl(void (*function)(void *argument, int code), void *argument,
                                    void *module);

/* A thread that a rank made ends as the C library has it. */
static int own_cxa_thread_atexit(void (*function)(void *argument, int code), void *argument,
                                 void *module)
{
	return *coro_tls_thread() ? __cxa_thread_atexit_impl(function, argument, module)
	                          : handler_add(function, argument, module);
}

static int own_atexit(void (*function)(void *argument, int code))
{
	return handler_add(function, NULL, NULL);
}

static void own_cxa_finalize(void *module)
{
	if (module)
		handlers_call(&coro_now()->at_exit, module, 0);
}

/* --- threads (own_thread.c) --- */

static int own_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                              void *argument)
{
	const struct coros *c = coros_now;

	if (c->n_slots < c->o.ranks)
		coro_ends(CORO_KILLED, SIGSYS,
		          c->image.module[0].is_fixed
		              ? "makes a thread, which ranks that take turns cannot, and they do: "
		                "the program is not linked with -pie (--hold processes can)"
		              : "makes a thread, which ranks that take turns in a place cannot: "
		                "--slots gives them more, --hold processes can");
	own_now(); /* it is there before there are several to make it */
	return own_thread_start(out, attr, start, argument);
}

_Noreturn static void own_pthread_exit(void *value)
{
	if (!*coro_tls_thread())
		coro_ends(
		    CORO_KILLED, SIGSYS,
		    "calls pthread_exit in its first thread, which is the simulator's: --hold "
		    "processes can");
	pthread_exit(value);
}

/* --- what cannot be --- */

#define REFUSE(name) \
	static int refuse_##name(void) \
	{ \
		coro_ends(CORO_KILLED, SIGSYS, \
		          "calls " #name ", which a rank that shares the simulator's process " \
		          "cannot: --hold processes can"); \
	}
REFUSE(thrd_create)
REFUSE(fork)
REFUSE(vfork)
REFUSE(clone)
REFUSE(execve)
REFUSE(execv)
REFUSE(execvp)
REFUSE(execl)
REFUSE(execlp)
REFUSE(execle)
REFUSE(execvpe)
REFUSE(fexecve)
REFUSE(_Fork)
REFUSE(daemon)
REFUSE(forkpty)
REFUSE(dlmopen)
REFUSE(timer_create)

/* --- what the C library keeps for a process --- */

static int own_nobody(void)
{
	coro_ends(CORO_KILLED, SIGSYS, "calls a function that none of its libraries has");
}

static struct random_data *random_now(void)
{
	struct own *o = own_now();

	if (!o->has_random)
		initstate_r(1, o->random_state, sizeof o->random_state, &o->random);
	o->has_random = 1;
	return &o->random;
}

static long own_random(void)
{
	int32_t x = 0;

	random_r(random_now(), &x);
	return x;
}

static int own_rand(void)
{
	return (int)own_random();
}

static void own_srandom(unsigned seed)
{
	srandom_r(seed, random_now());
}

/* What setstate takes begins before the numbers (as in the C library). */
static char *state_now(void)
{
	return (char *)(random_now()->state - 1);
}

static char *own_initstate(unsigned seed, char *state, size_t n)
{
	char *before = state_now();

	return initstate_r(seed, state, n, random_now()) < 0 ? NULL : before;
}

static char *own_setstate(char *state)
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

static double own_drand48(void)
{
	double x = 0;

	drand48_r(random48_now(), &x);
	return x;
}

static long own_lrand48(void)
{
	long x = 0;

	lrand48_r(random48_now(), &x);
	return x;
}

static long own_mrand48(void)
{
	long x = 0;

	mrand48_r(random48_now(), &x);
	return x;
}

static void own_srand48(long seed)
{
	srand48_r(seed, random48_now());
}

static unsigned short *own_seed48(unsigned short seed[3])
{
	struct drand48_data *now = random48_now();

	seed48_r(seed, now);
	return now->__old_x;
}

static void own_lcong48(unsigned short parameters[7])
{
	lcong48_r(parameters, random48_now());
}

static char *own_strtok(char *s, const char *between)
{
	return strtok_r(s, between, &own_now()->token);
}

/* --- what the kernel keeps for a process: where it works, rights of new files ---
 * Where a rank has changed one, each rank finds its own when it goes on, and the simulator that of
 * the beginning. Without such a rank nothing is asked. */

/* After the working directory was changed: 0, or -1 with errno, and it is what it was. */
static int folder_keep(const char *before)
{
	struct own *own = own_now();
	char *now = getcwd(NULL, 0);
	int why = errno;

	if (!now) {
		if (chdir(before) < 0)
			coro_ends(CORO_KILLED, SIGKILL, "lost its working directory");
		errno = why;
		return -1;
	}
	free(own->folder);
	own->folder = coros_now->folder_now = now;
	return 0;
}

/* What the folder of all is, from the first time that a rank leaves it: -1 with errno. */
static int folder_begin(struct coros *c)
{
	if (!c->home)
		c->folder_now = c->home = getcwd(NULL, 0);
	return c->home ? 0 : -1;
}

static int own_chdir(const char *path)
{
	struct coros *c = coros_now;

	if (folder_begin(c) < 0 || chdir(path) < 0)
		return -1;
	return folder_keep(c->folder_now);
}

static int own_fchdir(int fd)
{
	struct coros *c = coros_now;

	if (folder_begin(c) < 0 || fchdir(fd) < 0)
		return -1;
	return folder_keep(c->folder_now);
}

static mode_t own_umask(mode_t mask)
{
	struct coros *c = coros_now;
	struct own *own = own_now();
	mode_t before = umask(mask);

	if (!c->has_masks)
		c->mask = before;
	c->has_masks = own->has_mask = 1;
	own->mask = mask;
	return before;
}

int own_process_set(struct coros *c, const struct own *own)
{
	char *folder = own && own->folder ? own->folder : c->home;

	if (c->has_locales)
		own_locale_set(own);
	if (c->has_masks)
		umask(own && own->has_mask ? own->mask : c->mask);
	if (folder == c->folder_now)
		return 0;
	if (chdir(folder) < 0)
		return -1;
	c->folder_now = folder;
	return 0;
}

/* A program may have a copy of optind and so on, in the place of the C library's. */
struct options {
	int *optind, *opterr, *optopt;
	char **optarg;
};

static struct options options_in(void)
{
	const struct coros *c = coros_now;
	uint32_t slot = coro_slot(c, coro_rank());
	struct options o = {
	    image_symbol(&c->image, slot, "optind"), image_symbol(&c->image, slot, "opterr"),
	    image_symbol(&c->image, slot, "optopt"), image_symbol(&c->image, slot, "optarg")};
	struct own *own = own_now();

	optind = o.optind ? *o.optind : own->options ? own->options - 1 : 1;
	if (!own->options && optind == 1)
		optind = 0; /* from the beginning */
	if (o.opterr)
		opterr = *o.opterr;
	return o;
}

static int options_out(const struct options *o, int found)
{
	if (o->optind)
		*o->optind = optind;
	if (o->optopt)
		*o->optopt = optopt;
	if (o->optarg)
		*o->optarg = optarg;
	own_now()->options = optind + 1;
	return found;
}

static int own_getopt(int argc, char *const *argv, const char *letters)
{
	struct options o = options_in();

	return options_out(&o, getopt(argc, argv, letters));
}

static int own_getopt_long(int argc, char *const *argv, const char *letters,
                           const struct option *names, int *index)
{
	struct options o = options_in();

	return options_out(&o, getopt_long(argc, argv, letters, names, index));
}

static int own_getopt_long_only(int argc, char *const *argv, const char *letters,
                                const struct option *names, int *index)
{
	struct options o = options_in();

	return options_out(&o, getopt_long_only(argc, argv, letters, names, index));
}

/* Of a rank's code, which a child of this process would not find: and there is no fork. */
static int own_register_atfork(void (*prepare)(void), void (*parent)(void), void (*child)(void),
                               void *module)
{
	(void)prepare;
	(void)parent;
	(void)child;
	(void)module;
	return 0;
}

static void *own_getspecific(pthread_key_t key)
{
	return key < CORO_KEYS && !*coro_tls_thread() ? own_now()->key[key]
	                                              : pthread_getspecific(key);
}

static int own_setspecific(pthread_key_t key, const void *value)
{
	if (key >= CORO_KEYS || *coro_tls_thread()) /* a thread's own are real */
		return pthread_setspecific(key, value);
	own_now()->key[key] = (void *)(uintptr_t)value;
	return 0;
}

/* Where the module's block begins, from the thread's pointer, and the place in it
 * (image_bind.c). */
struct tls_index {
	uint64_t module, offset;
};

static void *own_tls_get_addr(const struct tls_index *i)
{
	return thread_pointer() + i->module + i->offset;
}

static void handlers_drop(struct at_exit **first)
{
	while (*first) {
		struct at_exit *e = *first;

		*first = e->next;
		free(e);
	}
}

void own_release(struct coro *r)
{
	handlers_drop(&r->at_exit);
	handlers_drop(&r->at_quick_exit);
	free(r->environment);
	free(r->launched);
	r->environment = NULL;
	r->launched = NULL;
	r->is_launched = 0;
	if (r->own) {
		own_streams_release(r->own);
		own_locale_release(r->own);
		own_texts_release(r->own);
		free(r->own->folder);
		free(r->own->action);
	}
	free(r->own);
	r->own = NULL;
}

#define OWN(name, function) \
	{ \
		name, (void *)(uintptr_t) & (function) \
	}
#define REFUSED(name) OWN(#name, refuse_##name)
const struct image_own own_functions[] = {
    OWN("__libc_start_main", own_start),
    OWN("exit", own_exit),
    OWN("_exit", own_ends_now),
    OWN("_Exit", own_ends_now),
    OWN("quick_exit", own_quick_exit),
    OWN("at_quick_exit", own_cxa_at_quick_exit),
    OWN("__cxa_at_quick_exit", own_cxa_at_quick_exit),
    OWN("abort", own_abort),
    OWN("atexit", own_atexit),
    OWN("__cxa_atexit", own_cxa_atexit),
    OWN("__cxa_thread_atexit_impl", own_cxa_thread_atexit),
    OWN("__cxa_finalize", own_cxa_finalize),
    OWN("on_exit", own_on_exit),
    OWN("freopen", own_freopen),
    OWN("freopen64", own_freopen),
    OWN("fclose", own_fclose),
    OWN("close", own_close),
    OWN("write", own_write),
    OWN("writev", own_writev),
    OWN("dprintf", own_dprintf),
    OWN("vdprintf", own_vdprintf),
    OWN("__dprintf_chk", own_dprintf_chk),
    OWN("__vdprintf_chk", own_vdprintf_chk),
    OWN("fdopen", own_fdopen),
    OWN("fileno", own_fileno),
    OWN("getenv", own_getenv),
    OWN("secure_getenv", own_getenv),
    OWN("setenv", own_setenv),
    OWN("unsetenv", own_unsetenv),
    OWN("putenv", own_putenv),
    OWN("clearenv", own_clearenv),
    OWN("raise", own_raise),
    OWN("getpid", own_getpid),
    OWN("gettid", own_gettid),
    OWN("kill", own_kill),
    OWN("sched_setaffinity", own_sched_setaffinity),
    OWN("sched_getaffinity", own_sched_getaffinity),
    OWN("fopen", own_fopen),
    OWN("fopen64", own_fopen),
    OWN("open", own_open),
    OWN("open64", own_open),
    OWN("opendir", own_opendir),
    OWN("access", own_access),
    OWN("readlink", own_readlink),
    OWN("pthread_kill", own_pthread_kill),
    OWN("signal", own_signal),
    OWN("__sysv_signal", own_sysv_signal),
    OWN("sigaction", own_sigaction),
    OWN("chdir", own_chdir),
    OWN("fchdir", own_fchdir),
    OWN("umask", own_umask),
    OWN("sigprocmask", own_sigprocmask),
    OWN("pthread_sigmask", own_pthread_sigmask),
    OWN("sigpending", own_sigpending),
    OWN("sigsuspend", own_sigsuspend),
    OWN("sigwait", own_sigwait),
    OWN("sigaltstack", own_sigaltstack),
    OWN("longjmp", own_longjmp),
    OWN("_longjmp", own_longjmp),
    OWN("siglongjmp", own_longjmp),
    OWN("__longjmp_chk", own_longjmp),
    OWN("gmtime", own_gmtime),
    OWN("localtime", own_localtime),
    OWN("asctime", own_asctime),
    OWN("ctime", own_ctime),
    OWN("strerror", own_strerror),
    OWN("localeconv", own_localeconv),
    OWN("hcreate", own_hcreate),
    OWN("hsearch", own_hsearch),
    OWN("hdestroy", own_hdestroy),
    OWN("setlocale", own_setlocale),
    OWN("uselocale", own_uselocale),
    OWN("duplocale", own_duplocale),
    OWN("setrlimit", own_setrlimit),
    OWN("setrlimit64", own_setrlimit),
    OWN("getrlimit", own_getrlimit),
    OWN("getrlimit64", own_getrlimit),
    OWN("prlimit", own_prlimit),
    OWN("prlimit64", own_prlimit),
    OWN("random", own_random),
    OWN("rand", own_rand),
    OWN("srandom", own_srandom),
    OWN("srand", own_srandom),
    OWN("initstate", own_initstate),
    OWN("setstate", own_setstate),
    OWN("drand48", own_drand48),
    OWN("lrand48", own_lrand48),
    OWN("mrand48", own_mrand48),
    OWN("srand48", own_srand48),
    OWN("seed48", own_seed48),
    OWN("lcong48", own_lcong48),
    OWN("strtok", own_strtok),
    OWN("getopt", own_getopt),
    OWN("getopt_long", own_getopt_long),
    OWN("getopt_long_only", own_getopt_long_only),
    OWN("pthread_getspecific", own_getspecific),
    OWN("pthread_setspecific", own_setspecific),
    OWN("__tls_get_addr", own_tls_get_addr),
    OWN("__register_atfork", own_register_atfork),
    OWN("dlopen", own_dlopen),
    OWN("dlclose", own_dlclose),
    OWN("dlerror", own_dlerror),
    OWN("dlsym", own_dlsym),
    OWN("dladdr", own_dladdr),
    OWN("dladdr1", own_dladdr1),
    OWN("pthread_create", own_pthread_create),
    OWN("pthread_exit", own_pthread_exit),
    REFUSED(thrd_create),
    REFUSED(fork),
    REFUSED(vfork),
    REFUSED(clone),
    REFUSED(execve),
    REFUSED(execv),
    REFUSED(execvp),
    REFUSED(execl),
    REFUSED(execlp),
    REFUSED(execle),
    REFUSED(execvpe),
    REFUSED(fexecve),
    REFUSED(_Fork),
    REFUSED(daemon),
    REFUSED(forkpty),
    REFUSED(dlmopen),
    REFUSED(timer_create),
    OWN("(nobody)", own_nobody), /* image_bind.c */
    {NULL, NULL},
};
