/* library.c: see library.h. Thresholds are the libraries' defaults over TCP: Open MPI's
 * btl_tcp_eager_limit (ompi_info --param btl tcp, 4.1.4: 65536); MPICH 4 over libfabric's
 * tcp;ofi_rxm, FI_OFI_RXM_BUFFER_SIZE (fi_rxm(7): 16 KiB; UCX decides for itself, in that region);
 * MPICH before 4, MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE, 131072; Cray MPICH 8, FI_CXI_RDZV_THRESHOLD
 * (fi_cxi(7), 16384); Cray MPICH before, MPICH_GNI_MAX_EAGER_MSG_SIZE (intro_mpi(3), 8192). A
 * calibrated machine has its own.
 *
 * Libraries built on another one have algorithms of their own, which nothing here knows: they are
 * taken for that one, and the result says so. Spectrum MPI calls itself "Open MPI v3.1.0, package:
 * IBM Spectrum MPI". Of a library that is not here (HPE MPT, say) nothing is known: it is taken for
 * Open MPI 4.1, as SimGrid's linear algorithms (selector `default`) are what no library does. */
#include "library.h"

#include <stdio.h>
#include <string.h>

static const struct library {
	const char *title;
	int64_t from, to; /* version x.y as 100 x + y */
	const char *selector;
	double eager;
	const char *built_on; /* what it is taken for */
} libraries[] = {
    /* the decisions of 4.1 are those of 4.0 revised; before, they had been the same since 1.7 */
    {"Open MPI", 500, 999999, "ompi-5", 65536, NULL},
    {"Open MPI", 401, 499, "ompi-4", 65536, NULL},
    {"Open MPI", 0, 400, "ompi-1.7", 65536, NULL},
    {"CRAY MPICH", 800, 999999, "mpich-4", 16384, NULL},
    {"CRAY MPICH", 0, 799, "mpich", 8192, "MPICH 3"},
    {"MPICH", 400, 999999, "mpich-4", 16384, NULL},
    {"MPICH", 0, 399, "mpich", 131072, NULL},
    {"MVAPICH2", 0, 999999, "mvapich2", 17408, NULL},
    {"MVAPICH", 300, 999999, "mvapich2", 17408, "MVAPICH2"},
    {"Intel(R) MPI", 0, 999999, "impi", 262144, NULL},
    {"FUJITSU MPI", 0, 999999, "ompi-1.7", 65536, "Open MPI 4.0"},
};

#define UNKNOWN_AS "ompi-4"
#define UNKNOWN_NAME "Open MPI 4.1"

/* The first "x.y" in a text, as 100 x + y; 0: there is none. */
static int64_t version_of(const char *text)
{
	int64_t major, minor = 0;
	const char *s = text + strcspn(text, "0123456789");
	size_t n = strspn(s, "0123456789"), m;

	if (n == 0 || n > 4 || num_parse_i64(s, n, &major) < 0)
		return 0;
	m = s[n] == '.' ? strspn(s + n + 1, "0123456789") : 0;
	if (m > 0 && m < 3)
		num_parse_i64(s + n + 1, m, &minor);
	return 100 * major + (minor < 100 ? minor : 99);
}

static const struct library *library_find(const char *mpi)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		const struct library *l = &libraries[i];
		const char *at = strstr(mpi, l->title);
		int64_t version;

		if (!at || (at != mpi && at[-1] != ' '))
			continue;
		version = version_of(at + strlen(l->title));
		if (version >= l->from && version <= l->to && version)
			return l;
	}
	return NULL;
}

const char *library_selector(const char *mpi, double *eager)
{
	const struct library *l = library_find(mpi);

	if (!l)
		return NULL;
	*eager = l->eager;
	return l->selector;
}

int library_is_assumed(const char *mpi)
{
	const struct library *l = mpi ? library_find(mpi) : NULL;

	return !l || l->built_on;
}

/* A name as a text for others: one line, and not all that a library has to say. */
static int name_length(const char *mpi)
{
	size_t n = strcspn(mpi, "\n\r");

	return n < 80 ? (int)n : 80;
}

static int thresholds_set(double eager, struct config *cfg, struct err *err)
{
	char text[32];

	if (config_from(cfg, CFG_SMPI_EAGER) != CFG_FROM_DEFAULT ||
	    config_from(cfg, CFG_SMPI_DETACHED) != CFG_FROM_DEFAULT)
		return 0;
	snprintf(text, sizeof text, "%.0f", eager);
	if (config_set(cfg, "smpi/async-small-thresh", text, CFG_FROM_MODEL, err) < 0)
		return -1;
	return config_set(cfg, "smpi/send-is-detached-thresh", text, CFG_FROM_MODEL, err);
}

int library_apply(const char *mpi, const char *whose, struct config *cfg, struct str *why,
                  struct err *err)
{
	enum config_source from = config_from(cfg, CFG_SMPI_COLL_SELECTOR);
	int named = mpi && *mpi && *mpi != '?' && !config_compat(cfg);
	const struct library *l = named ? library_find(mpi) : NULL;
	const char *selector = l ? l->selector : named ? UNKNOWN_AS : NULL;

	if (l && thresholds_set(l->eager, cfg, err) < 0)
		return -1;
	if (from != CFG_FROM_DEFAULT)
		str_puts(why, from == CFG_FROM_USER ? "as asked for" : "as the machine says");
	else if (l)
		str_printf(why, "as the %s's %s%s%s", whose, mpi, l->built_on ? ", taken for " : "",
		           l->built_on ? l->built_on : "");
	else if (config_compat(cfg))
		str_puts(why, "as in SimGrid");
	else if (named)
		str_printf(why, "nothing is known of the %s's MPI library (%.*s): taken for %s",
		           whose, name_length(mpi), mpi, UNKNOWN_NAME);
	else
		str_printf(why, "the %s names no MPI library", whose);
	if (selector && from == CFG_FROM_DEFAULT)
		return config_set(cfg, "smpi/coll-selector", selector, CFG_FROM_MODEL, err);
	return 0;
}
