/* bound_deep.c: a program that is linked with no MPI: it loads a library of its own (bound.c),
 * which is, and whose names are looked up in what that one is linked with before all else
 * (RTLD_DEEPBIND). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *library = argc > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) : NULL;
	int (*sum)(void);

	if (!library) {
		fprintf(stderr, "%s\n", argc > 1 ? dlerror() : "no library");
		return 1;
	}
	*(void **)&sum = dlsym(library, "bound_sum");
	return sum ? sum() : 1;
}
