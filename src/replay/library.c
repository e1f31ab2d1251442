/* library.c: see library.h. Thresholds are the libraries' defaults over TCP: Open MPI's
 * btl_tcp_eager_limit (ompi_info --param btl tcp, 4.1.4: 65536); MPICH 4 over libfabric's
 * tcp;ofi_rxm, FI_OFI_RXM_BUFFER_SIZE (fi_rxm(7): 16 KiB; UCX decides for itself, in that region);
 * MPICH before 4, MPIR_CVAR_CH3_EAGER_MAX_MSG_SIZE, 131072; Cray MPICH 8, FI_CXI_RDZV_THRESHOLD
 * (fi_cxi(7), 16384). A calibrated machine has its own. */
#include "library.h"

#include <stdio.h>
#include <string.h>

static const struct library {
	const char *title;
	int64_t from, to; /* version x.y as 100 x + y */
	const char *selector;
	double eager;
} libraries[] = {
    /* the decisions of 4.1 are those of 4.0 revised; before, they had been the same since 1.7 */
    {"Open MPI", 500, 999999, "ompi-5", 65536}, {"Open MPI", 401, 499, "ompi-4", 65536},
    {"Open MPI", 0, 400, "ompi-1.7", 65536},    {"CRAY MPICH", 800, 999999, "mpich-4", 16384},
    {"MPICH", 400, 999999, "mpich-4", 16384},   {"MPICH", 0, 399, "mpich", 131072},
    {"MVAPICH2", 0, 999999, "mvapich2", 17408}, {"Intel(R) MPI", 0, 999999, "impi", 262144},
};

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

const char *library_selector(const char *mpi, double *eager)
{
	for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
		const struct library *l = &libraries[i];
		const char *at = strstr(mpi, l->title);
		int64_t version;

		if (!at || (at != mpi && at[-1] != ' '))
			continue;
		version = version_of(at + strlen(l->title));
		if (version < l->from || version > l->to || !version)
			continue;
		*eager = l->eager;
		return l->selector;
	}
	return NULL;
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
	double eager = 0;
	const char *selector = mpi && !config_compat(cfg) ? library_selector(mpi, &eager) : NULL;

	if (selector && thresholds_set(eager, cfg, err) < 0)
		return -1;
	if (from != CFG_FROM_DEFAULT)
		str_puts(why, from == CFG_FROM_USER ? "as asked for" : "as the machine says");
	else if (selector)
		str_printf(why, "as the %s's %s", whose, mpi);
	else if (config_compat(cfg))
		str_puts(why, "as in SimGrid");
	else if (mpi && *mpi && *mpi != '?')
		str_printf(why, "nothing is known of the %s's MPI library", whose);
	else
		str_printf(why, "the %s names no MPI library", whose);
	if (selector && from == CFG_FROM_DEFAULT)
		return config_set(cfg, "smpi/coll-selector", selector, CFG_FROM_MODEL, err);
	return 0;
}
