/* live_exe.c: a program finds its own file, words and name by /proc, and the C library calls it by
 * its name, in what it says of a failed assertion. With an argument: rank 1's fails. Else rank 0
 * spawns the file that it found. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *last(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What is there to read: its last part, and whether its zero bytes are as many as the words. */
static void told(const char *path, int words)
{
	char text[PATH_MAX] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;

	for (size_t i = 0; i < n; i++)
		words -= !text[i];
	text[strcspn(text, "\n")] = 0;
	printf("%s: %s %d\n", last(path), last(text), words);
	if (f)
		fclose(f);
}

int main(int argc, char **argv)
{
	char linked[PATH_MAX], real[PATH_MAX], *canonical, magic[4] = "";
	MPI_Comm parent, child;
	struct stat by_name;
	FILE *f;
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_get_parent(&parent);
	ssize_t n = readlink("/proc/self/exe", linked, sizeof linked - 1);
	linked[n > 0 ? n : 0] = 0;
	canonical = canonicalize_file_name("/proc/self/exe");
	f = fopen("/proc/self/exe", "r");
	printf("%s %d: %s, %d %d %d %zu, %s\n", parent == MPI_COMM_NULL ? "rank" : "child", rank,
	       last(linked), linked[0] == '/',
	       realpath("/proc/self/exe", real) && strcmp(real, linked) == 0,
	       canonical && strcmp(canonical, linked) == 0,
	       f ? fread(magic, 1, sizeof magic, f) : 0, program_invocation_short_name);
	printf("%d %d\n", stat(linked, &by_name) == 0, memcmp(magic, "\177ELF", 4));
	told("/proc/self/cmdline", argc);
	told("/proc/self/comm", 0);
	free(canonical);
	if (f)
		fclose(f);
	assert(argc < 2 || rank != 1);
	if (parent == MPI_COMM_NULL) {
		MPI_Comm_spawn(linked, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &child,
		               MPI_ERRCODES_IGNORE);
		MPI_Comm_disconnect(&child);
	} else {
		MPI_Comm_disconnect(&parent);
	}
	MPI_Finalize();
	return 0;
}
