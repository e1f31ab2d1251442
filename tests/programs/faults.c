/* faults.c: a library to preload into `orrery`: runs the command once for each n = 1, 2, 3, …, with
 * the n-th call of a kind failing, in a child that is forked before main, and judges what came of
 * it. Environment:
 *   FAULTS_KIND   alloc: no memory (but where libgfortran asks, which comes with LAPACK: while it
 *                 is loaded it ends the process itself; nor where libotf2 copies a property). read,
 *                 write, open, file: an error of read, pread and readdir; write and pwrite; open,
 *                 openat, fopen, opendir; fsync, rename, linkat, ftruncate, mkdir, fchmod, syncfs,
 *                 close, fclose, fork. look: stat, lstat, fstat, access, realpath, opendir,
 *                 readdir: what is there cannot be known.
 *                 short, short-write: part of what was asked for.
 *                 eintr: read, write, pread, pwrite, waitpid are interrupted. count: nothing fails;
 *                 how often each kind was called is written into the file FAULTS_CALLS.
 *   FAULTS_FIRST, FAULTS_MOST   from which n to which
 *   FAULTS_CALLS  that file: of more than FAULTS_MOST calls, so many fail, in equal steps from the
 *                 first to the last
 *   FAULTS_LOOSE  names: what is measured differs from run to run; the same files, with something
 *                 in them, are what should be. told: and less than that, if a message says so.
 *   FAULTS_SAME   a command: do two files that differ hold the same (exit code 0)? What is packed
 *                 is stored as it is where memory lacks.
 *   FAULTS_WHERE  set: with the place of the fault, for addr2line
 *   FAULTS_OUT    the folder that the command writes to; FAULTS_REF: the same, as it should be;
 *                 both hold stdout as "stdout", stderr is beside them: REF.err
 * What is judged: the command ended within a minute or two, and not by a signal; exit code 0 comes
 * with all that it should write and, of no memory, with all that it should say, or it says that
 * memory lacks; another one with a message, and nothing half written. Short and interrupted calls
 * make no difference. Prints what was wrong, and how many faults there were; exit code 1 if any was
 * wrong. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

enum { SECONDS = 100 }; /* that a command may take */
enum kind { NONE, ALLOC, READ, WRITE, OPEN, FILES, LOOK, SHORT, SHORT_WRITE, INTERRUPT };
static const char *const kind_names[] = {"",     "alloc", "read",  "write",       "open",
                                         "file", "look",  "short", "short-write", "eintr"};
static enum kind kind;
static long left;
enum { KINDS = sizeof kind_names / sizeof *kind_names };
static int *reached; /* shared with the parent */
static long *called; /* while counting: by kind, shared with what is forked */

static int now(enum kind k)
{
	if (called)
		__atomic_add_fetch(&called[k], 1, __ATOMIC_RELAXED);
	if (kind != k || __atomic_sub_fetch(&left, 1, __ATOMIC_RELAXED) != 0)
		return 0;
	*reached = 1;
	if (getenv("FAULTS_WHERE")) {
		void *frames[30];

		kind = NONE;
		backtrace_symbols_fd(frames, backtrace(frames, 30), STDERR_FILENO);
	}
	return 1;
}

/* libotf2 3.0 writes a property into a copy of its name without a look at what it got for it. */
static int is_property(const Dl_info *at)
{
	enum { FRAMES = 8 };
	void *frame[FRAMES];
	int n, is = 0;
	Dl_info info;

	if (!at->dli_sname || strcmp(at->dli_sname, "OTF2_UTILS_CStr_dup") != 0)
		return 0;
	n = backtrace(frame, FRAMES);
	for (int i = 0; i < n && !is; i++)
		is = dladdr(frame[i], &info) && info.dli_sname &&
		     !strcmp(info.dli_sname, "otf2_archive_set_property");
	return is;
}

/* Who does not look at what it gets. The next one is due instead. */
static int is_blind(const void *caller)
{
	Dl_info info;

	if (!dladdr(caller, &info) || !info.dli_fname ||
	    (!strstr(info.dli_fname, "libgfortran") && !is_property(&info)))
		return 0;
	left = 1;
	*reached = 0;
	return 1;
}

/* --- the calls --- */

void *malloc(size_t n)
{
	if (now(ALLOC) && !is_blind(__builtin_return_address(0)))
		return errno = ENOMEM, NULL;
	return __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return now(ALLOC) && !is_blind(__builtin_return_address(0))        ? errno = ENOMEM,
	                                                              NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return now(ALLOC) ? errno = ENOMEM, NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;

	return __builtin_mul_overflow(n, size, &bytes) ? errno = ENOMEM, NULL : realloc(p, bytes);
}

void *aligned_alloc(size_t align, size_t n)
{
	return now(ALLOC) ? errno = ENOMEM, NULL : __libc_memalign(align, n);
}

ssize_t read(int fd, void *buf, size_t n)
{
	if (now(READ))
		return errno = EIO, -1;
	if (now(INTERRUPT))
		return errno = EINTR, -1;
	return syscall(SYS_read, fd, buf, n > 1 && now(SHORT) ? n / 2 > 7 ? 7 : n / 2 : n);
}

ssize_t pread(int fd, void *buf, size_t n, off_t at)
{
	if (now(READ))
		return errno = EIO, -1;
	if (now(INTERRUPT))
		return errno = EINTR, -1;
	return syscall(SYS_pread64, fd, buf, n > 1 && now(SHORT) ? n / 2 > 7 ? 7 : n / 2 : n, at);
}

ssize_t write(int fd, const void *buf, size_t n)
{
	if (fd != STDERR_FILENO && now(WRITE))
		return errno = ENOSPC, -1;
	if (fd != STDERR_FILENO && now(INTERRUPT))
		return errno = EINTR, -1;
	return syscall(SYS_write, fd, buf, n > 1 && now(SHORT_WRITE) ? n / 2 : n);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t at)
{
	if (now(WRITE))
		return errno = ENOSPC, -1;
	if (now(INTERRUPT))
		return errno = EINTR, -1;
	return syscall(SYS_pwrite64, fd, buf, n > 1 && now(SHORT_WRITE) ? n / 2 : n, at);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	if (now(INTERRUPT))
		return errno = EINTR, -1;
	return (pid_t)syscall(SYS_wait4, pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return waitpid(-1, status, 0);
}

int openat(int dir, const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;
	va_end(ap);
	if (now(OPEN))
		return errno = left % 2 ? EMFILE : EACCES, -1;
	return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(ap, int) : 0;
	va_end(ap);
	return openat(AT_FDCWD, path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
	static FILE *(*next)(const char *, const char *);

	if (now(OPEN))
		return errno = EACCES, NULL;
	if (!next)
		next = (FILE * (*)(const char *, const char *)) dlsym(RTLD_NEXT, "fopen");
	return next(path, mode);
}

DIR *opendir(const char *path)
{
	static DIR *(*next)(const char *);

	if (now(OPEN))
		return errno = EACCES, NULL;
	if (now(LOOK))
		return errno = EIO, NULL;
	if (!next)
		next = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
	return next(path);
}

struct dirent *readdir(DIR *d)
{
	static struct dirent *(*next)(DIR *);

	if (now(READ) || now(LOOK))
		return errno = EIO, NULL;
	if (!next)
		next = (struct dirent * (*)(DIR *)) dlsym(RTLD_NEXT, "readdir");
	return next(d);
}

int stat(const char *path, struct stat *st)
{
	return now(LOOK) ? errno = EIO, -1 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, 0);
}

int lstat(const char *path, struct stat *st)
{
	return now(LOOK) ? errno = EIO, -1
	                 : (int)syscall(SYS_newfstatat, AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat *st)
{
	return now(LOOK) ? errno = EIO, -1 : (int)syscall(SYS_fstat, fd, st);
}

int access(const char *path, int how)
{
	return now(LOOK) ? errno = EIO, -1 : (int)syscall(SYS_faccessat, AT_FDCWD, path, how);
}

char *realpath(const char *path, char *out)
{
	static char *(*next)(const char *, char *);

	if (now(LOOK))
		return errno = EIO, NULL;
	if (!next) /* not the first version, which allocates nothing */
		next = (char *(*)(const char *, char *))dlvsym(RTLD_NEXT, "realpath", "GLIBC_2.3");
	if (!next)
		next = (char *(*)(const char *, char *))dlsym(RTLD_NEXT, "realpath");
	return next(path, out);
}

/* It is closed all the same. */
int close(int fd)
{
	int failed = fd > STDERR_FILENO && now(FILES), r = (int)syscall(SYS_close, fd);

	return failed ? errno = EIO, -1 : r;
}

int fclose(FILE *f)
{
	static int (*next)(FILE *);
	int failed = now(FILES), r;

	if (!next)
		next = (int (*)(FILE *))dlsym(RTLD_NEXT, "fclose");
	r = next(f);
	return failed ? errno = EIO, EOF : r;
}

static pid_t fork_real(void)
{
	static pid_t (*next)(void);

	if (!next)
		next = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
	return next();
}

pid_t fork(void)
{
	return now(FILES) ? errno = EAGAIN, -1 : fork_real();
}

int fsync(int fd)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_fsync, fd);
}

int syncfs(int fd)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_syncfs, fd);
}

int rename(const char *from, const char *to)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_rename, from, to);
}

int renameat2(int a, const char *from, int b, const char *to, unsigned flags)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_renameat2, a, from, b, to, flags);
}

int linkat(int a, const char *from, int b, const char *to, int flags)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_linkat, a, from, b, to, flags);
}

int ftruncate(int fd, off_t n)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_ftruncate, fd, n);
}

int fchmod(int fd, mode_t mode)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_fchmod, fd, mode);
}

int mkdir(const char *path, mode_t mode)
{
	return now(FILES) ? errno = EIO, -1 : (int)syscall(SYS_mkdir, path, mode);
}

/* --- judging --- */

static char *file_text(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	char *text;

	if (fd < 0 || fstat(fd, &st) < 0)
		return NULL;
	text = calloc(1, (size_t)st.st_size + 1);
	*n = (size_t)st.st_size;
	if (read(fd, text, *n) != (ssize_t)*n)
		*n = 0;
	close(fd);
	return text;
}

/* What differs from run to run: how long it took us. */
static void times_mask(char *s)
{
	static const char *const keys[] = {
	    "\"wall_seconds\":", "\"actions_per_second\":", "\"peak_rss_kib\":"};

	for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
		for (char *p = s; (p = strstr(p, keys[k]));)
			for (p += strlen(keys[k]); *p && *p != ','; p++)
				*p = '#';
	for (char *p = s; (p = strstr(p, " actions, "));)
		for (p++; *p && *p != '\n'; p++)
			*p = '#';
}

static int holds_same(const char *a, const char *b)
{
	const char *command = getenv("FAULTS_SAME"), *preload = getenv("LD_PRELOAD");
	char line[3 * 4096], library[4096];
	int same;

	if (!command || kind != ALLOC)
		return 0;
	snprintf(library, sizeof library, "%s", preload ? preload : "");
	snprintf(line, sizeof line, "'%s' '%s' '%s'", command, a, b);
	unsetenv("LD_PRELOAD");
	same = system(line) == 0;
	setenv("LD_PRELOAD", library, 1);
	return same;
}

static int same_file(const char *a, const char *b)
{
	size_t n = 0, m = 0;
	char *x = file_text(a, &n), *y = file_text(b, &m);
	int same;

	if (x && y && getenv("FAULTS_LOOSE")) {
		same = (n > 0) == (m > 0);
		free(x);
		free(y);
		return same;
	}
	if (x && y) {
		size_t before = strlen(x);

		times_mask(x);
		times_mask(y);
		if (before == n) { /* text: masked numbers may have other lengths */
			char *q = x;

			for (char *p = x; *p; p++)
				if (*p != '#')
					*q++ = *p;
			*q = 0;
			q = y;
			for (char *p = y; *p; p++)
				if (*p != '#')
					*q++ = *p;
			*q = 0;
			n = strlen(x);
			m = strlen(y);
		}
	}
	same = x && y && n == m && memcmp(x, y, n) == 0;
	same = same || (x && y && holds_same(a, b));
	free(x);
	free(y);
	return same;
}

/* Is all that is in folder a the same in b? Names what is not. */
static int same_tree(const char *a, const char *b, const char *but)
{
	DIR *d = opendir(a);
	struct dirent *e;
	char x[4096], y[4096];
	struct stat st;
	int same = 1;

	while (d && same && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    (but && !strcmp(e->d_name, but)))
			continue;
		snprintf(x, sizeof x, "%s/%s", a, e->d_name);
		snprintf(y, sizeof y, "%s/%s", b, e->d_name);
		same = lstat(x, &st) == 0 && S_ISDIR(st.st_mode) ? same_tree(x, y, NULL)
		                                                 : same_file(x, y);
		if (!same)
			printf("  differs: %s\n", x);
	}
	if (d)
		closedir(d);
	return same;
}

static void tree_empty(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;
	char x[4096];

	while (d && (e = readdir(d))) {
		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
			continue;
		snprintf(x, sizeof x, "%s/%s", path, e->d_name);
		if (unlink(x) < 0) {
			tree_empty(x);
			rmdir(x);
		}
	}
	if (d)
		closedir(d);
}

static int says(const char *path, const char *text)
{
	size_t n;
	char *all = file_text(path, &n);
	int yes = all && strstr(all, text);

	free(all);
	return yes;
}

/* Is each line of what it should say in what it said? Or does it say that memory lacks? */
static int says_all(const char *err, const char *ref_err)
{
	size_t n;
	char *all = file_text(err, &n), *wanted = file_text(ref_err, &n), *line, *rest = wanted;
	int yes = 1;

	if (all && wanted && !strstr(all, "memory"))
		while (yes && (line = strsep(&rest, "\n")))
			yes = strstr(all, line) != NULL;
	free(all);
	free(wanted);
	return yes;
}

/* Less than all may be there, and a message says so. */
static int is_told(const char *err)
{
	const char *loose = getenv("FAULTS_LOOSE");
	struct stat st;

	return loose && !strcmp(loose, "told") && stat(err, &st) == 0 && st.st_size > 0;
}

static int judge(long n, int status, const char *out, const char *ref)
{
	const char *why = NULL;
	char err[4096], ref_err[4096];
	struct stat st;
	int code = WEXITSTATUS(status), exact = kind >= SHORT;

	snprintf(err, sizeof err, "%s.err", out);
	snprintf(ref_err, sizeof ref_err, "%s.err", ref);
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
		why = "it did not end";
	else if (WIFSIGNALED(status))
		why = "ended by a signal";
	else if (code != 0 && exact)
		why = "failed";
	else if (code == 0 && !is_told(err) &&
	         (!same_tree(ref, out, NULL) || !same_tree(out, ref, NULL)))
		why = "exit code 0 with another output";
	else if (code == 0 && kind == ALLOC && !getenv("FAULTS_LOOSE") && !says_all(err, ref_err))
		why = "exit code 0 with less said";
	else if (code != 0 && (stat(err, &st) < 0 || st.st_size == 0))
		why = "no message";
	else if (code != 0 && !says(err, "can be read from it") &&
	         !same_tree(out, ref, "stdout")) /* it says that it is a part, or in another form */
		why = "something half written";
	else if (code != 0 && code != 3 && !(kind == OPEN && code == 2))
		why = "a limit of the computer is exit code 3";
	if (!why)
		return 0;
	printf("%s %ld: exit code %d: %s\n", kind_names[kind], n,
	       WIFSIGNALED(status) ? 128 + WTERMSIG(status) : code, why);
	fflush(stdout);
	snprintf(err, sizeof err, "cut -c 1-300 %s.err | head -30", out);
	unsetenv("LD_PRELOAD");
	if (system(err) < 0)
		printf("no shell\n");
	return 1;
}

static void child_begin(const char *out)
{
	char path[4096];
	int fd;

	snprintf(path, sizeof path, "%s/stdout", out);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDOUT_FILENO);
	close(fd);
	snprintf(path, sizeof path, "%s.err", out);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	dup2(fd, STDERR_FILENO);
	close(fd);
	unsetenv("LD_PRELOAD");
	alarm(SECONDS);
}

static void calls_write(void)
{
	const char *path = getenv("FAULTS_CALLS");
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	long *calls = called;

	called = NULL;
	for (int k = 1; k < KINDS; k++)
		dprintf(fd, "%s %ld\n", kind_names[k], calls[k]);
	close(fd);
}

/* Runs the command, in a child, with all its calls counted, those of its children with them. */
static void count(void)
{
	int status;
	pid_t pid;

	called = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid = fork_real();
	if (pid == 0) {
		unsetenv("LD_PRELOAD");
		return; /* to main */
	}
	syscall(SYS_wait4, pid, &status, 0, NULL);
	calls_write();
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

/* How often the command called what is to fail, by the file of a count; 0 if that is not known. */
static long calls_known(const char *wanted)
{
	const char *path = getenv("FAULTS_CALLS");
	FILE *f = path ? fopen(path, "r") : NULL;
	char name[16];
	long n, known = 0;

	while (f && fscanf(f, "%15s %ld", name, &n) == 2)
		if (!strcmp(name, wanted))
			known = n;
	if (f)
		fclose(f);
	return known;
}

__attribute__((constructor)) static void begin(void)
{
	const char *wanted = getenv("FAULTS_KIND"), *out = getenv("FAULTS_OUT"),
	           *ref = getenv("FAULTS_REF");
	long first = getenv("FAULTS_FIRST") ? atol(getenv("FAULTS_FIRST")) : 1,
	     most = getenv("FAULTS_MOST") ? atol(getenv("FAULTS_MOST")) : 50, n, wrong = 0, calls,
	     faults = 0;
	enum kind which = NONE;

	if (wanted && !strcmp(wanted, "count")) {
		count();
		return;
	}
	for (size_t k = 1; k < KINDS; k++)
		if (wanted && !strcmp(wanted, kind_names[k]))
			which = (enum kind)k;
	if (which == NONE || !out || !ref)
		return;
	calls = calls_known(wanted);
	reached = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (long i = first; i <= most; i++) {
		int status;
		pid_t pid;

		n = calls <= most || most < 2 ? i : 1 + (i - 1) * (calls - 1) / (most - 1);
		faults++;
		*reached = 0;
		fflush(stdout);
		pid = fork_real();
		if (pid == 0) {
			child_begin(out);
			left = n;
			kind = which;
			return; /* to main */
		}
		syscall(SYS_wait4, pid, &status, 0, NULL);
		kind = which;
		left = 0; /* for the names in messages only: nothing fails here */
		wrong += judge(n, status, out, ref);
		kind = NONE;
		tree_empty(out);
		if (!*reached)
			break;
	}
	printf("%ld faults\n", faults);
	fflush(stdout);
	_exit(wrong ? 1 : 0);
}
