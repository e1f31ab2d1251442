/* err.h: the one error type. Who decides an error words it once (place, what was expected, what was
 * found, remedy); everyone else passes it on. Functions that can fail take a `struct err *` last,
 * return 0 or a count on success and -1 with *err set; outputs are written only on success.
 * Libraries never print and never exit. */
#ifndef ORRERY_BASE_ERR_H
#define ORRERY_BASE_ERR_H

#include <stdarg.h>

/* Kinds double as exit codes of the program (ARCHITECTURE, idea 9). */
enum err_kind {
	ERR_NONE = 0,
	ERR_PROGRAM = 1, /* the simulated program failed: deadlock, truncation, MPI error */
	ERR_INPUT = 2,   /* bad usage or bad input file */
	ERR_LIMIT = 3, /* a limit of this computer: memory, disk, file descriptors, an I/O error */
};

enum { ERR_TEXT_MAX = 4096 };

struct err {
	enum err_kind kind;
	int number; /* of the operating system's error that it tells (err_sys); 0: none */
	char text[ERR_TEXT_MAX]; /* may hold several lines; no final newline; longer texts end in
	                            "…" */
};

/* Sets *err (a null err is allowed: the text is dropped). Always returns -1, so that callers write
 * `return err_set(…)`. */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((cold, format(printf, 3, 4)));
int err_setv(struct err *err, enum err_kind kind, const char *fmt, va_list ap)
    __attribute__((cold, format(printf, 3, 0)));

/* Bad input at a place: "file:line:column: text". line and column count from 1; 0 leaves that part
 * out. Returns -1. */
int err_at(struct err *err, const char *file, long line, long column, const char *fmt, ...)
    __attribute__((cold, format(printf, 5, 6)));

/* Another error with its place before it, of the same kind. Returns -1. */
int err_placed(struct err *err, const char *file, long line, long column, const struct err *why)
    __attribute__((cold));

/* An environment error: "text: strerror(errnum)", kind ERR_LIMIT; ERR_INPUT where another name
 * would do (ENOENT, EACCES, EROFS, EISDIR, ENOTDIR, …). Returns -1. */
int err_sys(struct err *err, int errnum, const char *fmt, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* Memory is exhausted: ERR_LIMIT, naming what was wanted and its size in bytes. Returns -1. */
int err_nomem(struct err *err, const char *what, unsigned long long bytes) __attribute__((cold));

/* Appends to the text of an error that is set. */
void err_append(struct err *err, const char *fmt, ...) __attribute__((cold, format(printf, 2, 3)));

/* A bug of ours. Always on: going on would give a wrong number. */
_Noreturn void bug_report(const char *file, int line, const char *expr) __attribute__((cold));
#define BUG_ON(cond) \
	do { \
		if (__builtin_expect(!!(cond), 0)) \
			bug_report(__FILE__, __LINE__, #cond); \
	} while (0)

#endif
