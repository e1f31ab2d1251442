/* live_faults.c: ranks with handlers of their own for faults, each at its own places: "good", or
 * what is not as POSIX has it. What ends a rank is the second one's. */
#include <fenv.h>
#include <mpi.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int rank, bad;
static sigjmp_buf place;
static volatile sig_atomic_t came;
static volatile int *page;
static volatile double zero;
static char alternative[1 << 16];

static void is(int found, int wanted, const char *what)
{
	if (found == wanted)
		return;
	bad = 1;
	printf("rank %d: %s: %d, not %d\n", rank, what, found, wanted);
}

static int blocked(int number)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, number);
}

static void jumps(int number)
{
	came += blocked(number) ? 1 : 1000;
	siglongjmp(place, number);
}

static void fault(void)
{
	*(volatile int *)8 = 1;
}

static int fill(volatile char *above)
{
	volatile char here[1 << 16];

	here[0] = above ? above[0] : 1;
	return fill(here) + here[0];
}

static void jump(void)
{
	signal(SIGSEGV, jumps);
	for (volatile int i = 0; i <= rank; i++)
		if (sigsetjmp(place, 1) == 0)
			fault();
	is(came, rank + 1, "faults that were left");
	is(blocked(SIGSEGV), 0, "blocked after siglongjmp");
	MPI_Barrier(MPI_COMM_WORLD);
	if (sigsetjmp(place, 0) == 0)
		fault();
	is(blocked(SIGSEGV), 1, "blocked after longjmp without a mask");
}

static void mends(int number, siginfo_t *info, void *context)
{
	(void)context;
	came += info->si_addr == (void *)(uintptr_t)page && info->si_code == SEGV_ACCERR &&
	        info->si_signo == number;
	mprotect((void *)(uintptr_t)page, 1, PROT_READ | PROT_WRITE);
}

static void mend(void)
{
	struct sigaction act = {.sa_sigaction = mends, .sa_flags = SA_SIGINFO};

	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sigaction(SIGSEGV, &act, NULL);
	*page = rank + 5;
	is(*page, rank + 5, "what was written again");
	is(came, 1, "faults with their address");
}

/* Not what a handler may do, but handlers that tell others do it. */
static void talks(int number)
{
	int sum = 0;

	came = number;
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	is(sum, 3, "sum in a handler");
	mprotect((void *)(uintptr_t)page, 1, PROT_READ | PROT_WRITE);
}

static void talk(void)
{
	int keeps = rank * 7;

	page = mmap(NULL, 1, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	signal(SIGSEGV, talks);
	for (int i = 0; i < 3; i++) {
		mprotect((void *)(uintptr_t)page, 1, PROT_NONE);
		*page = rank + i;
		is(*page, rank + i, "what was written again");
	}
	is(came, SIGSEGV, "signal");
	is(keeps, rank * 7, "a variable");
}

/* Each has enabled what it has; a handler begins without. */
static void number(void)
{
	signal(SIGFPE, jumps);
	if (rank == 1)
		feenableexcept(FE_DIVBYZERO);
	MPI_Barrier(MPI_COMM_WORLD);
	is(fegetexcept(), rank == 1 ? FE_DIVBYZERO : 0, "exceptions");
	if (sigsetjmp(place, 1) == 0)
		zero = 1 / zero;
	is(came, rank == 1, "divisions that were told of");
}

static void stack(void)
{
	stack_t mine = {.ss_sp = alternative, .ss_size = sizeof alternative}, now;
	struct sigaction act = {.sa_handler = jumps, .sa_flags = SA_ONSTACK};

	sigaltstack(&mine, NULL);
	MPI_Barrier(MPI_COMM_WORLD);
	sigaltstack(NULL, &now);
	is(now.ss_sp == alternative, 1, "it has its stack");
	is((int)now.ss_size, sizeof alternative, "bytes of it");
	sigaction(SIGSEGV, &act, NULL);
	for (volatile int i = 0; i < 2; i++)
		if (sigsetjmp(place, 1) == 0)
			fill(NULL);
	is(came, 2, "overflows that were left");
}

static void tells(int number)
{
	static const char text[] = "its handler\n";

	if (write(STDOUT_FILENO, text, sizeof text - 1) > 0)
		signal(number, SIG_DFL);
	raise(number);
}

static void aborts(int number)
{
	MPI_Abort(MPI_COMM_WORLD, 30 + number);
}

static void ends(const char *how)
{
	sigset_t faults;

	signal(SIGSEGV, !strcmp(how, "exit")      ? _exit
	                : !strcmp(how, "abort")   ? aborts
	                : !strcmp(how, "ignored") ? SIG_IGN
	                                          : tells);
	sigemptyset(&faults);
	sigaddset(&faults, SIGSEGV);
	if (!strcmp(how, "blocked"))
		sigprocmask(SIG_BLOCK, &faults, NULL);
	if (!strcmp(how, "full"))
		fill(NULL);
	fault();
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!strcmp(how, "jump"))
		jump();
	else if (!strcmp(how, "mend"))
		mend();
	else if (!strcmp(how, "talk"))
		talk();
	else if (!strcmp(how, "number"))
		number();
	else if (!strcmp(how, "stack"))
		stack();
	else if (rank == 1)
		ends(how);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!bad)
		printf("rank %d: good\n", rank);
	MPI_Finalize();
	return bad;
}
