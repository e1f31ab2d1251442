/* live_own.c: what the C library keeps for a process is each rank's own, across calls of MPI in
 * which others run: states of random numbers, dates, texts, locale, blocked signals, tables,
 * handlers of quick_exit. */
#define _GNU_SOURCE
#include <locale.h>
#include <mpi.h>
#include <search.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank;
static volatile sig_atomic_t came;

static void on_signal(int number)
{
	came += number;
}

static void others_run(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void numbers(void)
{
	static char state[64];
	char *before = initstate(17 + (unsigned)rank, state, rank == 1 ? 8 : sizeof state);
	long first = random(), second;

	others_run();
	second = random();
	setstate(before);
	others_run();
	printf("rank %d: random %ld %ld %ld\n", rank, first, second, random());
}

static void texts(void)
{
	time_t when = 86400L * 365 * (rank + 1), late = when + 3600;
	struct tm *date;
	char *text, *error, *word, list[] = "a,b,c";
	const struct lconv *formats;

	setenv("TZ", rank == 1 ? "XYZ-5" : "UTC", 1);
	date = gmtime(&when);
	text = ctime(&late);
	error = strerror(4000 + rank);
	word = strtok(list, ",");
	formats = localeconv();
	others_run();
	printf("rank %d: %d %d, %.24s, %s, %s, %s, %s, %s\n", rank, date->tm_year, date->tm_hour,
	       text, error, word, strtok(NULL, ","), getenv("TZ"), formats->decimal_point);
	date = localtime(&when);
	others_run();
	printf("rank %d: %d, %.24s\n", rank, date->tm_hour, asctime(date));
}

static void locales(void)
{
	const char *now = setlocale(LC_ALL, NULL);

	printf("rank %d: at first %s\n", rank, now);
	if (rank != 2)
		setlocale(LC_CTYPE, rank ? "C.UTF-8" : "POSIX");
	others_run();
	printf("rank %d: %d %s", rank, (int)MB_CUR_MAX, setlocale(LC_ALL, NULL));
	printf(" %s\n", setlocale(LC_CTYPE, "no such locale") ? "?" : setlocale(LC_CTYPE, NULL));
	if (rank == 1) {
		locale_t c = newlocale(LC_ALL_MASK, "C", NULL), was = uselocale(c);

		others_run();
		printf("rank 1: in C %d,", (int)MB_CUR_MAX);
		uselocale(was);
		freelocale(c);
	} else {
		others_run();
		printf("rank %d:", rank);
	}
	printf(" then %d\n", (int)MB_CUR_MAX);
	setlocale(LC_ALL, "C");
}

static void signals(void)
{
	sigset_t set, old;
	int first, taken = 0;

	signal(SIGUSR1, on_signal);
	signal(SIGUSR2, on_signal);
	sigemptyset(&set);
	sigaddset(&set, rank == 1 ? SIGUSR1 : SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	others_run();
	raise(SIGUSR1);
	kill(getpid(), SIGUSR2);
	first = came;
	others_run();
	if (rank == 2)
		sigwait(&set, &taken);
	sigpending(&set);
	sigprocmask(SIG_SETMASK, &old, &old);
	printf("rank %d: %d then %d, pending %d %d, blocked %d %d, taken %d\n", rank, first,
	       (int)came, sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2),
	       sigismember(&old, SIGUSR1), sigismember(&old, SIGUSR2), taken);
}

static void tables(void)
{
	ENTRY item = {.key = "it", .data = &rank}, none = {.key = "none"}, *found;

	if (!hcreate(8))
		printf("rank %d: no table\n", rank);
	hsearch(item, ENTER);
	others_run();
	item.data = NULL;
	found = hsearch(item, FIND);
	printf("rank %d: finds %d, %d\n", rank, found ? *(int *)found->data : -1,
	       hsearch(none, FIND) != NULL);
	others_run();
	hdestroy();
}

static void first(void)
{
	printf("rank %d: the first handler is the last\n", rank);
	fflush(stdout);
}

static void second(void)
{
	printf("rank %d: the second is before\n", rank);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	numbers();
	texts();
	locales();
	signals();
	tables();
	at_quick_exit(first);
	if (rank)
		at_quick_exit(second);
	MPI_Finalize();
	quick_exit(0);
}
