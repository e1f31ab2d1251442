/* kernels.c: reads files of `orrery calibrate kernel`. It is our own format: what is looked for are
 * the names of hosts, the objects "mean" and "deviation" behind each, and their terms. */
#include "kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TERMS = 5 };

static const char *const terms[TERMS] = {"\"mnk\":", "\"mn\":", "\"mk\":", "\"nk\":", "\"1\":"};

/* The functions that can be given, separated by blanks. */
static const char *live_kernel_names(void)
{
	return "sgemm_ dgemm_ cgemm_ zgemm_ strsm_ dtrsm_ ctrsm_ ztrsm_ strmm_ dtrmm_ ctrmm_ "
	       "ztrmm_ ssyrk_ dsyrk_ csyrk_ zsyrk_ sgemv_ dgemv_ cgemv_ zgemv_ sgetrf_ dgetrf_ "
	       "cgetrf_ zgetrf_ spotrf_ dpotrf_ cpotrf_ zpotrf_ dger_ sger_ daxpy_ saxpy_ dscal_ "
	       "sscal_ dcopy_ scopy_ dswap_ sswap_ cblas_dgemm cblas_sgemm cblas_dtrsm "
	       "cblas_strsm cblas_dgemv cblas_sgemv ";
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

struct model { /* of one host of a file */
	char host[128];
	double mean[TERMS], deviation[TERMS];
};
struct kernel {
	char *name; /* and the places of its sizes */
	struct model *model;
	uint32_t n, cap;
};
struct live_kernels {
	struct kernel *kernel;
	uint32_t n, cap;
};

/* The terms of the object at `text`, which ends before `end`. "0.25," or "0.25}" */
static int terms_read(const char *text, const char *end, double out[TERMS])
{
	const char *close = strchr(text, '}');

	if (!close || close > end)
		return -1;
	for (int t = 0; t < TERMS; t++) {
		const char *p = strstr(text, terms[t]);

		if (!p || p > close)
			continue;
		p += strlen(terms[t]);
		if (num_parse_double(p, strcspn(p, ",}"), &out[t]) < 0)
			return -1;
	}
	return 0;
}

/* What follows a "host":, up to the next one. */
static int model_read(const char *text, const char *end, struct model *m)
{
	const char *name = strchr(text, '"'), *mean = strstr(text, "\"mean\":"),
	           *deviation = strstr(text, "\"deviation\":");
	size_t n = name && name < end ? strcspn(name + 1, "\"") : sizeof m->host;

	if (n >= sizeof m->host || !mean || mean > end)
		return -1;
	memcpy(m->host, name + 1, n);
	if (terms_read(mean, end, m->mean) < 0)
		return -1;
	return deviation && deviation < end ? terms_read(deviation, end, m->deviation) : 0;
}

static int model_add(struct kernel *k, const struct model *m, struct err *err)
{
	struct model *p = vec_grow(k->model, &k->cap, sizeof *p, (size_t)k->n + 1,
	                           "models of a kernel", err);

	if (!p)
		return -1;
	k->model = p;
	p[k->n++] = *m;
	return 0;
}

static int models_read(struct kernel *k, const char *path, const char *text, struct err *err)
{
	static const char key[] = "\"host\":";
	const char *end;

	for (text = strstr(text, key); text; text = *end ? end : NULL) {
		struct model m = {0};

		text += sizeof key - 1;
		end = strstr(text, key);
		end = end ? end : text + strlen(text);
		if (model_read(text, end, &m) < 0)
			break;
		if (model_add(k, &m, err) < 0)
			return -1;
	}
	return k->n > 0 && !text
	           ? 0
	           : err_set(err, ERR_INPUT,
	                     "%s: no model of a kernel, as 'orrery calibrate kernel' writes it",
	                     path);
}

/* A file, or a time. */
static int model_find(struct kernel *k, const char *text, struct err *err)
{
	struct model m = {0};
	char *file;
	size_t n;
	int rc;

	if (num_parse_double(text, strlen(text), &m.mean[TERMS - 1]) == 0)
		return m.mean[TERMS - 1] >= 0 && isfinite(m.mean[TERMS - 1])
		           ? model_add(k, &m, err)
		           : err_set(err, ERR_INPUT,
		                     "run: --kernel %s=%s: expected a time in seconds, not "
		                     "negative, or a file",
		                     k->name, text);
	file = input_read_all(text, &n, err);
	if (!file)
		return -1;
	rc = input_is_text(text, file, n, err) == 0 ? models_read(k, text, file, err) : -1;
	free(file);
	return rc;
}

static struct kernel *kernel_new(struct live_kernels **kernels, const char *name, size_t n,
                                 struct err *err)
{
	struct live_kernels *k = *kernels ? *kernels : calloc(1, sizeof *k);
	struct kernel *p;

	if (!k)
		goto nomem;
	*kernels = k;
	p = vec_grow(k->kernel, &k->cap, sizeof *p, (size_t)k->n + 1, "models of kernels", err);
	if (!p)
		return NULL;
	k->kernel = p;
	p += k->n;
	*p = (struct kernel){.name = malloc(n + 1)};
	if (!p->name)
		goto nomem;
	snprintf(p->name, n + 1, "%s", name);
	k->n++;
	return p;
nomem:
	err_nomem(err, "models of kernels", n);
	return NULL;
}

int live_kernels_add(struct live_kernels **kernels, const char *text, struct err *err)
{
	const char *eq = strchr(text, '=');
	struct kernel *k;

	if (!eq || !(is_known(text, (size_t)(eq - text)) || names_arguments(text, eq)))
		return err_set(
		    err, ERR_INPUT,
		    "run: --kernel %s: expected NAME=FILE, NAME one of: %s; or NAME(M,N,K)=FILE, "
		    "the places of the function's integer arguments (*1: of an address)",
		    text, live_kernel_names());
	k = kernel_new(kernels, text, (size_t)(eq - text), err);
	return k ? model_find(k, eq + 1, err) : -1;
}

int live_kernels_hide(const struct live_kernels *k, const char *name)
{
	for (uint32_t i = 0; k && i < k->n; i++)
		if (strcmp(k->kernel[i].name, name) == 0)
			return 0;
	return is_known(name, strlen(name));
}

/* Is the model's host this one? "node", "node/1"; "node" of "node.site.org". */
static int is_of(const char *model, const char *host)
{
	size_t n = strcspn(model, "/");

	return n > 0 && strncmp(model, host, n) == 0 && (!host[n] || host[n] == '.');
}

static void terms_text(const double *sum, uint32_t n, struct str *out)
{
	for (int t = 0; t < TERMS; t++)
		str_printf(out, "%s%.17g", t ? "," : "", sum[t] / n);
}

static void kernel_text(const struct kernel *k, const char *host, uint64_t seed, struct str *out)
{
	double mean[TERMS] = {0}, deviation[TERMS] = {0}, noise = 0;
	uint32_t own = 0, n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		own += is_of(k->model[i].host, host) != 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if (own && !is_of(k->model[i].host, host))
			continue;
		n++;
		for (int t = 0; t < TERMS; t++) {
			mean[t] += k->model[i].mean[t];
			deviation[t] += k->model[i].deviation[t];
			noise += k->model[i].deviation[t] != 0;
		}
	}
	str_printf(out, "%s=", k->name);
	terms_text(mean, n, out);
	if (seed && noise > 0) {
		str_puts(out, ":");
		terms_text(deviation, n, out);
		str_printf(out, "#%llu", (unsigned long long)seed);
	}
	str_puts(out, ";");
}

void live_kernels_text(const struct live_kernels *k, const char *host, uint64_t seed,
                       struct str *out)
{
	for (uint32_t i = 0; k && i < k->n; i++)
		kernel_text(&k->kernel[i], host, seed, out);
}

void live_kernels_free(struct live_kernels *k)
{
	for (uint32_t i = 0; k && i < k->n; i++) {
		free(k->kernel[i].name);
		free(k->kernel[i].model);
	}
	if (k)
		free(k->kernel);
	free(k);
}
