/* corpus_main.c: runs a fuzz target over the files of the folders given, in the order of their
 * names. None may take much memory: a small file may not claim more than it could stand for. */
#include "fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

enum { MEMORY_MOST_KIB = 400 << 10 };

/* The sanitizers keep what was freed, and their shadow counts. */
#if defined __SANITIZE_ADDRESS__
static int memory_check(const char *path)
{
	(void)path;
	return 0;
}
#else
static int memory_check(const char *path)
{
	struct rusage used;

	if (getrusage(RUSAGE_SELF, &used) < 0 || used.ru_maxrss <= MEMORY_MOST_KIB)
		return 0;
	printf("%s: takes %ld MiB\n", path, used.ru_maxrss >> 10);
	return -1;
}
#endif

static int run_file(const char *dir, const char *name)
{
	char path[4096];
	uint8_t *data = NULL;
	size_t n = 0;
	FILE *f;
	int r;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "rb");
	if (!f) {
		perror(path);
		return -1;
	}
	if (fseek(f, 0, SEEK_END) == 0 && ftell(f) >= 0)
		n = (size_t)ftell(f);
	rewind(f);
	data = malloc(n + 1);
	if (data && fread(data, 1, n, f) == n)
		LLVMFuzzerTestOneInput(data, n);
	r = memory_check(path);
	free(data);
	fclose(f);
	return r;
}

static int run_folder(const char *dir)
{
	struct dirent **names;
	int i, n = scandir(dir, &names, NULL, alphasort), files = 0, failed = 0;

	if (n < 0) {
		perror(dir);
		return -1;
	}
	for (i = 0; i < n; i++) {
		if (names[i]->d_name[0] != '.') {
			files++;
			failed |= run_file(dir, names[i]->d_name);
		}
		free(names[i]);
	}
	free(names);
	printf("%s: %d inputs\n", dir, files);
	return files > 0 ? failed : -1; /* an empty corpus tests nothing */
}

int main(int argc, char **argv)
{
	int i, failed = 0;

	for (i = 1; i < argc; i++)
		failed |= run_folder(argv[i]);
	return failed ? 1 : 0;
}
