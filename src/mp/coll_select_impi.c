/* coll_select_impi.c: Intel MPI 4.1's tables, as SimGrid's selector "impi" has them: one for each of 1, 2, 4, 8 and 16 ranks per host; with other
 * numbers the first is used. Some entries leave the choice to MVAPICH2's tables. */
#include "coll_decision.h"

/* Stands in tables for "what the mvapich2 selector says". */
static const struct coll_alg as_mvapich2 = {.kind = COLL_BARRIER, .name = "mvapich2"};

enum { HOST_SIZES = 5 };
static const uint32_t host_sizes[HOST_SIZES] = {1, 2, 4, 8, 16};

static const struct decision_row allreduce_1_rows[] = {
    {2, "6:7 85:1 192:7 853:1 1279:7 16684:1 34279:8 1681224:3 :7"},
    {4, "16:7 47:1 2062:7 16699:1 33627:7 70732:8 1300705:3 :8"},
    {8, "118:1 146:4 16760:1 36364:6 136239:8 315710:7 3220366:3 :8"},
    {16, "934:1 1160:6 15505:1 52730:2 300705:8 563680:7 :3"},
    {UINT32_MAX, "5:6 11:4 182:1 700:6 1450:4 11146:1 25539:6 37634:4 93784:6 817658:2 :3"},
};
static const struct decision_row allreduce_2_rows[] = {
    {4, "2084:7 15216:1 99715:7 168666:3 363889:2 :7"},
    {8, "14978:1 66879:2 179296:8 304801:3 704509:7 :2"},
    {16, "16405:1 81784:2 346385:8 807546:7 1259854:2 :3"},
    {32, "8913:1 103578:2 615876:8 :2"},
    {64, "1000:1 2249:2 6029:1 325357:2 1470976:8 2556670:7 :3"},
    {128, "664:1 754706:2 1663862:4 3269097:2 :7"},
    {UINT32_MAX, "789:1 2247589:2 :8"},
};
static const struct decision_row allreduce_4_rows[] = {
    {4, "5738:1 197433:2 593742:7 :2"},
    {8, "5655:1 75166:2 177639:8 988014:3 1643869:2 2494859:8 :2"},
    {16, "587:1 3941:2 9003:1 101469:2 355768:8 3341814:3 :8"},
    {32, "795:1 146567:2 732118:8 :3"},
    {64, "528:1 221277:2 1440737:8 :3"},
    {128, "481:1 593833:2 2962021:8 :7"},
    {256, "584:1 :2"},
    {UINT32_MAX, "604:1 2997006:2 :8"},
};
static const struct decision_row allreduce_8_rows[] = {
    {8, "2560:1 114230:6 288510:8 664038:2 1339913:6 :4"},
    {16, "497:1 54201:2 356217:8 3413609:3 :8"},
    {32, "377:1 109745:2 716514:8 3976768:3 :8"},
    {64, "109:1 649:5 266080:2 1493331:8 2541403:7 :3"},
    {128, "7:1 751:5 408808:2 :8"},
    {256, "828:5 909676:2 :8"},
    {512, "847:5 1007066:2 1068775:4 2803389:2 :8"},
    {UINT32_MAX, "1974:5 4007876:2 :8"},
};
static const struct decision_row allreduce_16_rows[] = {
    {16, "409:1 768:6 1365:4 3071:6 11299:2 21746:6 55629:2 86065:4 153867:2 590560:6 1448760:2 :8"},
    {32, "6:1 24:5 86:1 875:5 74528:2 813050:8 1725981:7 :8"},
    {64, "1018:5 1217:6 2370:5 160654:2 1885487:8 :3"},
    {128, "2291:5 434465:2 3525103:8 :7"},
    {256, "2189:5 713154:2 :8"},
    {512, "2140:5 1235056:2 :8"},
    {UINT32_MAX, "2153:5 2629855:2 :8"},
};
static const struct decision allreduce[HOST_SIZES] = {
    {.algs = {&coll_allreduce_rdb, &coll_allreduce_rab1, &coll_allreduce_redbcast, &coll_allreduce_mvapich2_two_level,
              &coll_allreduce_smp_binomial, &coll_allreduce_mvapich2_two_level, &coll_allreduce_ompi_ring_segmented,
              &coll_allreduce_ompi_ring_segmented},
     .rows = allreduce_1_rows},
    {.algs = {&coll_allreduce_rdb, &coll_allreduce_rab1, &coll_allreduce_redbcast, &coll_allreduce_mvapich2_two_level,
              &coll_allreduce_smp_binomial, &coll_allreduce_mvapich2_two_level, &coll_allreduce_ompi_ring_segmented,
              &coll_allreduce_ompi_ring_segmented},
     .rows = allreduce_2_rows},
    {.algs = {&coll_allreduce_rdb, &coll_allreduce_rab1, &coll_allreduce_redbcast, &coll_allreduce_mvapich2_two_level,
              &coll_allreduce_smp_binomial, &coll_allreduce_mvapich2_two_level, &coll_allreduce_ompi_ring_segmented,
              &coll_allreduce_ompi_ring_segmented},
     .rows = allreduce_4_rows},
    {.algs = {&coll_allreduce_rdb, &coll_allreduce_rab1, &coll_allreduce_redbcast, &coll_allreduce_mvapich2_two_level,
              &coll_allreduce_smp_binomial, &coll_allreduce_mvapich2_two_level, &coll_allreduce_ompi_ring_segmented,
              &coll_allreduce_ompi_ring_segmented},
     .rows = allreduce_8_rows},
    {.algs = {&coll_allreduce_rdb, &coll_allreduce_rab1, &coll_allreduce_redbcast, &coll_allreduce_mvapich2_two_level,
              &coll_allreduce_smp_binomial, &coll_allreduce_mvapich2_two_level, &coll_allreduce_ompi_ring_segmented,
              &coll_allreduce_ompi_ring_segmented},
     .rows = allreduce_16_rows}};

static const struct decision_row alltoall_1_rows[] = {
    {2, ":3"},
    {4, "0:4 :2"},
    {8, ":2"},
    {16, "0:3 84645:2 167570:3 413152:4 :2"},
    {32, "61:1 164:2 696:1 143254:2 387024:3 :2"},
    {64, "523:1 146088:2 488989:4 :2"},
    {UINT32_MAX, "270:1 628:4 :2"},
};
static const struct decision_row alltoall_2_rows[] = {
    {4, "1:2 75:3 131072:2 :2"},
    {8, "709:1 131072:2 :2"},
    {16, "40048:2 131072:3 155927:3 :4"},
    {32, "105:1 130:2 1030:1 58893:2 131072:2 271838:3 :2"},
    {UINT32_MAX, "521:1 2032:4 2412:2 4112:4 61620:2 131072:3 427408:3 :4"},
};
static const struct decision_row alltoall_4_rows[] = {
    {8, "512:1 32768:2 :2"},
    {64, "7:1 199:4 764:1 6409:4 20026:2 32768:3 221643:4 :3"},
    {UINT32_MAX, "262:1 7592:4 22871:2 32768:3 47538:3 101559:4 :3"},
};
static const struct decision_row alltoall_8_rows[] = {
    {16, "973:1 5126:4 16898:2 32768:4 65456:4 :2"},
    {32, "874:1 6727:4 17912:2 32768:3 41513:3 199604:4 :3"},
    {64, "5:1 114:4 552:1 8130:4 32768:3 34486:3 160113:4 :3"},
    {128, "270:1 3679:4 32768:3 64367:3 146595:4 :3"},
    {UINT32_MAX, "133:1 4017:4 32768:3 76351:4 :3"},
};
static const struct decision_row alltoall_16_rows[] = {
    {32, "963:1 1818:4 20007:2 32768:4 54296:4 169735:3 :2"},
    {64, "17:1 42:4 592:1 2015:4 2753:2 6496:3 20402:4 32768:3 36246:3 93229:4 :3"},
    {128, "18:1 40:4 287:1 1308:4 6842:1 32768:3 36986:3 129081:4 :3"},
    {256, "135:1 1538:4 3267:1 4132:3 31469:4 32768:3 :3"},
    {UINT32_MAX, "66:1 1637:4 2626:1 4842:4 32768:3 33963:3 72978:4 :3"},
};
static const struct decision alltoall[HOST_SIZES] = {
    {.algs = {&coll_alltoall_bruck, &coll_alltoall_mvapich2_scatter_dest, &coll_alltoall_pair, &as_mvapich2},
     .rows = alltoall_1_rows},
    {.algs = {&coll_alltoall_bruck, &coll_alltoall_mvapich2_scatter_dest, &coll_alltoall_pair, &as_mvapich2},
     .rows = alltoall_2_rows},
    {.algs = {&coll_alltoall_bruck, &coll_alltoall_mvapich2_scatter_dest, &coll_alltoall_pair, &as_mvapich2},
     .rows = alltoall_4_rows},
    {.algs = {&coll_alltoall_bruck, &coll_alltoall_mvapich2_scatter_dest, &coll_alltoall_pair, &as_mvapich2},
     .rows = alltoall_8_rows},
    {.algs = {&coll_alltoall_bruck, &coll_alltoall_mvapich2_scatter_dest, &coll_alltoall_pair, &as_mvapich2},
     .rows = alltoall_16_rows}};

static const struct decision_row barrier_1_rows[] = {
    {2, ":2"}, {4, ":6"}, {8, ":1"}, {64, ":2"}, {UINT32_MAX, ":6"},
};
static const struct decision_row barrier_2_rows[] = {
    {2, ":1"}, {4, ":3"}, {8, ":5"}, {32, ":2"}, {128, ":3"}, {UINT32_MAX, ":4"},
};
static const struct decision_row barrier_4_rows[] = {
    {4, ":2"},
    {8, ":5"},
    {32, ":2"},
    {UINT32_MAX, ":4"},
};
static const struct decision_row barrier_8_rows[] = {
    {8, ":1"},
    {32, ":2"},
    {UINT32_MAX, ":4"},
};
static const struct decision_row barrier_16_rows[] = {
    {4, ":2"},
    {8, ":5"},
    {32, ":2"},
    {UINT32_MAX, ":4"},
};
static const struct decision barrier[HOST_SIZES] = {
    {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear,
              &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear},
     .rows = barrier_1_rows},
    {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear,
              &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear},
     .rows = barrier_2_rows},
    {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear,
              &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear},
     .rows = barrier_4_rows},
    {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear,
              &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear},
     .rows = barrier_8_rows},
    {.algs = {&coll_barrier_ompi_basic_linear, &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear,
              &coll_barrier_ompi_recursivedoubling, &coll_barrier_ompi_basic_linear, &coll_barrier_ompi_basic_linear},
     .rows = barrier_16_rows}};

static const struct decision_row bcast_1_rows[] = {
    {2, "1:2 402:7 682:5 1433:4 5734:7 21845:1 95963:6 409897:5 :1"},
    {4, ":7"},
    {8, "3:6 4:7 25:6 256:1 682:6 1264:1 2234:6 6655:5 16336:1 3998434:7 :6"},
    {UINT32_MAX, ":7"},
};
static const struct decision_row bcast_2_rows[] = {
    {4, "806:4 18093:7 51366:6 182526:4 618390:1 :7"},
    {8, "24:1 74:4 18137:1 614661:7 1284626:1 :2"},
    {16, "1:1 158:7 16955:1 :7"},
    {32, "242:7 10345:1 :7"},
    {UINT32_MAX, "1:1 737:7 5340:1 :7"},
};
static const struct decision_row bcast_4_rows[] = {
    {8, "256:4 17181:1 1048576:7 :7"},
    {UINT32_MAX, ":7"},
};
static const struct decision_row bcast_8_rows[] = {
    {16, "3:1 318:7 1505:1 1048576:7 :7"},
    {32, "422:7 851:1 :7"},
    {64, "468:7 699:1 :7"},
    {UINT32_MAX, ":7"},
};
static const struct decision_row bcast_16_rows[] = {
    {8, "256:4 17181:1 1048576:7 :7"},
    {UINT32_MAX, ":7"},
};
static const struct decision bcast[HOST_SIZES] = {
    {.algs = {&coll_bcast_binomial_tree, &coll_bcast_NTSL, &coll_bcast_NTSL, &coll_bcast_SMP_binomial, &coll_bcast_NTSL,
              &coll_bcast_SMP_linear, &as_mvapich2},
     .rows = bcast_1_rows},
    {.algs = {&coll_bcast_binomial_tree, &coll_bcast_NTSL, &coll_bcast_NTSL, &coll_bcast_SMP_binomial, &coll_bcast_NTSL,
              &coll_bcast_SMP_linear, &as_mvapich2},
     .rows = bcast_2_rows},
    {.algs = {&coll_bcast_binomial_tree, &coll_bcast_NTSL, &coll_bcast_NTSL, &coll_bcast_SMP_binomial, &coll_bcast_NTSL,
              &coll_bcast_SMP_linear, &as_mvapich2},
     .rows = bcast_4_rows},
    {.algs = {&coll_bcast_binomial_tree, &coll_bcast_NTSL, &coll_bcast_NTSL, &coll_bcast_SMP_binomial, &coll_bcast_NTSL,
              &coll_bcast_SMP_linear, &as_mvapich2},
     .rows = bcast_8_rows},
    {.algs = {&coll_bcast_binomial_tree, &coll_bcast_NTSL, &coll_bcast_NTSL, &coll_bcast_SMP_binomial, &coll_bcast_NTSL,
              &coll_bcast_SMP_linear, &as_mvapich2},
     .rows = bcast_16_rows}};

static const struct decision_row reduce_1_rows[] = {
    {UINT32_MAX, ":1"},
};
static const struct decision_row reduce_2_rows[] = {
    {2, ":1"},
    {4, "10541:3 :1"},
    {UINT32_MAX, ":1"},
};
static const struct decision_row reduce_4_rows[] = {
    {256, ":1"},
    {UINT32_MAX, "45:3 :1"},
};
static const struct decision_row reduce_8_rows[] = {
    {512, ":1"},
    {UINT32_MAX, "5:1 11882:3 :1"},
};
static const struct decision_row reduce_16_rows[] = {
    {256, ":1"},
    {UINT32_MAX, "45:3 :1"},
};
static const struct decision reduce[HOST_SIZES] = {{.algs = {&as_mvapich2, &coll_reduce_binomial, &as_mvapich2,
                                                             &coll_reduce_mvapich2_two_level, &coll_reduce_rab, &coll_reduce_rab},
                                                    .rows = reduce_1_rows},
                                                   {.algs = {&as_mvapich2, &coll_reduce_binomial, &as_mvapich2,
                                                             &coll_reduce_mvapich2_two_level, &coll_reduce_rab, &coll_reduce_rab},
                                                    .rows = reduce_2_rows},
                                                   {.algs = {&as_mvapich2, &coll_reduce_binomial, &as_mvapich2,
                                                             &coll_reduce_mvapich2_two_level, &coll_reduce_rab, &coll_reduce_rab},
                                                    .rows = reduce_4_rows},
                                                   {.algs = {&as_mvapich2, &coll_reduce_binomial, &as_mvapich2,
                                                             &coll_reduce_mvapich2_two_level, &coll_reduce_rab, &coll_reduce_rab},
                                                    .rows = reduce_8_rows},
                                                   {.algs = {&as_mvapich2, &coll_reduce_binomial, &as_mvapich2,
                                                             &coll_reduce_mvapich2_two_level, &coll_reduce_rab, &coll_reduce_rab},
                                                    .rows = reduce_16_rows}};

static const struct decision_row reduce_scatter_1_rows[] = {
    {2, "5:4 522429:2 1375877:5 2932736:2 :5"},
    {4, "4:4 15:1 120:3 651:1 12188:3 33890:1 572117:2 1410202:5 :2"},
    {8, "4:4 2263:1 25007:3 34861:1 169625:2 2734000:4 :2"},
    {16, "4:4 14228:1 46084:3 522139:2 :5"},
    {32, "4:4 27516:1 61693:3 2483469:2 :5"},
    {64, "0:3 4:4 100396:1 :2"},
    {UINT32_MAX, "0:3 4:4 186926:1 278259:3 1500100:2 :5"},
};
static const struct decision_row reduce_scatter_2_rows[] = {
    {2, "6:1 :2"},
    {4, "5:4 13:5 59:3 76:1 91488:3 680063:4 :2"},
    {8, "4:4 11:5 31:1 69615:3 202632:2 396082:5 1495696:4 :2"},
    {16, "4:4 :1"},
    {32, "0:3 4:4 992:1 71417:3 :2"},
    {64, "4:4 1472:1 196592:3 :2"},
    {128, "0:3 4:4 32892:1 381072:3 :2"},
    {UINT32_MAX, "0:2 4:4 33262:1 1571397:3 2211398:5 :4"},
};
static const struct decision_row reduce_scatter_4_rows[] = {
    {4, "12:4 27:5 49:3 187:1 405673:3 594687:4 :2"},
    {8, "24:5 155:1 204501:3 274267:5 :4"},
    {16, "63:1 72:3 264:1 168421:3 168421:4 :2"},
    {32, "0:3 4:4 12:1 18:5 419:1 188739:3 716329:4 1365841:5 2430194:2 :4"},
    {64, "0:3 4:4 17:5 635:1 202937:3 308253:5 1389874:4 :2"},
    {128, "0:3 4:4 16:5 1238:1 280097:3 631434:5 2605072:4 :2"},
    {256, "0:2 4:4 16:5 2418:1 :3"},
    {UINT32_MAX, "0:2 4:4 16:5 33182:1 3763779:3 :4"},
};
static const struct decision_row reduce_scatter_8_rows[] = {
    {8, "5:4 494:1 97739:3 522836:2 554174:5 :2"},
    {16, "5:4 62:1 94:3 215:1 185095:3 454784:4 607911:5 :4"},
    {32, "0:3 4:4 302:1 250841:3 665822:4 1760980:5 :4"},
    {64, "0:3 4:4 41:5 306:1 332405:3 1269189:4 3712421:5 :4"},
    {128, "0:3 4:4 39:5 526:1 487878:3 :4"},
    {256, "0:2 4:4 36:5 1382:1 424162:3 632881:5 1127566:3 :4"},
    {512, "4:4 34:5 5884:1 :3"},
    {UINT32_MAX, "5:4 32:5 25105:1 :3"},
};
static const struct decision_row reduce_scatter_16_rows[] = {
    {4, "12:4 27:5 49:3 187:1 405673:3 594687:4 :2"},
    {8, "24:5 155:1 204501:3 274267:5 :4"},
    {16, "63:1 72:3 264:1 168421:3 168421:4 :2"},
    {32, "0:3 4:4 12:1 18:5 419:1 188739:3 716329:4 1365841:5 2430194:2 :4"},
    {64, "0:3 4:4 17:5 635:1 202937:3 308253:5 1389874:4 :2"},
    {128, "0:3 4:4 16:5 1238:1 280097:3 631434:5 2605072:4 :2"},
    {256, "0:2 4:4 16:5 2418:1 :3"},
    {UINT32_MAX, "0:2 4:4 16:5 33182:1 3763779:3 :4"},
};
static const struct decision reduce_scatter[HOST_SIZES] = {
    {.algs = {&coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair, &coll_reduce_scatter_mpich_rdb,
              &coll_reduce_scatter_default, &coll_reduce_scatter_default},
     .rows = reduce_scatter_1_rows},
    {.algs = {&coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair, &coll_reduce_scatter_mpich_rdb,
              &coll_reduce_scatter_default, &coll_reduce_scatter_default},
     .rows = reduce_scatter_2_rows},
    {.algs = {&coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair, &coll_reduce_scatter_mpich_rdb,
              &coll_reduce_scatter_default, &coll_reduce_scatter_default},
     .rows = reduce_scatter_4_rows},
    {.algs = {&coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair, &coll_reduce_scatter_mpich_rdb,
              &coll_reduce_scatter_default, &coll_reduce_scatter_default},
     .rows = reduce_scatter_8_rows},
    {.algs = {&coll_reduce_scatter_ompi_basic_recursivehalving, &coll_reduce_scatter_mpich_pair, &coll_reduce_scatter_mpich_rdb,
              &coll_reduce_scatter_default, &coll_reduce_scatter_default},
     .rows = reduce_scatter_16_rows}};

static const struct decision_row allgather_1_rows[] = {
    {4, "1:4 384:1 1533:4 3296:1 10763:4 31816:3 193343:4 405857:3 597626:4 1844323:3 :4"},
    {8, "12:4 46:1 205:4 3422:2 4200:4 8748:1 24080:3 33244:4 371159:1 :3"},
    {16, "3:4 53:1 100:4 170:1 6077:4 127644:1 143741:4 :3"},
    {UINT32_MAX, "184:1 320:4 759:1 1219:4 2633:1 8259:4 123678:1 160801:4 284341:1 :4"},
};
static const struct decision_row allgather_2_rows[] = {
    {8, "490:1 558:2 2319:1 46227:3 2215101:1 :3"},
    {16, "1005:1 1042:2 2059:1 :3"},
    {UINT32_MAX, "2454:1 :3"},
};
static const struct decision_row allgather_4_rows[] = {
    {8, "2861:1 :3"},
    {UINT32_MAX, "605:1 :3"},
};
static const struct decision_row allgather_8_rows[] = {
    {16, "66:1 213:4 514:1 :3"}, {32, "91:1 213:4 514:1 :3"}, {64, "71:1 213:4 514:1 :3"},
    {128, "305:1 :3"},           {UINT32_MAX, "213:1 :3"},
};
static const struct decision_row allgather_16_rows[] = {
    {8, "2861:1 :3"},
    {UINT32_MAX, "605:1 :3"},
};
static const struct decision allgather[HOST_SIZES] = {
    {.algs = {&coll_allgather_rdb, &coll_allgather_bruck, &coll_allgather_ring, &coll_allgather_GB}, .rows = allgather_1_rows},
    {.algs = {&coll_allgather_rdb, &coll_allgather_bruck, &coll_allgather_ring, &coll_allgather_GB}, .rows = allgather_2_rows},
    {.algs = {&coll_allgather_rdb, &coll_allgather_bruck, &coll_allgather_ring, &coll_allgather_GB}, .rows = allgather_4_rows},
    {.algs = {&coll_allgather_rdb, &coll_allgather_bruck, &coll_allgather_ring, &coll_allgather_GB}, .rows = allgather_8_rows},
    {.algs = {&coll_allgather_rdb, &coll_allgather_bruck, &coll_allgather_ring, &coll_allgather_GB}, .rows = allgather_16_rows}};

static const struct decision_row allgatherv_1_rows[] = {
    {2, "259668:3 635750:4 :3"},
    {4, "1:1 5:4 46:1 2590:2 1177259:3 2767234:4 :3"},
    {8, "99:2 143:1 4646:2 63522:3 2187806:4 :3"},
    {UINT32_MAX, "1:1 5:4 46:1 2590:2 1177259:3 2767234:4 :3"},
};
static const struct decision_row allgatherv_2_rows[] = {
    {4, "3147:1 5622:2 :3"},
    {8, "975:1 4158:2 :3"},
    {16, "2146:1 :3"},
    {32, "81:1 414:2 1190:1 :3"},
    {UINT32_MAX, "1:2 3:1 783:2 1782:4 :3"},
};
static const struct decision_row allgatherv_4_rows[] = {
    {8, "2554:1 :3"}, {16, "272:1 657:2 2078:1 :3"}, {32, "1081:1 :3"}, {64, "547:1 :3"}, {UINT32_MAX, "19:1 239:2 327:1 821:4 :3"},
};
static const struct decision_row allgatherv_8_rows[] = {
    {16, "55:1 514:2 :3"},
    {32, "53:1 167:4 514:2 :3"},
    {64, "13:1 319:4 :3"},
    {128, "2:1 11:2 48:1 201:2 304:1 1048:4 :3"},
    {UINT32_MAX, "5:1 115:4 129:1 451:4 :3"},
};
static const struct decision_row allgatherv_16_rows[] = {
    {8, "2554:1 :3"}, {16, "272:1 657:2 2078:1 :3"}, {32, "1081:1 :3"}, {64, "547:1 :3"}, {UINT32_MAX, "19:1 239:2 327:1 821:4 :3"},
};
static const struct decision allgatherv[HOST_SIZES] = {
    {.algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_ompi_bruck, &coll_allgatherv_ring, &coll_allgatherv_GB},
     .rows = allgatherv_1_rows},
    {.algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_ompi_bruck, &coll_allgatherv_ring, &coll_allgatherv_GB},
     .rows = allgatherv_2_rows},
    {.algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_ompi_bruck, &coll_allgatherv_ring, &coll_allgatherv_GB},
     .rows = allgatherv_4_rows},
    {.algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_ompi_bruck, &coll_allgatherv_ring, &coll_allgatherv_GB},
     .rows = allgatherv_8_rows},
    {.algs = {&coll_allgatherv_mpich_rdb, &coll_allgatherv_ompi_bruck, &coll_allgatherv_ring, &coll_allgatherv_GB},
     .rows = allgatherv_16_rows}};

static const struct decision_row gather_1_rows[] = {
    {8, "17561:3 44791:2 :3"},
    {16, "16932:3 84425:2 158363:3 702801:2 1341444:3 2413569:2 :3"},
    {UINT32_MAX, "47187:3 349696:2 :3"},
};
static const struct decision_row gather_2_rows[] = {
    {UINT32_MAX, ":3"},
};
static const struct decision_row gather_4_rows[] = {
    {UINT32_MAX, ":3"},
};
static const struct decision_row gather_8_rows[] = {
    {16, ":3"}, {32, "9:2 :3"}, {64, "784:2 :3"}, {128, "160:3 655:2 :3"}, {UINT32_MAX, ":3"},
};
static const struct decision_row gather_16_rows[] = {
    {UINT32_MAX, ":3"},
};
static const struct decision gather[HOST_SIZES] = {
    {.algs = {&coll_gather_ompi_binomial, &coll_gather_ompi_binomial, &as_mvapich2}, .rows = gather_1_rows},
    {.algs = {&coll_gather_ompi_binomial, &coll_gather_ompi_binomial, &as_mvapich2}, .rows = gather_2_rows},
    {.algs = {&coll_gather_ompi_binomial, &coll_gather_ompi_binomial, &as_mvapich2}, .rows = gather_4_rows},
    {.algs = {&coll_gather_ompi_binomial, &coll_gather_ompi_binomial, &as_mvapich2}, .rows = gather_8_rows},
    {.algs = {&coll_gather_ompi_binomial, &coll_gather_ompi_binomial, &as_mvapich2}, .rows = gather_16_rows}};

static const struct decision_row scatter_1_rows[] = {
    {2, "16391:1 :3"},
    {4, "16723:3 153541:2 425631:3 794142:2 1257027:3 :2"},
    {8, "2633:3 6144:2 14043:3 24576:2 107995:3 1752729:2 :3"},
    {16, "2043:3 2252:2 17749:3 106020:2 628654:3 3751354:2 :3"},
    {UINT32_MAX, "65907:3 245132:2 1042439:3 :2"},
};
static const struct decision_row scatter_2_rows[] = {
    {UINT32_MAX, ":3"},
};
static const struct decision_row scatter_4_rows[] = {
    {8, ":3"}, {16, "140:3 1302:1 :3"}, {32, "159:3 486:1 :3"}, {64, "149:1 :3"}, {UINT32_MAX, "139:1 :3"},
};
static const struct decision_row scatter_8_rows[] = {
    {16, "587:1 1370:2 2102:1 :3"}, {32, "1038:1 2065:2 :3"}, {64, "515:1 2069:2 :3"},
    {128, "284:1 796:2 :3"},        {UINT32_MAX, "139:1 :3"},
};
static const struct decision_row scatter_16_rows[] = {
    {8, ":3"}, {16, "140:3 1302:1 :3"}, {32, "159:3 486:1 :3"}, {64, "149:1 :3"}, {UINT32_MAX, "139:1 :3"},
};
static const struct decision scatter[HOST_SIZES] = {
    {.algs = {&coll_scatter_ompi_binomial, &coll_scatter_ompi_binomial, &as_mvapich2}, .rows = scatter_1_rows},
    {.algs = {&coll_scatter_ompi_binomial, &coll_scatter_ompi_binomial, &as_mvapich2}, .rows = scatter_2_rows},
    {.algs = {&coll_scatter_ompi_binomial, &coll_scatter_ompi_binomial, &as_mvapich2}, .rows = scatter_4_rows},
    {.algs = {&coll_scatter_ompi_binomial, &coll_scatter_ompi_binomial, &as_mvapich2}, .rows = scatter_8_rows},
    {.algs = {&coll_scatter_ompi_binomial, &coll_scatter_ompi_binomial, &as_mvapich2}, .rows = scatter_16_rows}};

static const struct decision_row alltoallv_1_rows[] = {
    {UINT32_MAX, ":1"},
};
static const struct decision_row alltoallv_2_rows[] = {
    {UINT32_MAX, ":1"},
};
static const struct decision_row alltoallv_4_rows[] = {
    {8, ":1"},
    {UINT32_MAX, "4:1 :2"},
};
static const struct decision_row alltoallv_8_rows[] = {
    {16, ":1"},
    {UINT32_MAX, "0:1 :2"},
};
static const struct decision_row alltoallv_16_rows[] = {
    {8, ":1"},
    {UINT32_MAX, "4:1 :2"},
};
static const struct decision alltoallv[HOST_SIZES] = {
    {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_bruck}, .rows = alltoallv_1_rows},
    {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_bruck}, .rows = alltoallv_2_rows},
    {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_bruck}, .rows = alltoallv_4_rows},
    {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_bruck}, .rows = alltoallv_8_rows},
    {.algs = {&coll_alltoallv_ompi_basic_linear, &coll_alltoallv_bruck}, .rows = alltoallv_16_rows}};

static int64_t whole_bytes(const struct coll_args *a)
{
	return a->count * a->type_size;
}
static int64_t send_block(const struct coll_args *a)
{
	return a->count * a->type_size;
}
static int64_t recv_block(const struct coll_args *a)
{
	return a->count2 * a->type_size2;
}
static int64_t total_bytes(const struct coll_args *a)
{
	return coll_block_elements(a, 0, a->size) * (a->kind == COLL_ALLGATHERV ? a->type_size2 : a->type_size);
}

static const struct coll_alg *look(const struct decision *tables, const struct coll_args *a, int64_t bytes)
{
	uint32_t i = HOST_SIZES - 1;
	while (i > 0 && host_sizes[i] != coll_per_node(a))
		i--;
	const struct coll_alg *alg = decision_choose(&tables[i], a->size, bytes);
	if (alg != &as_mvapich2)
		return alg;
	struct coll_args b = *a;
	if (a->kind == COLL_GATHER)
		b.compat = 0; /* here SimGrid has asked which ranks share hosts */
	return coll_choose_mvapich2(&b);
}

static const struct coll_alg *choose_reduce_scatter(const struct coll_args *a)
{
	const struct coll_alg *alg = look(reduce_scatter, a, total_bytes(a));
	return alg == &coll_reduce_scatter_ompi_basic_recursivehalving && !a->commutative && !a->null_op ? coll_choose_mvapich2(a)
	                                                                                                 : alg;
}

static const struct coll_alg *impi_choose(const struct coll_args *a)
{
	switch (a->kind) {
	case COLL_BARRIER:
		return look(barrier, a, 1);
	case COLL_BCAST:
		return look(bcast, a, whole_bytes(a));
	case COLL_REDUCE:
		return look(reduce, a, whole_bytes(a));
	case COLL_ALLREDUCE:
		return look(allreduce, a, whole_bytes(a));
	case COLL_GATHER:
		return look(gather, a, send_block(a));
	case COLL_SCATTER:
		return look(scatter, a, a->count ? send_block(a) : recv_block(a));
	case COLL_ALLGATHER:
		return look(allgather, a, recv_block(a));
	case COLL_ALLGATHERV:
		return look(allgatherv, a, total_bytes(a));
	case COLL_ALLTOALL:
		return look(alltoall, a, send_block(a));
	case COLL_ALLTOALLV:
		return look(alltoallv, a, 1);
	case COLL_REDUCE_SCATTER:
	case COLL_REDUCE_SCATTER_BLOCK:
		return choose_reduce_scatter(a);
	default:
		return coll_choose_default(a);
	}
}

const struct coll_selector coll_selector_impi = {.name = "impi", .help = "Intel MPI 4.1's tables", .choose = impi_choose};

const struct decision *const coll_impi_tables[] = {&allreduce[0],      &allreduce[1],      &allreduce[2],      &allreduce[3],
                                                   &allreduce[4],      &alltoall[0],       &alltoall[1],       &alltoall[2],
                                                   &alltoall[3],       &alltoall[4],       &barrier[0],        &barrier[1],
                                                   &barrier[2],        &barrier[3],        &barrier[4],        &bcast[0],
                                                   &bcast[1],          &bcast[2],          &bcast[3],          &bcast[4],
                                                   &reduce[0],         &reduce[1],         &reduce[2],         &reduce[3],
                                                   &reduce[4],         &reduce_scatter[0], &reduce_scatter[1], &reduce_scatter[2],
                                                   &reduce_scatter[3], &reduce_scatter[4], &allgather[0],      &allgather[1],
                                                   &allgather[2],      &allgather[3],      &allgather[4],      &allgatherv[0],
                                                   &allgatherv[1],     &allgatherv[2],     &allgatherv[3],     &allgatherv[4],
                                                   &gather[0],         &gather[1],         &gather[2],         &gather[3],
                                                   &gather[4],         &scatter[0],        &scatter[1],        &scatter[2],
                                                   &scatter[3],        &scatter[4],        &alltoallv[0],      &alltoallv[1],
                                                   &alltoallv[2],      &alltoallv[3],      &alltoallv[4],      NULL};
