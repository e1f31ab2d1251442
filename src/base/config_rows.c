/* config_rows.c: the settings: one row each, in the order of enum config_id. */
#include "config.h"

/* An empty default of a factor or of weight-S means "the communication model's own". */
const struct config_row config_table[CFG_COUNT] = {
    {CFG_COMPAT, "compat", "", CFG_STRING, "", "",
     "simgrid-3.32: do as SimGrid 3.32 does where that differs from what is right"},
    {CFG_NET_MODEL, "network/model", "", CFG_STRING, "hybrid", "",
     "communication model: hybrid (SimGrid's SMPI), LV08, CM02, IB, constant, loggps, "
     "psins-simple, -bus, -in, -out, -pmac, dimemas"},
    {CFG_NET_PLUGIN, "network/plugin", "", CFG_STRING, "", "",
     "settings of a model in a shared object, key=value;key=value…; what follows its name in "
     "network/model goes before"},
    {CFG_NET_LATENCY_FACTOR, "network/latency-factor",
     "network/latency_factor smpi/lat-factor smpi/lat_factor", CFG_TABLE, "", "",
     "what multiplies a route's latency: a number, or size:factor;size:factor;…"},
    {CFG_NET_BANDWIDTH_FACTOR, "network/bandwidth-factor",
     "network/bandwidth_factor smpi/bw-factor smpi/bw_factor", CFG_TABLE, "", "",
     "what multiplies a route's bandwidth: a number, or size:factor;size:factor;…"},
    {CFG_NET_WEIGHT_S, "network/weight-S", "network/weight_S", CFG_DOUBLE, "", "bytes",
     "how much a link's inverse bandwidth weighs beside the latency in the sharing of links"},
    {CFG_NET_TCP_GAMMA, "network/TCP-gamma", "network/TCP_gamma", CFG_DOUBLE, "4194304", "bytes",
     "largest TCP window: a flow is bounded by gamma / (2 x latency); 0 or less: no bound"},
    {CFG_NET_CROSSTRAFFIC, "network/crosstraffic", "network/cross-traffic", CFG_BOOL, "yes", "",
     "acknowledgements use a part of the way back"},
    {CFG_NET_CROSSTRAFFIC_SHARE, "network/crosstraffic-share", "", CFG_DOUBLE, "0.05", "",
     "which part: bytes of the way back for each byte of a message, with network/crosstraffic"},
    {CFG_NET_OPTIM, "network/optim", "", CFG_STRING, "Lazy", "",
     "with compat, which flows share anew when one starts or ends: Full: all; Lazy: those that "
     "SimGrid's selective update marks"},
    {CFG_NET_SELECTIVE, "network/maxmin-selective-update", "network/maxmin_selective_update",
     CFG_BOOL, "no", "", "with compat and network/optim:Full: share as with Lazy"},
    {CFG_PRECISION_TIME, "surf/precision", "precision/timing", CFG_DOUBLE, "1e-9", "s",
     "with compat, events that are less apart happen at one date, and no sleep is shorter"},
    {CFG_PRECISION_SHARE, "maxmin/precision", "precision/work-amount", CFG_DOUBLE, "1e-5", "",
     "with compat, a link with less than this part of its capacity left is full"},
    {CFG_NET_SHARING_ERROR, "network/sharing-error", "", CFG_DOUBLE, "0.005", "",
     "share of a message's rate by which it may be wrong in a crowd of thousands of unlike "
     "messages, once its exact sharing has taken some seconds; 0: all exactly"},
    {CFG_NET_QUEUE, "network/queue", "", CFG_DOUBLE, "0", "bytes",
     "what each message under way keeps queued before a link, for those that come later (with "
     "smpi/connections:ordered)"},
    {CFG_NET_LOOPBACK_BW, "network/loopback-bw", "network/loopback", CFG_DOUBLE, "10e9", "bytes/s",
     "bandwidth between two ranks of a host, where the platform gives none"},
    {CFG_NET_BURST, "network/burst", "", CFG_DOUBLE, "0", "bytes",
     "what a link that was idle sends at once (a shaper's token bucket)"},
    {CFG_NET_BURST_HEADER, "network/burst-header", "", CFG_DOUBLE, "0", "bytes",
     "what each message takes of that bucket besides its own bytes"},
    {CFG_NET_LOOPBACK_LAT, "network/loopback-lat", "", CFG_DOUBLE, "0", "s",
     "latency between two ranks of a host, where the platform gives none"},
    {CFG_PATH, "path", "", CFG_STRING, "", "",
     "folder in which the profiles that a platform names are looked for, after its own"},
    {CFG_BUS_BUSSES, "psins/busses", "psins/buses dimemas/buses dimemas/busses", CFG_DOUBLE, "", "",
     "busses between nodes, messages at once on the network (0: no limit); default: the machine's, "
     "else half of the hosts"},
    {CFG_BUS_IN_LINKS, "psins/in-links", "dimemas/in-links", CFG_DOUBLE, "", "",
     "links from the busses into a node (0: no limit); default: the machine's, else 1"},
    {CFG_BUS_OUT_LINKS, "psins/out-links", "dimemas/out-links", CFG_DOUBLE, "", "",
     "links from a node to the busses (0: no limit); default: the machine's, else 1"},
    {CFG_BUS_BANDWIDTH, "psins/bandwidth", "dimemas/bandwidth", CFG_DOUBLE, "", "bytes/s",
     "bandwidth of a message between nodes (0: no limit); default: the least of its route"},
    {CFG_BUS_LATENCY, "psins/latency", "dimemas/latency", CFG_DOUBLE, "", "s",
     "latency of a message between nodes; default: that of its route"},
    {CFG_BUS_LOCAL_BANDWIDTH, "psins/local-bandwidth", "dimemas/local-bandwidth", CFG_DOUBLE, "",
     "bytes/s",
     "bandwidth of a message inside a node (0: no limit); default: the least of the host's route "
     "to itself"},
    {CFG_BUS_LOCAL_LATENCY, "psins/local-latency", "dimemas/local-latency", CFG_DOUBLE, "", "s",
     "latency of a message inside a node; default: that of the host's route to itself"},
    {CFG_PSINS_CURVES, "psins/curves", "", CFG_STRING, "", "",
     "bandwidths of collectives measured by size, for psins-pmac: "
     "operation:size:bandwidth:size:bandwidth…;…"},
    {CFG_PSINS_CURVE_FIT, "psins/curve-fit", "", CFG_STRING, "points", "",
     "points: curves go through what was measured; hyperbola: size / (a + b size), fitted to it"},
    {CFG_DIMEMAS_COLLECTIVES, "dimemas/collectives", "", CFG_STRING, "", "",
     "how collectives last in Dimemas's model: operation:in-model:in-size:out-model:out-size;…"},
    {CFG_DIMEMAS_DUPLEX, "dimemas/duplex", "", CFG_STRING, "full", "",
     "half: a link of a node carries messages in or out, not both at once; full"},
    {CFG_DIMEMAS_LOCAL_BUSES, "dimemas/local-buses", "dimemas/local-busses", CFG_DOUBLE, "0", "",
     "messages at once inside a node in Dimemas's model (0: no limit)"},
    {CFG_DIMEMAS_LOCAL_IN, "dimemas/local-in-links", "", CFG_DOUBLE, "0", "",
     "messages at once into the memory of a node's processes in Dimemas's model (0: no limit)"},
    {CFG_DIMEMAS_LOCAL_OUT, "dimemas/local-out-links", "", CFG_DOUBLE, "0", "",
     "messages at once out of the memory of a node's processes in Dimemas's model (0: no limit)"},
    {CFG_PSINS_COLLECTIVES, "psins/collectives", "", CFG_STRING, "", "",
     "how collectives grow with the ranks in the PSINS models: operation:lin, log or con;…"},
    {CFG_IB_PENALTIES, "smpi/IB-penalty-factors", "smpi/IB_penalty_factors", CFG_STRING,
     "0.965;0.925;1.35", "", "penalties of model IB: beta_e;beta_s;gamma_s"},
    {CFG_LOGGPS_L, "loggps/L", "", CFG_DOUBLE, "2500ns", "s", "LogGPS: latency of the network"},
    {CFG_LOGGPS_OVERHEAD, "loggps/o", "", CFG_DOUBLE, "1500ns", "s",
     "LogGPS: a message keeps the processor busy, at each end"},
    {CFG_LOGGPS_GAP, "loggps/g", "", CFG_DOUBLE, "1000ns", "s",
     "LogGPS: least time between messages of a network interface"},
    {CFG_LOGGPS_G, "loggps/G", "", CFG_DOUBLE, "6ns", "s/byte",
     "LogGPS: time per byte of a network interface"},
    {CFG_LOGGPS_O, "loggps/O", "", CFG_DOUBLE, "0", "s/byte",
     "LogGOPS: a byte keeps the processor busy, at each end"},
    {CFG_LOGGPS_S, "loggps/S", "", CFG_DOUBLE, "65535", "bytes",
     "LogGPS: a longer message waits for its receive (rendezvous)"},
    {CFG_LOGGPS_HANDSHAKE, "loggps/handshake", "", CFG_BOOL, "no", "",
     "LogGPS: rendezvous sends a request and an acknowledgement first; no: as LogGOPSim, at no "
     "cost"},
    {CFG_SMPI_EAGER, "smpi/async-small-thresh",
     "smpi/async-small-thres smpi/async_small_thresh smpi/async_small_thres", CFG_DOUBLE, "0",
     "bytes", "messages below this size leave before the receive is posted (eager)"},
    {CFG_SMPI_DETACHED, "smpi/send-is-detached-thresh",
     "smpi/send-is-detached-thres smpi/send_is_detached_thresh smpi/send_is_detached_thres",
     CFG_DOUBLE, "65536", "bytes",
     "a send below this size returns before its message has left (detached)"},
    {CFG_SMPI_OS, "smpi/os", "", CFG_TABLE, "0:0:0:0:0", "s",
     "overhead of a blocking send: size:seconds:seconds-per-byte;…"},
    {CFG_SMPI_OR, "smpi/or", "", CFG_TABLE, "0:0:0:0:0", "s",
     "overhead of a receive: size:seconds:seconds-per-byte;…"},
    {CFG_SMPI_OIS, "smpi/ois", "", CFG_TABLE, "0:0:0:0:0", "s",
     "overhead of a non-blocking send: size:seconds:seconds-per-byte;…"},
    {CFG_SMPI_OS_LOCAL, "smpi/os-local", "", CFG_TABLE, "", "s",
     "smpi/os between two ranks of a host; default: as smpi/os"},
    {CFG_SMPI_OR_LOCAL, "smpi/or-local", "", CFG_TABLE, "", "s",
     "smpi/or between two ranks of a host; default: as smpi/or"},
    {CFG_SMPI_OIS_LOCAL, "smpi/ois-local", "", CFG_TABLE, "", "s",
     "smpi/ois between two ranks of a host; default: as smpi/ois"},
    {CFG_SMPI_TEST, "smpi/test", "", CFG_DOUBLE, "1e-4", "s", "time of one MPI_Test"},
    {CFG_SMPI_IPROBE, "smpi/iprobe", "", CFG_DOUBLE, "1e-4", "s", "time of one MPI_Iprobe"},
    {CFG_SMPI_GROW_INJECTED, "smpi/grow-injected-times", "smpi/grow_injected_times", CFG_BOOL,
     "yes", "", "each MPI_Test or MPI_Iprobe in vain takes longer than the one before"},
    {CFG_SMPI_INIT, "smpi/init", "", CFG_DOUBLE, "0", "s", "time of MPI_Init"},
    {CFG_SMPI_WTIME, "smpi/wtime", "", CFG_DOUBLE, "0", "s",
     "time that a running program's MPI_Wtime, gettimeofday and the like take; default in compat: "
     "1e-8"},
    {CFG_COMPUTATION_RATES, "computation/rates", "", CFG_STRING, "", "",
     "file of calibrated rates of computation by region ('orrery calibrate cpu'), instead of the "
     "speeds of hosts"},
    {CFG_COMPUTATION_CPU_RATIO, "computation/cpu-ratio", "", CFG_DOUBLE, "", "",
     "how many times as fast a core of the machine is as one that the trace was recorded on; "
     "default: by their rates and models"},
    {CFG_COMPUTATION_WORKING_SET, "computation/working-set", "", CFG_DOUBLE, "0", "bytes",
     "what a process works on, for rates that were calibrated with several working sets; 0: not "
     "given, volumes decide"},
    {CFG_REPLAY_WILDCARDS, "replay/wildcards", "", CFG_STRING, "simulated", "",
     "receives from MPI_ANY_SOURCE in a trace take what comes first here (simulated), or what came "
     "when it was traced (recorded)"},
    {CFG_SMPI_SIMULATE_COMPUTATION, "smpi/simulate-computation", "smpi/simulate_computation",
     CFG_BOOL, "yes", "", "computations take time"},
    {CFG_SMPI_COLL_SELECTOR, "smpi/coll-selector", "smpi/coll_selector", CFG_STRING, "default", "",
     "whose choice of algorithms collectives follow: default (SimGrid's), ompi, ompi-1.7, ompi-4, "
     "ompi-5, mpich, mpich-4, mvapich2, impi, nccl, automatic (the fastest), or file:PATH, a "
     "tuning file of Open MPI or MPICH"},
    {CFG_SMPI_ALLGATHER, "smpi/allgather", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Allgather"},
    {CFG_SMPI_ALLGATHERV, "smpi/allgatherv", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Allgatherv"},
    {CFG_SMPI_ALLREDUCE, "smpi/allreduce", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Allreduce"},
    {CFG_SMPI_ALLTOALL, "smpi/alltoall", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Alltoall"},
    {CFG_SMPI_ALLTOALLV, "smpi/alltoallv", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Alltoallv"},
    {CFG_SMPI_ALLTOALLW, "smpi/alltoallw", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Alltoallw"},
    {CFG_SMPI_BARRIER, "smpi/barrier", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Barrier"},
    {CFG_SMPI_BCAST, "smpi/bcast", "", CFG_STRING, "", "", "algorithm or selector of MPI_Bcast"},
    {CFG_SMPI_EXSCAN, "smpi/exscan", "", CFG_STRING, "", "", "algorithm or selector of MPI_Exscan"},
    {CFG_SMPI_GATHER, "smpi/gather", "", CFG_STRING, "", "", "algorithm or selector of MPI_Gather"},
    {CFG_SMPI_GATHERV, "smpi/gatherv", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Gatherv"},
    {CFG_SMPI_REDUCE, "smpi/reduce", "", CFG_STRING, "", "", "algorithm or selector of MPI_Reduce"},
    {CFG_SMPI_REDUCE_SCATTER, "smpi/reduce_scatter", "smpi/reduce_scatter_block", CFG_STRING, "",
     "", "algorithm or selector of MPI_Reduce_scatter and MPI_Reduce_scatter_block"},
    {CFG_SMPI_SCAN, "smpi/scan", "", CFG_STRING, "", "", "algorithm or selector of MPI_Scan"},
    {CFG_SMPI_SCATTER, "smpi/scatter", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Scatter"},
    {CFG_SMPI_SCATTERV, "smpi/scatterv", "", CFG_STRING, "", "",
     "algorithm or selector of MPI_Scatterv"},
    {CFG_SMPI_COLLECTIVES, "smpi/collectives", "", CFG_STRING, "", "",
     "analytic: decided as a whole by a formula; simulated: message by message; default: as the "
     "communication model has it"},
    {CFG_SMPI_BARRIER_FINALIZATION, "smpi/barrier-finalization", "smpi/finalization-barrier",
     CFG_BOOL, "no", "", "MPI_Finalize begins with a barrier"},
    {CFG_NOISE_NETWORK, "noise/network", "", CFG_TABLE, "", "",
     "what random noise multiplies a message's time by: size:weight:mean:deviation:weight:…;… (see "
     "noise/seed); default: none"},
    {CFG_NOISE_COMPUTE, "noise/compute", "", CFG_TABLE, "", "",
     "the same for computations, by volume: volume:weight:mean:deviation:weight:…;…; "
     "default: none"},
    {CFG_NOISE_MODEL, "noise/model", "", CFG_BOOL, "yes", "",
     "what is not known of machine and model (the line 'trust') is in the spread of 'orrery replay "
     "--runs'"},
    {CFG_NOISE_SEED, "noise/seed", "", CFG_DOUBLE, "0", "",
     "0: nothing is random; else the seed of the noise ('orrery replay --runs')"},
    {CFG_NOISE_NETWORK_LEAST, "noise/network-least", "", CFG_DOUBLE, "1", "",
     "the least part of noise/network that the messages of a run have, 0 to 1: each run draws its "
     "part, from it to 1"},
    {CFG_NOISE_RUN_NETWORK, "noise/run-network", "", CFG_TABLE, "0", "",
     "relative deviation of a factor that all messages of a run have in common: how sure the model "
     "is of them; or "
     "size:deviation;…, size:below:above;…"},
    {CFG_NOISE_RUN_COMPUTE, "noise/run-compute", "", CFG_DOUBLE, "0", "",
     "the same of all computations"},
    {CFG_NOISE_DETOURS, "noise/detours", "", CFG_STRING, "", "",
     "what the operating system takes from computations: rate:median:sigma;…, per second, s, of "
     "logarithms ('orrery calibrate "
     "noise')"},
    {CFG_NOISE_SLEEP, "noise/sleep", "", CFG_STRING, "", "",
     "how late sleeps end: median:sigma, seconds and of logarithms; of sleeps, and of computations "
     "of traces counted by elapsed "
     "time (see 'orrery calibrate "
     "noise')"},
    {CFG_NOISE_PERIODIC, "noise/periodic", "", CFG_STRING, "", "",
     "the same at fixed times, such as timer ticks: period:length;…, s"},
    {CFG_SMPI_COMM_SETUP, "smpi/comm-setup", "", CFG_STRING, "auto", "",
     "what making a communicator costs: none, mpich or ompi (what these exchange); auto: as the "
     "selector, none in compat"},
    {CFG_SMPI_PROGRESS, "smpi/progress", "", CFG_STRING, "calls", "",
     "when non-blocking collectives go on, and messages are answered: calls (of MPI, by their "
     "rank), or async"},
    {CFG_SMPI_ONE_SIDED, "smpi/one-sided", "", CFG_STRING, "auto", "",
     "who answers one-sided operations at their target: hardware, at once; messages: its process, "
     "in its next call of MPI; auto: "
     "messages "
     "over connections"},
    {CFG_SMPI_COPY_RATE, "smpi/copy-rate", "", CFG_STRING, "0", "bytes/s",
     "how fast a rank copies memory: in collectives, to itself, out of an eager buffer, packing; "
     "0: in no time; or by size: "
     "bytes:rate;…"},
    {CFG_SMPI_REDUCE_RATE, "smpi/reduce-rate", "", CFG_STRING, "0", "",
     "elements per second that a rank combines in a reduction whose trace does not say what the "
     "operator costs; 0: in no time; or "
     "elements:rate;…"},
    {CFG_SMPI_SEGMENT_ERROR, "smpi/segment-error", "", CFG_DOUBLE, "0.002", "",
     "share of its time by which a collective in very many eager segments may be wrong, so that "
     "ranks pay the overheads of several at once; 0: of each by itself"},
    {CFG_SMPI_RING_MESSAGES, "smpi/ring-messages", "", CFG_DOUBLE, "16e6", "",
     "a collective on a ring that would send more messages than that is simulated for some of its "
     "rounds, and the others take as long; 0: all rounds of all are simulated"},
    {CFG_STORAGE_FILE_SYSTEMS, "storage/file-systems", "", CFG_STRING, "", "",
     "file systems that all hosts see: MOUNT:read=BANDWIDTH:write=BANDWIDTH:latency=TIME:servers=N "
     "or HOST+HOST:…;… "
     "(docs/machines.md)"},
    {CFG_STORAGE_AGGREGATORS, "storage/aggregators", "", CFG_DOUBLE, "0", "",
     "ranks that access a file for the others in a collective access with holes, at most; 0: one "
     "of each host"},
    {CFG_SMPI_CONNECTIONS, "smpi/connections", "", CFG_STRING, "none", "",
     "ordered: what two processes send each other goes over one connection, in order, as over TCP; "
     "none: each message by itself"},
    {CFG_SMPI_SEND_BUFFER, "smpi/send-buffer", "", CFG_DOUBLE, "0", "bytes",
     "of a connection: a send is over when all but so many bytes have left; 0: small ones at once, "
     "others when they have arrived"},
    {CFG_SMPI_CONNECTION_SETUP, "smpi/connection-setup", "", CFG_DOUBLE, "0", "s",
     "what the first message between two processes waits for their connection"},
    {CFG_SMPI_NOTICE, "smpi/notice", "", CFG_TABLE, "0", "s",
     "how long a rank that waits takes to look at what has come: seconds, or "
     "ranks:seconds[:deviation];… by the number of ranks of "
     "the run"},
    {CFG_SMPI_FIRST_CONTACT, "smpi/first-contact", "", CFG_DOUBLE, "0", "s",
     "how often a rank that has neither sent nor seen a connection looks for one; 0: all the time"},
    {CFG_VIRTUAL_PROCESSORS, "virtual-hosts/processors", "", CFG_DOUBLE, "0", "",
     "the hosts are virtual ones of one computer with so many processors, which their computations "
     "share; 0: they are not"},
    {CFG_VIRTUAL_MESSAGE_WORK, "virtual-hosts/message-work", "", CFG_DOUBLE, "0", "s",
     "of one of these processors for a message between such hosts, part of its latency (with "
     "smpi/connections:ordered)"},
    {CFG_MEMORY_BANDWIDTH, "memory/bandwidth", "", CFG_DOUBLE, "0", "bytes/s",
     "bandwidth of a socket's memory, which ranks that compute there share (with "
     "computation/memory-traffic); 0: not modelled"},
    {CFG_MEMORY_SOCKETS, "memory/sockets", "", CFG_DOUBLE, "1", "",
     "sockets of a host, each with memory of its own"},
    {CFG_MEMORY_PLACEMENT, "memory/placement", "", CFG_STRING, "round", "",
     "where the ranks of a host are: round its sockets, or fill one after the other (--map-by "
     "core, slot)"},
    {CFG_MEMORY_TRAFFIC, "computation/memory-traffic", "", CFG_DOUBLE, "0", "bytes/s",
     "what a rank moves between processor and memory while it computes at full speed; 0: not "
     "given"},
    {CFG_RUN_TOLD_AFTER, "run/told-after", "", CFG_DOUBLE, "30", "s",
     "how long here a rank of a running program computes without a call, others waiting, until it "
     "is told of; a third of that where it has a window"},
};
