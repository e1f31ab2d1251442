/* tune_mpich.c: MPICH's JSON tuning file (mp/coll_rules_mpich.c tells the format). MPICH takes the
 * file for all that it runs, so that what is not tuned, other kinds of communicators and
 * non-blocking operations are in it too, as MPICH itself decides them
 * (maint/tuning/coll/mpir/generic.json). */
#include "tune_int.h"

#include "coll/rules/numbers.h"

#include <stdio.h>
#include <string.h>

/* Names that came between 4.0 and 4.3, and one that went. */
static int name_fits(const char *name, int new_names)
{
	static const char *const later[] = {"k_brucks",
	                                    "recexch",
	                                    "k_reduce_scatter",
	                                    "recursive_multiplying",
	                                    "Allreduce_intra_ring",
	                                    "_tree",
	                                    "k_dissemination"};
	if (strcmp(name, "Barrier_intra_dissemination") == 0)
		return !new_names;
	for (size_t i = 0; i < sizeof later / sizeof *later; i++)
		if (strstr(name, later[i]))
			return new_names;
	return 1;
}

static int is_vector(enum coll_kind k)
{
	return k == COLL_GATHERV || k == COLL_SCATTERV || k == COLL_ALLTOALLV ||
	       k == COLL_ALLTOALLW;
}

uint32_t candidates_mpich(enum coll_kind k, int new_names, struct coll_choice *out)
{
	static const uint32_t radices[] = {2, 4, 8};
	enum coll_kind of = k == COLL_REDUCE_SCATTER_BLOCK ? COLL_REDUCE_SCATTER : k;
	const char *name, *par;
	uint32_t n = 0;
	for (const struct coll_alg *const *alg = coll_algs;
	     *alg && k <= COLL_EXSCAN && !is_vector(k); alg++) {
		/* Those of two levels choose their parts by the same file, for communicators inside
		 * and between hosts. */
		if ((*alg)->kind != of || !(name = coll_mpich_name(*alg, &par)) ||
		    !name_fits(name, new_names))
			continue;
		int has_k = *par != '\0';
		for (uint32_t i = 0; i < (has_k ? 3 : 1) && n < CANDIDATES_MAX; i++)
			out[n++] = (struct coll_choice){.alg = *alg,
			                                .fanout = has_k ? radices[i] : 0};
	}
	return n;
}

/* --- what is not tuned --- */

#define ALG(name) "{\"algorithm=MPIR_" name "\":{}}"
struct untuned {
	const char *collective, *intra, *inter; /* inter NULL: intra is for both */
};
/* clang-format off */
static const struct untuned untuned[] = {
    {"bcast",
     "{\"comm_size<8\":" ALG("Bcast_intra_binomial") ",\"avg_msg_size<=12288\":" ALG(
         "Bcast_intra_binomial") ",\"comm_size=pow2\":{"
                                 "\"avg_msg_size<=524288\":" ALG(
                                     "Bcast_intra_scatter_recursive_doubling_allgather") ",\"avg_msg_"
                                                                                         "size="
                                                                                         "any\":" ALG(
                                                                                             "Bcast_"
                                                                                             "intra_"
                                                                                             "scatter_"
                                                                                             "ring_"
                                                                                             "allgathe"
                                                                                             "r") "},"
                                                                                                  "\"co"
                                                                                                  "mm_"
                                                                                                  "size"
                                                                                                  "=any"
                                                                                                  "\""
                                                                                                  ":" ALG("Bcast_intra_scatter_"
                                                                                                          "ring_allgather") "}",
     ALG("Bcast_inter_remote_send_local_bcast")},
    {"allreduce",
     "{\"avg_msg_size<=8\":" ALG("Allreduce_intra_recursive_doubling") ",\"avg_msg_size=any\":{\"is_op_built_in=no\":" ALG(
         "Allreduce_intra_recursive_doubling") ",\"is_op_built_in=yes\":{\"count<pow2\":" ALG("Allreduce_intra_recursive_doubling") ",\"count=any\":" ALG("Allreduce_intra_reduce_scatter_allgather") "}}}",
     ALG("Allreduce_inter_reduce_exchange_bcast")},
    {"reduce",
     "{\"avg_msg_size<=2048\":" ALG("Reduce_intra_binomial") ",\"avg_msg_size=any\":{\"is_op_built_in=no\":" ALG(
         "Reduce_intra_binomial") ",\"is_op_built_in=yes\":{\"count<pow2\":" ALG("Reduce_intra_binomial") ",\"count=any\":" ALG("Re"
                                                                                                                                "du"
                                                                                                                                "ce"
                                                                                                                                "_i"
                                                                                                                                "nt"
                                                                                                                                "ra"
                                                                                                                                "_r"
                                                                                                                                "ed"
                                                                                                                                "uc"
                                                                                                                                "e_"
                                                                                                                                "sc"
                                                                                                                                "at"
                                                                                                                                "te"
                                                                                                                                "r_"
                                                                                                                                "ga"
                                                                                                                                "th"
                                                                                                                                "e"
                                                                                                                                "r") "}}}",
     ALG("Reduce_inter_local_reduce_remote_send")},
    {"allgather",
     "{\"comm_size=pow2\":{\"total_msg_size<524288\":" ALG("Allgather_intra_recursive_doubling") ",\"total_msg_size=any\":" ALG(
         "Allgather_intra_ring") "},\"comm_size=any\":{\"total_msg_size<81920\":" ALG("Allgather_intra_brucks") ",\"total_msg_size="
                                                                                                                "any\":" ALG(
                                                                                                                    "Allga"
                                                                                                                    "ther_"
                                                                                                                    "intra"
                                                                                                                    "_rin"
                                                                                                                    "g") "}}",
     ALG("Allgather_inter_local_gather_remote_bcast")},
    {"allgatherv",
     "{\"comm_size=pow2\":{\"total_msg_size<524288\":" ALG("Allgatherv_intra_recursive_doubling") ",\"total_msg_size=any\":" ALG(
         "Allgatherv_intra_ring") "},\"comm_size=any\":{\"total_msg_size<81920\":" ALG("Allgatherv_intra_brucks") ",\"total_msg_"
                                                                                                                  "size=any\":" ALG(
                                                                                                                      "Allgatherv_"
                                                                                                                      "intra_ring") "}}",
     ALG("Allgatherv_inter_remote_gather_local_bcast")},
    {"reduce_scatter",
     "{\"is_commutative=yes\":{\"total_msg_size<524288\":" ALG(
         "Reduce_scatter_intra_recursive_halving") ",\"total_msg_size=any\":" ALG("Reduce_scatter_intra_pairwise") "},\"is_"
                                                                                                                   "commutative="
                                                                                                                   "no\":" ALG(
                                                                                                                       "Red"
                                                                                                                       "uce"
                                                                                                                       "_sc"
                                                                                                                       "att"
                                                                                                                       "er_"
                                                                                                                       "int"
                                                                                                                       "ra_"
                                                                                                                       "rec"
                                                                                                                       "urs"
                                                                                                                       "ive"
                                                                                                                       "_do"
                                                                                                                       "ubl"
                                                                                                                       "in"
                                                                                                                       "g") "}",
     ALG("Reduce_scatter_inter_remote_reduce_local_scatter")},
    {"reduce_scatter_block",
     "{\"is_commutative=yes\":{\"total_msg_size<524288\":" ALG(
         "Reduce_scatter_block_intra_recursive_halving") ",\"total_msg_size="
                                                         "any\":" ALG("Reduce"
                                                                      "_scatt"
                                                                      "er_"
                                                                      "block_"
                                                                      "intra_"
                                                                      "pairwi"
                                                                      "se") "},\"is_commutative=no\":" ALG("Reduce_scatter_"
                                                                                                           "block_intra_"
                                                                                                           "recursive_"
                                                                                                           "doubling") "}",
     ALG("Reduce_scatter_block_inter_remote_reduce_local_scatter")},
    {"gather", ALG("Gather_intra_binomial"), ALG("Gather_inter_linear")},
    {"scatter", ALG("Scatter_intra_binomial"), ALG("Scatter_inter_linear")},
    {"gatherv", ALG("Gatherv_allcomm_linear"), NULL},
    {"scatterv", ALG("Scatterv_allcomm_linear"), NULL},
    {"scan", ALG("Scan_intra_recursive_doubling"), NULL},
    {"exscan", ALG("Exscan_intra_recursive_doubling"), NULL},
    {"barrier", "", ALG("Barrier_inter_bcast")}, /* by version */
    {"alltoall",
     "{\"is_sendbuf_inplace=yes\":" ALG(
         "Alltoall_intra_pairwise_sendrecv_replace") ",\"is_sendbuf_inplace=no\":{\"comm_size<8\":{"
                                                     "\"avg_msg_size<=32768\":" ALG(
                                                         "Alltoall_intra_scattered") ",\"avg_msg_size="
                                                                                     "any\":" ALG(
                                                                                         "Allto"
                                                                                         "all_"
                                                                                         "intra"
                                                                                         "_pair"
                                                                                         "wise") "},\"avg_msg_size<="
                                                                                                 "256\":" ALG(
                                                                                                     "Alltoall_"
                                                                                                     "intra_"
                                                                                                     "brucks") ","
                                                                                                               "\"avg_msg_size<="
                                                                                                               "32768\":" ALG(
                                                                                                                   "Alltoall_"
                                                                                                                   "intra_"
                                                                                                                   "scattered") ","
                                                                                                                                "\""
                                                                                                                                "av"
                                                                                                                                "g_"
                                                                                                                                "ms"
                                                                                                                                "g_"
                                                                                                                                "si"
                                                                                                                                "ze"
                                                                                                                                "=a"
                                                                                                                                "ny"
                                                                                                                                "\""
                                                                                                                                ":" ALG(
                                                                                                                                    "Alltoall_intra_pairwise") "}}",
     ALG("Alltoall_inter_pairwise_exchange")},
    {"alltoallv",
     "{\"is_sendbuf_inplace=yes\":" ALG("Alltoallv_intra_pairwise_sendrecv_replace") ",\"is_sendbuf_inplace=no\":" ALG(
         "Alltoallv_intra_scattered") "}",
     ALG("Alltoallv_inter_pairwise_exchange")},
    {"alltoallw",
     "{\"is_sendbuf_inplace=yes\":" ALG("Alltoallw_intra_pairwise_sendrecv_replace") ",\"is_sendbuf_inplace=no\":" ALG(
         "Alltoallw_intra_scattered") "}",
     ALG("Alltoallw_inter_pairwise_exchange")},
    {"neighbor_allgather", ALG("Neighbor_allgather_allcomm_nb"), NULL},
    {"neighbor_allgatherv", ALG("Neighbor_allgatherv_allcomm_nb"), NULL},
    {"neighbor_alltoall", ALG("Neighbor_alltoall_allcomm_nb"), NULL},
    {"neighbor_alltoallv", ALG("Neighbor_alltoallv_allcomm_nb"), NULL},
    {"neighbor_alltoallw", ALG("Neighbor_alltoallw_allcomm_nb"), NULL},
    {"ibarrier", ALG("Ibarrier_intra_sched_recursive_doubling"), ALG("Ibarrier_inter_sched_bcast")},
    {"ibcast",
     "{\"comm_size<8\":" ALG("Ibcast_intra_sched_binomial") ",\"avg_msg_size<12288\":" ALG(
         "Ibcast_intra_sched_binomial") ",\"avg_msg_size=any\":" ALG("Ibcast_intra_sched_scatter_ring_allgather") "}",
     ALG("Ibcast_inter_sched_flat")},
    {"iallreduce",
     "{\"avg_msg_size<=2048\":" ALG(
         "Iallreduce_intra_sched_recursive_doubling") ",\"avg_msg_size=any\":{\"is_op_built_in="
                                                      "no\":" ALG("Iallreduce_intra_sched_recursive_"
                                                                  "doubling") ",\"is_op_built_in=yes\":{"
                                                                              "\"count<pow2\":" ALG("Iallreduce_intra_"
                                                                                                    "sched_recursive_"
                                                                                                    "doubling") ",\"count="
                                                                                                                "any\""
                                                                                                                ":" ALG("I"
                                                                                                                        "a"
                                                                                                                        "l"
                                                                                                                        "l"
                                                                                                                        "r"
                                                                                                                        "e"
                                                                                                                        "d"
                                                                                                                        "u"
                                                                                                                        "c"
                                                                                                                        "e"
                                                                                                                        "_"
                                                                                                                        "i"
                                                                                                                        "n"
                                                                                                                        "t"
                                                                                                                        "r"
                                                                                                                        "a"
                                                                                                                        "_"
                                                                                                                        "s"
                                                                                                                        "c"
                                                                                                                        "h"
                                                                                                                        "e"
                                                                                                                        "d"
                                                                                                                        "_"
                                                                                                                        "r"
                                                                                                                        "e"
                                                                                                                        "d"
                                                                                                                        "u"
                                                                                                                        "c"
                                                                                                                        "e"
                                                                                                                        "_"
                                                                                                                        "s"
                                                                                                                        "c"
                                                                                                                        "a"
                                                                                                                        "t"
                                                                                                                        "t"
                                                                                                                        "e"
                                                                                                                        "r"
                                                                                                                        "_"
                                                                                                                        "a"
                                                                                                                        "l"
                                                                                                                        "l"
                                                                                                                        "g"
                                                                                                                        "a"
                                                                                                                        "t"
                                                                                                                        "h"
                                                                                                                        "e"
                                                                                                                        "r") "}}}",
     ALG("Iallreduce_inter_sched_remote_reduce_local_bcast")},
    {"iallgather",
     "{\"comm_size=pow2\":{\"total_msg_size<524288\":" ALG(
         "Iallgather_intra_sched_recursive_doubling") ",\"total_msg_size="
                                                      "any\":" ALG(
                                                          "Iallgather_"
                                                          "intra_sched_"
                                                          "ring") "},"
                                                                  "\"tot"
                                                                  "al_"
                                                                  "msg_"
                                                                  "size<"
                                                                  "81920"
                                                                  "\""
                                                                  ":" ALG("Iallgather_intra_sched_brucks") ",\"total_msg_size="
                                                                                                           "any\":" ALG("I"
                                                                                                                        "a"
                                                                                                                        "l"
                                                                                                                        "l"
                                                                                                                        "g"
                                                                                                                        "a"
                                                                                                                        "t"
                                                                                                                        "h"
                                                                                                                        "e"
                                                                                                                        "r"
                                                                                                                        "_"
                                                                                                                        "i"
                                                                                                                        "n"
                                                                                                                        "t"
                                                                                                                        "r"
                                                                                                                        "a"
                                                                                                                        "_"
                                                                                                                        "s"
                                                                                                                        "c"
                                                                                                                        "h"
                                                                                                                        "e"
                                                                                                                        "d"
                                                                                                                        "_"
                                                                                                                        "r"
                                                                                                                        "i"
                                                                                                                        "n"
                                                                                                                        "g") "}",
     ALG("Iallgather_inter_sched_local_gather_remote_bcast")},
    {"iallgatherv",
     "{\"comm_size=pow2\":{\"total_msg_size<524288\":" ALG(
         "Iallgatherv_intra_sched_recursive_doubling") ",\"total_msg_size=any\":" ALG("Iallgatherv_intra_sched_ring") "},\"total_"
                                                                                                                      "msg_size<"
                                                                                                                      "81920\""
                                                                                                                      ":" ALG(
                                                                                                                          "Iall"
                                                                                                                          "gath"
                                                                                                                          "erv_"
                                                                                                                          "intr"
                                                                                                                          "a_"
                                                                                                                          "sche"
                                                                                                                          "d_"
                                                                                                                          "bruc"
                                                                                                                          "ks") ","
                                                                                                                                "\""
                                                                                                                                "to"
                                                                                                                                "ta"
                                                                                                                                "l_"
                                                                                                                                "ms"
                                                                                                                                "g_"
                                                                                                                                "si"
                                                                                                                                "ze"
                                                                                                                                "=a"
                                                                                                                                "ny"
                                                                                                                                "\""
                                                                                                                                ":" ALG(
                                                                                                                                    "Iallgatherv_intra_sched_ring") "}",
     ALG("Iallgatherv_inter_sched_remote_gather_local_bcast")},
    {"ireduce", ALG("Ireduce_intra_sched_binomial"), ALG("Ireduce_inter_sched_local_reduce_remote_send")},
    {"ireduce_scatter",
     "{\"is_commutative=yes\":" ALG("Ireduce_scatter_intra_sched_recursive_halving") ",\"is_commutative=no\":" ALG(
         "Ireduce_scatter_intra_sched_recursive_doubling") "}",
     ALG("Ireduce_scatter_inter_sched_remote_reduce_local_scatterv")},
    {"ireduce_scatter_block",
     "{\"is_commutative=yes\":" ALG("Ireduce_scatter_block_intra_sched_recursive_halving") ",\"is_commutative=no\":" ALG(
         "Ireduce_scatter_block_intra_sched_recursive_doubling") "}",
     ALG("Ireduce_scatter_block_inter_sched_remote_reduce_local_scatterv")},
    {"igather", ALG("Igather_intra_sched_binomial"), ALG("Igather_inter_sched_long")},
    {"iscatter", ALG("Iscatter_intra_sched_binomial"), ALG("Iscatter_inter_sched_linear")},
    {"igatherv", ALG("Igatherv_allcomm_sched_linear"), NULL},
    {"iscatterv", ALG("Iscatterv_allcomm_sched_linear"), NULL},
    {"iscan", ALG("Iscan_intra_sched_recursive_doubling"), NULL},
    {"iexscan", ALG("Iexscan_intra_sched_recursive_doubling"), NULL},
    {"ialltoall",
     "{\"is_sendbuf_inplace=yes\":" ALG(
         "Ialltoall_intra_sched_inplace") ",\"is_sendbuf_inplace=no\":{\"comm_size<8\":{\"avg_msg_"
                                          "size<=32768\":" ALG(
                                              "Ialltoall_intra_sched_permuted_"
                                              "sendrecv") ",\"avg_msg_size="
                                                          "any\":" ALG(
                                                              "Ialltoall_"
                                                              "intra_"
                                                              "sched_"
                                                              "pairwise") "},\"avg_msg_size<=2048\":" ALG("Ialltoall_intra_sched_"
                                                                                                          "brucks") ",\"avg_msg_"
                                                                                                                    "size<="
                                                                                                                    "32768\":" ALG(
                                                                                                                        "Ialltoall_"
                                                                                                                        "intra_"
                                                                                                                        "sched_"
                                                                                                                        "permuted_"
                                                                                                                        "sendrecv") ",\"avg_"
                                                                                                                                    "msg_"
                                                                                                                                    "size="
                                                                                                                                    "any\""
                                                                                                                                    ":" ALG(
                                                                                                                                        "Ialltoall_intra_sched_pairwise") "}}",
     ALG("Ialltoall_inter_sched_pairwise_exchange")},
    {"ialltoallv",
     "{\"is_sendbuf_inplace=yes\":" ALG("Ialltoallv_intra_sched_inplace") ",\"is_sendbuf_inplace=no\":" ALG(
         "Ialltoallv_intra_sched_blocked") "}",
     ALG("Ialltoallv_inter_sched_pairwise_exchange")},
    {"ialltoallw",
     "{\"is_sendbuf_inplace=yes\":" ALG("Ialltoallw_intra_sched_inplace") ",\"is_sendbuf_inplace=no\":" ALG(
         "Ialltoallw_intra_sched_blocked") "}",
     ALG("Ialltoallw_inter_sched_pairwise_exchange")},
    {"ineighbor_allgather", ALG("Ineighbor_allgather_allcomm_sched_linear"), NULL},
    {"ineighbor_allgatherv", ALG("Ineighbor_allgatherv_allcomm_sched_linear"), NULL},
    {"ineighbor_alltoall", ALG("Ineighbor_alltoall_allcomm_sched_linear"), NULL},
    {"ineighbor_alltoallv", ALG("Ineighbor_alltoallv_allcomm_sched_linear"), NULL},
    {"ineighbor_alltoallw", ALG("Ineighbor_alltoallw_allcomm_sched_linear"), NULL},
};
/* clang-format on */

static const char *untuned_intra(const struct untuned *u, int new_names)
{
	if (*u->intra)
		return u->intra;
	return new_names ? "{\"algorithm=MPIR_Barrier_intra_k_dissemination\":{\"k=2\":{}}}"
	                 : ALG("Barrier_intra_dissemination");
}

/* --- what is --- */

/* Does MPICH know the bytes of one rank for it (avg_msg_size), or of all (total_msg_size)? */
static const char *size_question(enum coll_kind k)
{
	return k == COLL_BCAST || k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_ALLTOALL
	           ? "avg_msg_size"
	           : "total_msg_size";
}

static long long mpich_size(enum coll_kind k, int64_t bytes, int64_t ranks)
{
	return k == COLL_GATHER || k == COLL_SCATTER || k == COLL_ALLGATHER || k == COLL_ALLGATHERV
	           ? bytes * ranks
	           : bytes;
}

static int has_sizes(enum coll_kind k)
{
	return k != COLL_BARRIER && k != COLL_SCAN && k != COLL_EXSCAN;
}

static void algorithm_write(const struct tuned *t, const struct coll_choice *c, struct str *out)
{
	const char *par, *name = coll_mpich_name(c->alg, &par);
	const char *rest = strstr(name, "Reduce_scatter_intra_");
	if (t->kind == COLL_REDUCE_SCATTER_BLOCK && rest)
		str_printf(out, "{\"algorithm=MPIR_Reduce_scatter_block_intra_%s\":",
		           rest + strlen("Reduce_scatter_intra_"));
	else
		str_printf(out, "{\"algorithm=MPIR_%s\":", name);
	if (c->fanout && strncmp(par, "tree_type", 9) == 0)
		str_printf(out, "{\"%s\":{},\"k=%u\":{}}}", par, c->fanout);
	else if (c->fanout)
		str_printf(out, "{\"k=%u\":{}}}", c->fanout);
	else
		str_puts(out, "{}}");
}

/* Those who reduce need a commutative operator that MPICH may split; else what MPICH does. */
static int is_reduction(enum coll_kind k)
{
	return k == COLL_REDUCE || k == COLL_ALLREDUCE || k == COLL_REDUCE_SCATTER ||
	       k == COLL_REDUCE_SCATTER_BLOCK;
}

static void ranks_write(const struct tuned *t, uint32_t r, struct str *out)
{
	uint32_t n = t->bytes->n, first = has_sizes(t->kind) ? 0 : n - 1;
	str_putc(out, '{');
	for (uint32_t b = first; b < n; b++) {
		const struct coll_choice *c = tuned_at(t, r, b);
		if (b + 1 < n && choice_equal(c, tuned_at(t, r, b + 1)))
			continue;
		if (!has_sizes(t->kind))
			str_puts(out, "\"comm_size=any\":");
		else if (b + 1 < n)
			str_printf(out, "\"%s<%lld\":", size_question(t->kind),
			           mpich_size(t->kind, t->bytes->v[b + 1], t->ranks->v[r]));
		else
			str_printf(out, "\"%s=any\":", size_question(t->kind));
		algorithm_write(t, c, out);
		if (b + 1 < n)
			str_putc(out, ',');
	}
	str_putc(out, '}');
}

static void tuned_write(const struct tuned *t, struct str *out)
{
	for (uint32_t r = 0; r < t->ranks->n; r++) {
		if (r + 1 < t->ranks->n)
			str_printf(out, "%s\n   \"comm_size<%lld\":", r ? "," : "{",
			           (long long)t->ranks->v[r + 1]);
		else
			str_printf(out, "%s\n   \"comm_size=any\":", r ? "," : "{");
		ranks_write(t, r, out);
	}
	str_putc(out, '}');
}

static void intra_write(const struct untuned *u, const struct tuned *t, int new_names,
                        struct str *out)
{
	if (!t) {
		str_puts(out, untuned_intra(u, new_names));
	} else if (t->kind == COLL_ALLTOALL) {
		str_puts(
		    out,
		    "{\n  \"is_sendbuf_inplace=yes\":" ALG(
		        "Alltoall_intra_pairwise_sendrecv_replace") ",\n  \"is_sendbuf_inplace=no\":");
		tuned_write(t, out);
		str_putc(out, '}');
	} else if (is_reduction(t->kind)) {
		str_printf(out, "{\n  \"is_commutative=no\":%s,\n  \"is_commutative=yes\":",
		           untuned_intra(u, new_names));
		tuned_write(t, out);
		str_putc(out, '}');
	} else {
		tuned_write(t, out);
	}
}

void tune_write_mpich(const struct tuned *t, uint32_t n, int new_names, struct str *out)
{
	for (size_t i = 0; i < sizeof untuned / sizeof *untuned; i++) {
		const struct untuned *u = &untuned[i];
		const struct tuned *mine = NULL;
		for (uint32_t k = 0; k < n; k++)
			if (strcmp(coll_kind_name(t[k].kind), u->collective) == 0)
				mine = &t[k];
		str_printf(out, "%s\n \"collective=%s\":", i ? "," : "{", u->collective);
		if (u->inter)
			str_puts(out, "{\"comm_type=intra\":");
		intra_write(u, mine, new_names, out);
		if (u->inter)
			str_printf(out, ",\"comm_type=inter\":%s}", u->inter);
	}
	str_puts(out, "\n}\n");
}
