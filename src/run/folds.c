/* folds.c: which allocations share memory (--fold-memory), as libmpi/guest/memory.c reads it. */
#include "run_int.h"

#include <stdio.h>
#include <string.h>

enum { LEAST = 4096 };

static int size_parse(const char *text, const char *size, uint64_t *bytes, struct err *err)
{
	double n;

	if (units_parse(size, UNIT_SIZE, &n, err) < 0)
		return -1;
	if (!(n >= LEAST && n <= 1e15))
		return err_set(
		    err, ERR_INPUT,
		    "run: --fold-memory %s: a size is at least %d bytes: 64MiB, FUNCTION=1MiB",
		    text, LEAST);
	*bytes = (uint64_t)n;
	return 0;
}

static int fold_read(const char *text, uint64_t *from, struct str *functions, struct err *err)
{
	const char *eq = strchr(text, '=');
	uint64_t bytes = 0;

	if (eq == text || (eq && strchr(text, ';')))
		return err_set(err, ERR_INPUT,
		               "run: --fold-memory %s: expected SIZE or FUNCTION=SIZE", text);
	if (size_parse(text, eq ? eq + 1 : text, &bytes, err) < 0)
		return -1;
	if (eq)
		str_printf(functions, "%.*s=%llu;", (int)(eq - text), text,
		           (unsigned long long)bytes);
	else
		*from = bytes;
	return 0;
}

/* That none are reserved is said here; that they do not suffice cannot be known before. */
static int huge_check(struct err *err)
{
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	static const char key[] = "HugePages_Free:";
	int64_t n = 0;

	while (f && fgets(line, sizeof line, f))
		if (strncmp(line, key, sizeof key - 1) == 0)
			num_take_digits(line + sizeof key - 1 + strspn(line + sizeof key - 1, " "),
			                &n);
	if (f)
		fclose(f);
	return n > 0 ? 0
	             : err_set(err, ERR_LIMIT,
	                       "run: --huge-pages: this computer has none free: sysctl "
	                       "vm.nr_hugepages=N reserves N of them, one for an allocation");
}

int folds_read(const struct run_plan *plan, uint64_t *from, struct str *functions, struct err *err)
{
	*from = 0;
	for (uint32_t i = 0; i < plan->n_folds; i++)
		if (fold_read(plan->fold[i], from, functions, err) < 0)
			return -1;
	if (functions->failed)
		return err_nomem(err, "functions of --fold-memory", functions->n);
	return plan->huge_pages ? huge_check(err) : 0;
}
