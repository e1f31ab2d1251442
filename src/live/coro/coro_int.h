/* coro_int.h: what the files of coroutines share. The functions that stand in for the C library's
 * are called by programs, without a context: whom they are about is the one variable `coros_now`.
 */
#ifndef ORRERY_LIVE_CORO_CORO_INT_H
#define ORRERY_LIVE_CORO_CORO_INT_H

#include "context.h"
#include "coro.h"
#include "image.h"
#include "live/hold.h"
#include "own_output.h"
#include "watch.h"

/* libmpi/time/time.h */
struct orrery_timer;
struct clock_state {
	const struct orrery_clock *simulated;
	double base, origin, due, interval;
};
struct orrery_timer_hold {
	void (*ring)(void);
	int (*interrupts)(void);
};

#include <dirent.h>
#include <dlfcn.h>
#include <link.h>
#include <locale.h>
#include <printf.h>
#include <pthread.h>
#include <sched.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/uio.h>
#include <time.h>

enum { NOBODY = 0xffffffffu };
enum { CORO_KEYS = 64, CORO_REASON = 160 };

struct at_exit {
	struct at_exit *next;
	void (*function)(void *argument, int code);
	void *argument, *module;
};

struct own { /* what the C library keeps for a process: made when first used */
	struct random_data random;
	char random_state[128];
	int has_random;
	struct drand48_data random48;
	int has_random48;
	char *token;
	int options; /* getopt was called */
	void *key[CORO_KEYS];
	FILE *stream[3]; /* in the place of stdin, stdout, stderr; NULL: those of all */
	struct own_output *output[3]; /* where stdout, stderr go, if those of ranks are apart */
	struct sigaction *action;     /* by signal; NULL: it has asked for none */
	struct rlimit limit[RLIM_NLIMITS];
	uint32_t limited; /* which of them it has set, as bits */
	char *folder;     /* where it works; NULL: where all began */
	mode_t mask;      /* umask, if it has asked for one */
	int has_mask;
	uint64_t blocked, pending; /* signals, as bits of their numbers - 1 */
	uint64_t blocked_outside;  /* before the first of the handlers that run, */
	uint32_t handlers;         /* and how many do */
	stack_t stack;             /* of sigaltstack, */
	int has_stack;             /* if it has set one */
	locale_t locale, uses;     /* of setlocale, of uselocale; NULL: those of all */
	char *locale_names;
	struct own_texts *texts; /* own_texts.c */
	struct own_print *print; /* own_print.c */
	char loader[CORO_REASON], loader_told[CORO_REASON];
};

struct coro {
	void *sp;
	void *below; /* the end of its stack at a fault, should its handler be elsewhere */
	void *state; /* the library's */
	struct wire_op *op;
	unsigned char *saved; /* while another one is in its slot: data, then stack */
	unsigned char *tls;
	struct own *own;
	struct at_exit *at_exit, *at_quick_exit;
	char **environment;   /* NULL: as it was at the beginning */
	char ***environ_copy; /* the program's; NULL: it has none */
	void *launched;       /* texts of the launcher's variables; NULL: nobody asked for them */
	char **words;         /* of one that was spawned; NULL: those of all */
	uint64_t world;       /* and the place of its struct wire_world; 0: it was not */
	uint32_t saved_size;
	struct clock_state clock;
	struct thread *threads;             /* of its own, that run; under coros.threads */
	_Atomic uint32_t starting, stopped; /* not among them yet; at its end */
	void *threads_seen;                 /* what measures them */
	void *kernels;                      /* its models of functions that are not run */
	int error;                          /* errno */
	int code;
	uint32_t appnum;
	uint8_t phase; /* enum coro_state */
	uint8_t in_mpi;
	uint8_t is_launched; /* nothing of the launcher's is to be put into the environment */
};

struct free_op {
	struct free_op *next;
};

enum { CORO_FATAL = 7 }; /* signals that end a rank */
struct coros {
	struct coro_options o;
	struct sigaction before[CORO_FATAL]; /* what was to be done on them outside ranks */
	struct sigaction before_pipe;
	struct image image;
	struct hold hold;
	struct hold_library library;
	struct coro *coro;
	uint32_t n_slots;
	uint32_t *resident; /* by slot */
	unsigned char *
	    *pristine;  /* by slot: data before anybody ran; NULL: each slot has one rank */
	void *sp;       /* of the simulator */
	uint32_t rank;  /* who runs; NOBODY: the simulator */
	uint32_t last;  /* whose state is in place */
	uint32_t ran;   /* who had the last turn */
	uint64_t turns; /* so many there were */
	struct watch watch;
	struct err *err; /* of the run; what it says is told where the process dies (launch_kept) */
	int copies;      /* data of windows, for a call of MPI of the rank that runs */
	int is_damaged;  /* a rank had a fault: memory that all share may be anything */
	struct free_op *free_op;
	char **environment;
	struct launched *launched;
	int reads_environ; /* the program or one of its libraries, by its name */
	int32_t *identity;
	char program[4096];
	char exe[4096]; /* its file, without links, from the root */
	char *named[2]; /* what the C library calls this process else, in what it says of it */
	char reason[CORO_REASON];               /* why the last one that was killed was */
	int (*folded)(const void *p, size_t n); /* NULL: nothing is */
	int (*memory)(const void *p, size_t n, size_t *same); /* likewise */
	uint64_t (*counted_again)(void); /* libmpi/guest/fold.h; NULL: nothing is folded */
	void *guest;                     /* the library that folds and has kernels, or NULL */
	struct guest_hold guest_hold;
	pthread_mutex_t threads;
	void (*thread_begins)(void **table); /* of the library of clocks, or NULL */
	char *kernels;                       /* text of models, for whoever reads it */
	struct fault_stack *fault_stack;     /* that on which nobody is, and all others */
	uint64_t tls;                        /* bytes of each rank's copy */
	struct link_map map[IMAGE_MODULES];  /* what a rank is told of its modules (own_loader.c) */
	FILE *stream[3];                     /* stdin, stdout, stderr */
	FILE **standard[3];                  /* where libraries find them; NULL: as we do */
	char *folder;            /* of files of what ranks write; NULL: there are none */
	int has_streams;         /* a rank has its own */
	char *home, *folder_now; /* where all began, if a rank has left it; where the process is */
	mode_t mask;             /* umask of all, if a rank has another one */
	int has_masks;
	int has_locales;                                     /* a rank has one */
	void (*clock_set)(const struct orrery_clock *clock); /* NULL: no clock is simulated */
	void (*clock_switch)(struct clock_state *from, const struct clock_state *to);
	int (*suspend)(const sigset_t *mask); /* of the library of clocks; NULL: the C library's */
	/* own_thread.c: ends a thread of the rank that is not its first. */
	__attribute__((noreturn)) void (*thread_dies)(const struct coro *r, const char *reason);
};

extern struct coros *coros_now;

/* coro_tls.c: whose thread this is; *it is NULL: the simulator's own. */
struct coro **coro_tls_thread(void);

/* Whose turn it is, or on a thread of a rank's own (own_thread.c) that rank. */
static inline struct coro *coro_now(void)
{
	struct coro *own = *coro_tls_thread();

	return own ? own : &coros_now->coro[coros_now->rank];
}
static inline uint32_t coro_rank(void)
{
	const struct coro *own = *coro_tls_thread();

	return own ? (uint32_t)(own - coros_now->coro) : coros_now->rank;
}
static inline uint32_t coro_slot(const struct coros *c, uint32_t rank)
{
	return rank % c->n_slots;
}

/* The program's words, as this rank has them. */
static inline char *const *coro_words(const struct coros *c, uint32_t rank)
{
	return c->coro[rank].words ? c->coro[rank].words : c->o.command;
}

/* coro_spawn.c: as struct hold's. */
int coro_can_spawn(const char *program, const char *folder);

/* coro_end.c: the rank that runs ends: it does not return. */
_Noreturn void coro_ends(enum coro_state how, int code, const char *reason);
/* "was killed by signal 11 (Segmentation fault)". It takes no memory, as strsignal may, which
 * whoever was killed may have damaged. */
void coro_killed_text(int number, char text[CORO_REASON]);
/* What the rank that runs has of its own; it has memory for it, or ends. */
struct own *own_now(void);

/* coro_hold.c: what the library of a rank gets (c->hold). */
void coro_hold_set(struct coros *c);

/* coro_slot.c: a rank leaves its slot, another one goes there. */
int coro_put_out(struct coros *c, uint32_t slot, struct err *err);
int coro_put_in(struct coros *c, uint32_t slot, uint32_t rank, struct err *err);
/* Where n bytes are that a rank has at p: in its slot, or where they were copied to. */
unsigned char *coro_memory_of(const struct coros *c, uint32_t rank, void *p, size_t n);

/* coro_fault.c: from here on faults are caught; no longer. */
int coro_faults_catch(struct coros *c, struct err *err);
void coro_faults_leave(struct coros *c);
/* After a rank's turn: it may have died of a fault, or wait on the stack of one. */
int coro_fault_after(struct coros *c, const struct coro *r, struct err *err);
/* Where what is to be kept of a rank's stack begins: its handler of a fault may be on another one.
 */
unsigned char *coro_stack_begin(const struct coros *c, const struct coro *r);
/* Memory is about to be walked that ranks may have damaged: what is told, should we die of it, and
 * after how long. */
void coro_damage_expect(const struct coros *c);
/* Whoever computes without a step ends the run. */
void coro_progress_watch(struct coros *c);

/* own_signal.c */
typedef void signal_handler(int number);
int own_sigaction(int number, const struct sigaction *act, struct sigaction *old);
signal_handler *own_signal(int number, signal_handler *handler);
signal_handler *own_sysv_signal(int number, signal_handler *handler);
int own_raise(int number);
int own_pthread_kill(pthread_t thread, int number);
_Noreturn void own_abort(void);
int own_setrlimit(int resource, const struct rlimit *v);
int own_getrlimit(int resource, struct rlimit *v);
int own_prlimit(pid_t pid, int resource, const struct rlimit *v, struct rlimit *old);
extern const struct orrery_timer_hold own_timer;
int own_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int own_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int own_sigpending(sigset_t *set);
int own_sigsuspend(const sigset_t *mask);
int own_sigwait(const sigset_t *set, int *number);
int own_sigaltstack(const stack_t *stack, stack_t *old);
_Noreturn void own_longjmp(struct __jmp_buf_tag *place, int value);
/* What the rank itself does at a fault, if anything: 1: it was done. */
int own_fault(int number, siginfo_t *info, void *context, int is_overflow);

/* own_number.c */
/* What the C library says (assert, error, perror's kin) is said of the program. */
void own_names(struct coros *c);
void own_names_end(struct coros *c);
pid_t own_getpid(void);
pid_t own_gettid(void);
/* The simulator's, where it is that of a rank. */
pid_t own_number_real(pid_t number);
int own_kill(pid_t number, int signal);
int own_sched_setaffinity(pid_t number, size_t n, const cpu_set_t *set);
int own_sched_getaffinity(pid_t number, size_t n, cpu_set_t *set);
enum { OWN_PATH = 256 };
const char *own_path(const char *path, char room[static OWN_PATH]);
FILE *own_fopen(const char *path, const char *mode);
int own_open(const char *path, int flags, ...);
DIR *own_opendir(const char *path);
int own_access(const char *path, int how);
ssize_t own_readlink(const char *path, char *text, size_t n);
ssize_t own_readlink_chk(const char *path, char *text, size_t n, size_t room);
char *own_realpath(const char *path, char *text);
char *own_realpath_chk(const char *path, char *text, size_t room);
char *own_canonicalize_file_name(const char *path);

/* own_texts.c */
struct tm *own_gmtime(const time_t *t);
struct tm *own_localtime(const time_t *t);
char *own_asctime(const struct tm *tm);
char *own_ctime(const time_t *t);
char *own_strerror(int number);
struct lconv *own_localeconv(void);
int own_hcreate(size_t n);
ENTRY *own_hsearch(ENTRY item, ACTION action);
void own_hdestroy(void);
void own_texts_release(struct own *o);

/* own_print.c */
int own_register_printf_specifier(int letter, printf_function *function,
                                  printf_arginfo_size_function *sized);
int own_register_printf_function(int letter, printf_function *function,
                                 printf_arginfo_function *old);
int own_register_printf_modifier(const wchar_t *name);

/* own_locale.c */
char *own_setlocale(int category, const char *name);
locale_t own_uselocale(locale_t locale);
locale_t own_duplocale(locale_t locale);
/* A rank's, or (NULL) that of all, is in place. */
void own_locale_set(const struct own *own);
void own_locale_release(struct own *o);

/* own_stream.c */
FILE *own_freopen(const char *path, const char *mode, FILE *f);
int own_fclose(FILE *f);
int own_close(int fd);
ssize_t own_write(int fd, const void *p, size_t n);
ssize_t own_writev(int fd, const struct iovec *v, int n);
int own_dprintf(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));
int own_dprintf_chk(int fd, int flag, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int own_vdprintf(int fd, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
int own_vdprintf_chk(int fd, int flag, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));
FILE *own_fdopen(int fd, const char *mode);
int own_fileno(FILE *f);
/* With output apart: the streams of the rank that runs. -1: no memory. */
int own_streams_begin(struct own *o);
void own_streams_find(struct coros *c);
/* A rank's, or (NULL) those of all, in their places. */
void own_streams_set(const struct own *o);
void own_streams_release(struct own *o);

/* own_env.c */
/* When a rank's memory is laid, and each time that it gets its turn. */
int own_environment_find(struct coros *c, struct err *err);
void own_environment_begin(struct coros *c, uint32_t rank);
void own_environment_enter(const struct coros *c, const struct coro *r);
char *own_getenv(const char *name);
int own_setenv(const char *name, const char *value, int replace);
int own_unsetenv(const char *name);
int own_putenv(char *text);
int own_clearenv(void);

/* coro_tls.c: is there room for it? */
int coro_tls_check(const struct image *im, struct err *err);
/* This thread's, of all modules: image->tls bytes. */
unsigned char *coro_tls_now(const struct image *im);
/* The first values of modules, from this one on: into as many bytes; into this thread's. */
void coro_tls_fill(const struct coros *c, uint32_t slot, uint32_t from, uint32_t n,
                   unsigned char *to);
void coro_tls_begin(const struct coros *c, uint32_t slot, uint32_t first, uint32_t n);
/* Room for that of modules that were opened. */
int coro_tls_grow(struct coros *c, struct err *err);

/* own_thread.c */
/* A thread of the rank that runs: as pthread_create. */
int own_thread_start(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                     void *argument);
int own_pthread_create(pthread_t *out, const pthread_attr_t *attr, void *(*start)(void *),
                       void *argument);
_Noreturn void own_pthread_exit(void *value);
/* Before a program is bound: where its calls lead on threads of its own (image.h). */
void *own_thread_guard(const char *name, const void *address);
/* The simulation ends, because of what a thread of a rank's own did. */
__attribute__((noreturn)) void own_thread_dies(const struct coro *r, const char *reason);
/* The rank is no more: its threads go no further. */
void own_threads_stop(struct coro *r);

/* own_kernel.c */
int own_kernel_hides(const char *name);
/* After the libraries are there and the places of slots are known, before one is laid. */
int own_kernels_begin(struct coros *c, struct err *err);
/* The rank that runs is in MPI, or no more. -1: no memory. */
int own_kernels_running(int on);

/* own_loader.c */
void *own_dlopen(const char *name, int flags);
int own_dlclose(void *handle);
char *own_dlerror(void);
void *own_dlsym(void *handle, const char *name);
int own_dladdr(const void *address, Dl_info *info);
int own_dladdr1(const void *address, Dl_info *info, void **extra, int flags);

/* own_life.c */
typedef int main_function(int argc, char **argv, char **envp);
typedef void init_function(int argc, char *const *argv, char **envp);
typedef void plain_function(void);
typedef void exit_function(void *argument, int code);
/* Calls what a module has to be called when it is there. */
void own_module_begin(const struct coros *c, uint32_t slot, const struct module *m);
/* Writes the arguments of a rank's program below an address of a stack: where they begin. */
void *own_arguments(const struct coros *c, uint32_t rank, unsigned char *below);
/* What a rank does first, on its own stack. */
_Noreturn void own_begin(struct coros *c, uint32_t rank, void *arguments);
int own_start(main_function *main, int argc, char **argv, init_function *init, plain_function *fini,
              plain_function *loaded, void *stack);
_Noreturn void own_exit(int code);
_Noreturn void own_ends_now(int code);
_Noreturn void own_quick_exit(int code);
int own_atexit(exit_function *function);
int own_cxa_atexit(exit_function *function, void *argument, void *module);
int own_cxa_at_quick_exit(exit_function *function, void *module);
int own_cxa_thread_atexit(exit_function *function, void *argument, void *module);
void own_cxa_finalize(void *module);
int own_on_exit(void (*function)(int code, void *argument), void *argument);
/* The rank is no more: nothing of it is called. */
void own_exits_drop(struct coro *r);

/* own_random.c */
long own_random(void);
int own_rand(void);
void own_srandom(unsigned seed);
char *own_initstate(unsigned seed, char *state, size_t n);
char *own_setstate(char *state);
double own_drand48(void);
long own_lrand48(void);
long own_mrand48(void);
void own_srand48(long seed);
unsigned short *own_seed48(unsigned short seed[3]);
void own_lcong48(unsigned short parameters[7]);

/* own_folder.c: a rank goes on (NULL: the simulator) where it works: 0, or -1 with errno. */
int own_process_set(struct coros *c, const struct own *own);
int own_chdir(const char *path);
int own_fchdir(int fd);
mode_t own_umask(mode_t mask);

/* own_options.c */
struct option;
int own_getopt(int argc, char *const *argv, const char *letters);
int own_getopt_long(int argc, char *const *argv, const char *letters, const struct option *names,
                    int *index);
int own_getopt_long_only(int argc, char *const *argv, const char *letters,
                         const struct option *names, int *index);

/* own.c */
extern const struct image_own own_functions[];
void own_release(struct coro *r);

#endif
