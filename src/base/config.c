/* config.c: the settings. The table is below; SimGrid's settings that mean nothing here are in
 * config_simgrid.c. */
#include "config.h"

#include "config_int.h"
#include "input.h"
#include "nearest.h"
#include "num.h"
#include "units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

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
     "whose choice of algorithms collectives follow, or file:PATH, a tuning file of Open MPI or "
     "MPICH"},
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
};

/* Is name[0..n) one of the blank-separated words? */
static int word_among(const char *name, const char *words)
{
	size_t n = strlen(name), length;

	for (; *words; words += length + (words[length] == ' ')) {
		length = strcspn(words, " ");
		if (length == n && memcmp(words, name, n) == 0)
			return 1;
	}
	return 0;
}

static const struct config_row *row_find(const char *name)
{
	int i;

	for (i = 0; i < CFG_COUNT; i++)
		if (strcmp(config_table[i].name, name) == 0 ||
		    word_among(name, config_table[i].aliases))
			return &config_table[i];
	return NULL;
}

static int bool_parse(const char *text, double *out)
{
	static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
	int i;

	for (i = 0; i < 8; i++) {
		if (strcasecmp(text, words[i]) == 0) {
			*out = i % 2;
			return 0;
		}
	}
	return -1;
}

/* Of things that there are one by one. */
static int is_whole(enum config_id id)
{
	static const enum config_id whole[] = {CFG_BUS_BUSSES,         CFG_BUS_IN_LINKS,
	                                       CFG_BUS_OUT_LINKS,      CFG_DIMEMAS_LOCAL_BUSES,
	                                       CFG_DIMEMAS_LOCAL_IN,   CFG_DIMEMAS_LOCAL_OUT,
	                                       CFG_NOISE_SEED,         CFG_STORAGE_AGGREGATORS,
	                                       CFG_VIRTUAL_PROCESSORS, CFG_MEMORY_SOCKETS};

	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (whole[i] == id)
			return 1;
	return 0;
}

/* A number of things, or a part. Whole ones are small enough that a double has them and the ones
 * after them. */
static int plain_parse(const struct config_row *row, const char *text, double *out, struct err *err)
{
	double v;

	if (num_parse_double(text, strlen(text), &v) < 0 || !isfinite(v))
		return err_set(err, ERR_INPUT, "setting %s takes a number, not \"%s\"", row->name,
		               text);
	if (v < 0)
		return err_set(err, ERR_INPUT,
		               "setting %s takes a number, not a negative one: \"%s\"", row->name,
		               text);
	if (is_whole(row->id) && (v != floor(v) || v >= 0x1p53))
		return err_set(err, ERR_INPUT,
		               "setting %s takes a whole number below 2^53, not \"%s\"", row->name,
		               text);
	*out = v;
	return 0;
}

/* Numbers may carry a unit of the setting's kind, and none is negative: but platform files of
 * SimGrid, StarPU's among them, say by a TCP window of -1 that there is none. */
static int number_parse(const struct config_row *row, const char *text, double *out,
                        struct err *err)
{
	enum unit_kind kind = row->unit[0] == 's'               ? UNIT_TIME
	                      : strcmp(row->unit, "bytes") == 0 ? UNIT_SIZE
	                                                        : UNIT_BANDWIDTH;
	const char *unit = kind == UNIT_TIME ? "seconds" : row->unit;
	struct err why;
	double v;

	if (units_parse(text, kind, &v, &why) < 0)
		return err_set(err, ERR_INPUT, "setting %s takes a number of %s: %s", row->name,
		               unit, why.text);
	if (v < 0 && row->id == CFG_NET_TCP_GAMMA)
		v = 0;
	if (v < 0)
		return err_set(err, ERR_INPUT,
		               "setting %s takes a number of %s, not a negative one: \"%s\"",
		               row->name, unit, text);
	*out = v;
	return 0;
}

/* Checks a value and gives what is kept of it as a number. An empty text is the model's default. */
static int value_parse(const struct config_row *row, const char *text, double *out, struct err *err)
{
	*out = 0;
	if (text[0] == '\0' && (row->initial[0] == '\0' || row->type == CFG_STRING))
		return 0;
	switch (row->type) {
	case CFG_BOOL:
		if (bool_parse(text, out) < 0)
			return err_set(err, ERR_INPUT, "setting %s takes yes or no, not \"%s\"",
			               row->name, text);
		return 0;
	case CFG_DOUBLE:
		return row->unit[0] ? number_parse(row, text, out, err)
		                    : plain_parse(row, text, out, err);
	case CFG_TABLE:
		return config_table_check(row, text, err);
	case CFG_STRING:
		break;
	}
	if (row->id == CFG_COMPAT && strcmp(text, "simgrid-3.32") != 0)
		return err_set(err, ERR_INPUT,
		               "setting compat knows \"simgrid-3.32\" only, not \"%s\"", text);
	return 0;
}

static int value_set(struct config_value *value, const char *text, double number,
                     enum config_source from, struct err *err)
{
	char *copy = strdup(text);

	if (!copy)
		return err_nomem(err, "a setting", strlen(text) + 1);
	free(value->text);
	*value = (struct config_value){copy, number, from};
	return 0;
}

int config_init(struct config *c, struct err *err)
{
	double number;
	int i;

	memset(c, 0, sizeof *c);
	str_init(&c->notices);
	for (i = 0; i < CFG_COUNT; i++) {
		BUG_ON((int)config_table[i].id != i);
		if (value_parse(&config_table[i], config_table[i].initial, &number, err) < 0 ||
		    value_set(&c->value[i], config_table[i].initial, number, CFG_FROM_DEFAULT,
		              err) < 0) {
			config_release(c);
			return -1;
		}
	}
	return 0;
}

void config_release(struct config *c)
{
	int i;

	for (i = 0; i < CFG_COUNT; i++)
		free(c->value[i].text);
	for (i = 0; i < 4; i++)
		free(c->family[i / 2][i % 2].text);
	str_release(&c->notices);
	memset(c, 0, sizeof *c);
}

static int unknown_setting(const char *name, struct err *err)
{
	struct nearest near;
	int i;

	nearest_init(&near, name);
	for (i = 0; i < CFG_COUNT; i++)
		nearest_offer(&near, config_table[i].name);
	err_set(err, ERR_INPUT, "unknown setting \"%s\"", name);
	if (near.best)
		err_append(err, ": did you mean %s?", near.best);
	else
		err_append(err, "; `orrery help settings` lists them");
	return -1;
}

/* A name that is not in the table: SimGrid's, or nobody's. */
static int foreign_set(struct config *c, const char *name, const char *value, struct err *err)
{
	const struct config_foreign *f = config_foreign_find(name);

	if (!f)
		return unknown_setting(name, err);
	if (f->only && !config_foreign_harmless(f, value))
		return err_set(
		    err, ERR_INPUT,
		    "setting %s:%s would change SimGrid's times, and is not supported%s%s", name,
		    value, f->only[0] ? "; supported: " : "", f->only);
	str_printf(&c->notices, "setting %s is accepted for SimGrid's sake: %s\n", name, f->why);
	return c->notices.failed ? err_nomem(err, "notices on settings", c->notices.n + 1) : 0;
}

/* What was given under names of that family, or NULL: not a setting with two. */
static struct config_value *family_factor(struct config *c, enum config_id id, int smpi)
{
	if (id != CFG_NET_LATENCY_FACTOR && id != CFG_NET_BANDWIDTH_FACTOR)
		return NULL;
	return &c->family[id == CFG_NET_BANDWIDTH_FACTOR][smpi];
}

static int family_set(struct config *c, const char *name, enum config_id id, const char *value,
                      double number, enum config_source from, struct err *err)
{
	struct config_value *v = family_factor(c, id, strncmp(name, "smpi/", 5) == 0);

	return v && from >= v->source ? value_set(v, value, number, from, err) : 0;
}

int config_set(struct config *c, const char *name, const char *value, enum config_source from,
               struct err *err)
{
	const struct config_row *row = row_find(name);
	double number;

	if (!row)
		return foreign_set(c, name, value, err);
	if (row->type == CFG_STRING && !row->initial[0] && strcmp(value, "none") == 0)
		value = ""; /* as help and docs/settings.md have this default */
	if (value_parse(row, value, &number, err) < 0)
		return -1;
	if (family_set(c, name, row->id, value, number, from, err) < 0)
		return -1;
	if (from < c->value[row->id].source)
		return 0;
	return value_set(&c->value[row->id], value, number, from, err);
}

int config_factors_of(struct config *c, int smpi, struct err *err)
{
	static const enum config_id ids[] = {CFG_NET_LATENCY_FACTOR, CFG_NET_BANDWIDTH_FACTOR};

	for (int i = 0; i < 2; i++) {
		const struct config_value *v = family_factor(c, ids[i], smpi);

		if ((v->text ? value_set(&c->value[ids[i]], v->text, v->number, v->source, err)
		             : config_unset(c, ids[i], err)) < 0)
			return -1;
	}
	return 0;
}

/* One "name:value" of n bytes. */
static int setting_parse(struct config *c, const char *s, size_t n, enum config_source from,
                         struct err *err)
{
	const char *colon = memchr(s, ':', n);
	char *copy;
	int result;

	if (!colon || colon == s)
		return err_set(err, ERR_INPUT, "\"%.*s\" is not a setting: name:value was expected",
		               (int)n, s);
	copy = strndup(s, n);
	if (!copy)
		return err_nomem(err, "a setting", n + 1);
	copy[colon - s] = '\0';
	result = config_set(c, copy, copy + (colon - s) + 1, from, err);
	free(copy);
	return result;
}

/* A shared object is code: only the command line may name one, no file. */
static int object_refuse(const char *word, size_t n, struct err *err)
{
	static const char name[] = "network/model:";
	size_t k = sizeof name - 1, end;

	if (n < k || strncmp(word, name, k) != 0)
		return 0;
	end = k + strcspn(word + k, ":, \t\r\n");
	if (!memchr(word + k, '/', n - k) &&
	    (end < k + 3 || strncmp(word + end - 3, ".so", 3) != 0))
		return 0;
	return err_set(
	    err, ERR_INPUT,
	    "network/model: a shared object is code, which no file may load: give it with --model");
}

/* At an error *at is the setting at fault. */
static int words_set(struct config *c, const char **at, enum config_source from, int in_file,
                     struct err *err);

/* Settings of a file, a line or several to a line; '#' begins a comment line. */
static int file_read(struct config *c, const char *path, enum config_source from, struct err *err)
{
	struct input *in = input_open(path, 0, err);
	struct err why;
	const char *at;
	char *line;
	size_t n;
	int more = -1;

	while (in && (more = input_line(in, &line, &n, err)) > 0) {
		at = line + strspn(line, " \t");
		if (*at != '#' && words_set(c, &at, from, 1, &why) < 0) {
			more = err_placed(err, path, input_lineno(in), at - line + 1, &why);
			break;
		}
	}
	if (in)
		input_close(in);
	return more;
}

static int word_set(struct config *c, const char *s, size_t n, enum config_source from, int in_file,
                    struct err *err)
{
	char *path;
	int r;

	if (in_file && *s == '@')
		return err_set(err, ERR_INPUT, "a file of settings does not name another one");
	if (in_file && object_refuse(s, n, err) < 0)
		return -1;
	if (*s != '@')
		return setting_parse(c, s, n, from, err);
	path = strndup(s + 1, n - 1);
	if (!path)
		return err_nomem(err, "a setting", n);
	r = file_read(c, path, from, err);
	free(path);
	return r;
}

static const char separators[] = " \t\r\n,";

/* "name: value", as in many other programs' files: two words. */
static int blank_refuse(const char *s, size_t n, struct err *err)
{
	const char *next = s + n + strspn(s + n, " \t");
	size_t k = strcspn(next, separators);

	if (n < 2 || s[n - 1] != ':' || next == s + n || k == 0 || memchr(next, ':', k))
		return 0;
	return err_set(err, ERR_INPUT, "a blank after \"%.*s\": %.*s%.*s was expected", (int)n, s,
	               (int)n, s, (int)k, next);
}

static int words_set(struct config *c, const char **at, enum config_source from, int in_file,
                     struct err *err)
{
	for (*at += strspn(*at, separators); **at; *at += strspn(*at, separators)) {
		size_t n = strcspn(*at, separators);

		if (blank_refuse(*at, n, err) < 0 || word_set(c, *at, n, from, in_file, err) < 0)
			return -1;
		*at += n;
	}
	return 0;
}

int config_set_all(struct config *c, const char *settings, enum config_source from, struct err *err)
{
	/* a name may have blanks and commas */
	if (*settings == '@' && access(settings + 1, F_OK) == 0)
		return file_read(c, settings + 1, from, err);
	return words_set(c, &settings, from, 0, err);
}

int config_unset(struct config *c, enum config_id id, struct err *err)
{
	const struct config_row *row = &config_table[id];
	double number;

	if (value_parse(row, row->initial, &number, err) < 0)
		return -1;
	return value_set(&c->value[id], row->initial, number, CFG_FROM_DEFAULT, err);
}

enum config_id config_find(const char *name)
{
	const struct config_row *row = row_find(name);

	return row ? row->id : CFG_COUNT;
}

const char *config_text(const struct config *c, enum config_id id)
{
	return c->value[id].text;
}

double config_number(const struct config *c, enum config_id id)
{
	BUG_ON(config_table[id].type != CFG_DOUBLE && config_table[id].type != CFG_BOOL);
	return c->value[id].number;
}

int config_bool(const struct config *c, enum config_id id)
{
	BUG_ON(config_table[id].type != CFG_BOOL);
	return c->value[id].number != 0;
}

enum config_source config_from(const struct config *c, enum config_id id)
{
	return c->value[id].source;
}

int config_compat(const struct config *c)
{
	return c->value[CFG_COMPAT].text[0] != '\0';
}
