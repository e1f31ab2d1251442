/* numbered.c: traces of a file per rank, whose names have the rank's number. */
#include "foreign.h"
#include "trace/text/scan.h"

struct numbered { /* <prefix><number><suffix>, the number `least` or more */
	const char *prefix, *suffix;
	int64_t least;
	int64_t first; /* the least that there is, or -1 */
};

static int64_t number_of(const char *name, const struct numbered *of)
{
	size_t n = strlen(of->prefix);
	const char *end;
	int64_t number;

	if (strncmp(name, of->prefix, n) != 0)
		return -1;
	end = digits_scan(name + n, &number);
	return end && strcmp(end, of->suffix) == 0 && number >= of->least ? number : -1;
}

static int is_numbered(const char *name, const void *how)
{
	return number_of(name, how) >= 0;
}

static int numbered_found(void *self, const char *file)
{
	struct numbered *of = self;
	const char *slash = strrchr(file, '/');
	int64_t number = number_of(slash ? slash + 1 : file, of);

	if (of->first < 0 || number < of->first)
		of->first = number;
	return 0;
}

int foreign_numbered_check(const struct foreign *f, const char *folder, const char *prefix,
                           const char *suffix, struct err *err)
{
	struct numbered of = {.prefix = prefix, .suffix = suffix, .least = f->ranks, .first = -1};

	if (folder_files_like(folder, is_numbered, &of, numbered_found, &of, err) < 0)
		return -1;
	return of.first < 0
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s: the file of rank %u is missing (there is one of rank %lld)",
	                     f->path, f->ranks, (long long)of.first);
}
