/* own.c: the table of functions that stand in for the C library's in a program whose ranks share a
 * process (own_*.c); here is what cannot be held so, which is refused by name, and what is too
 * short for a file: tokens, keys of threads, thread-local variables of the simulator's thread. */
#include "coro_int.h"
#include "processor.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

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

static int own_nobody(void)
{
	coro_ends(CORO_KILLED, SIGSYS, "calls a function that none of its libraries has");
}

static char *own_strtok(char *s, const char *between)
{
	return strtok_r(s, between, &own_now()->token);
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

void own_release(struct coro *r)
{
	own_exits_drop(r);
	free(r->environment);
	free(r->launched);
	r->environment = NULL;
	r->launched = NULL;
	r->is_launched = 0;
	if (r->own) {
		own_streams_release(r->own);
		own_locale_release(r->own);
		own_texts_release(r->own);
		free(r->own->print);
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
    OWN("__readlink_chk", own_readlink_chk),
    OWN("realpath", own_realpath),
    OWN("__realpath_chk", own_realpath_chk),
    OWN("canonicalize_file_name", own_canonicalize_file_name),
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
    OWN("register_printf_specifier", own_register_printf_specifier),
    OWN("register_printf_function", own_register_printf_function),
    OWN("register_printf_modifier", own_register_printf_modifier),
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
#if defined DLFO_STRUCT_HAS_EH_DBASE
    OWN("_dl_find_object", _dl_find_object), /* image_frames.c */
#endif
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
