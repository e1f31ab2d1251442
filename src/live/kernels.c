/* kernels.c: reads the means of a file of `orrery calibrate kernel`. It is our own format: what is
 * looked for are the objects "mean" and their terms. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 5 };

static const char *const terms[TERMS] = {"\"mnk\":", "\"mn\":", "\"mk\":", "\"nk\":", "\"1\":"};

const char *live_kernel_names(void)
{
	return "sgemm_ dgemm_ cgemm_ zgemm_ strsm_ dtrsm_ ctrsm_ ztrsm_ strmm_ dtrmm_ ctrmm_ ztrmm_ "
	       "ssyrk_ dsyrk_ csyrk_ zsyrk_ sgemv_ dgemv_ cgemv_ zgemv_ sgetrf_ dgetrf_ cgetrf_ "
	       "zgetrf_ spotrf_ dpotrf_ cpotrf_ zpotrf_ dger_ sger_ daxpy_ saxpy_ dscal_ sscal_ "
	       "dcopy_ scopy_ dswap_ sswap_ cblas_dgemm cblas_sgemm cblas_dtrsm cblas_strsm "
	       "cblas_dgemv cblas_sgemv ";
}

static int is_known(const char *name, size_t n)
{
	const char *list = live_kernel_names();

	for (const char *p = list; *p; p += strcspn(p, " ") + 1)
		if (strcspn(p, " ") == n && strncmp(p, name, n) == 0)
			return 1;
	return 0;
}

/* "name()", "name(1,*2)": any function, and where its sizes are. */
static int names_arguments(const char *text, const char *eq)
{
	const char *open = memchr(text, '(', (size_t)(eq - text));

	if (!open || open == text || eq[-1] != ')')
		return 0;
	return strspn(open + 1, "0123456789*,") == (size_t)(eq - open) - 2;
}

/* "0.25," or "0.25}" */
static int term_add(const char *s, double *sum)
{
	size_t n = strcspn(s, ",}");
	double v;

	if (num_parse_double(s, n, &v) < 0)
		return -1;
	*sum += v;
	return 0;
}

/* The sum of the means of all hosts; how many there are, 0 if one cannot be read. */
static int means_add(const char *text, double sum[TERMS])
{
	int hosts = 0;

	while ((text = strstr(text, "\"mean\":"))) {
		const char *end = strchr(text, '}');

		if (!end)
			return 0;
		for (int t = 0; t < TERMS; t++) {
			const char *p = strstr(text, terms[t]);

			if (p && p < end && term_add(p + strlen(terms[t]), &sum[t]) < 0)
				return 0;
		}
		hosts++;
		text = end;
	}
	return hosts;
}

int live_kernel_read(const char *text, struct str *out, struct err *err)
{
	const char *eq = strchr(text, '=');
	double sum[TERMS] = {0};
	int hosts = 0;
	char *file;
	size_t n;

	if (!eq || !(is_known(text, (size_t)(eq - text)) || names_arguments(text, eq)))
		return err_set(
		    err, ERR_INPUT,
		    "run: --kernel %s: expected NAME=FILE, NAME one of: %s; or NAME(M,N,K)=FILE, the places of the function's "
		    "integer arguments (*1: of an address)",
		    text, live_kernel_names());
	if (num_parse_double(eq + 1, strlen(eq + 1), &sum[TERMS - 1]) == 0) {
		hosts = 1; /* a time */
	} else {
		file = input_read_all(eq + 1, &n, err);
		if (!file)
			return -1;
		hosts = input_is_text(eq + 1, file, n, err) == 0 ? means_add(file, sum) : -1;
		free(file);
	}
	if (hosts < 0)
		return -1;
	if (hosts == 0)
		return err_set(err, ERR_INPUT,
		               "%s: no model of a kernel, as 'orrery calibrate kernel' writes it",
		               eq + 1);
	str_printf(out, "%.*s=", (int)(eq - text), text);
	for (int t = 0; t < TERMS; t++)
		str_printf(out, "%.17g%s", sum[t] / hosts, t + 1 < TERMS ? "," : ";");
	return 0;
}
