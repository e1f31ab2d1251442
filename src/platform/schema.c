/* schema.c: the elements, attributes, defaults and order of SimGrid's platform format, versions 1
 * to 4, as one table. An attribute without fallback is required. Source: the format's definition as
 * of SimGrid 3.12 (version 3) and 3.32 to 4.1 (version 4); what SimGrid's converter
 * simgrid_update_xml changes in older ones (versions 1 and 2: no zones, routes one way only). */
#include "platform/schema.h"

#define SET(e) ((uint64_t)1 << (e))
#define ATTRS (const struct xml_attr[])
#define MODELS (const struct xml_model[])

#define TRACES (SET(E_TRACE) | SET(E_TRACE_CONNECT))
#define TOP \
	(SET(E_INCLUDE) | SET(E_CLUSTER) | SET(E_CABINET) | SET(E_PEER) | SET(E_AS) | \
	 SET(E_ZONE) | TRACES)
#define STORES (SET(E_STORAGE_TYPE) | SET(E_STORAGE))

/* An inner zone (zones, clusters, then the routes between them), or a leaf (hosts and links, then
 * the routes between them). */
#define INNER \
	(SET(E_AS) | SET(E_ZONE) | SET(E_INCLUDE) | STORES | SET(E_LINK) | SET(E_BACKBONE) | \
	 SET(E_CABINET) | SET(E_CLUSTER) | SET(E_PEER) | TRACES)
#define INNER_ROUTES \
	(SET(E_ZONE_ROUTE) | SET(E_AS_ROUTE) | SET(E_BYPASS_AS_ROUTE) | SET(E_BYPASS_ZONE_ROUTE) | \
	 TRACES)
#define LEAF \
	(SET(E_INCLUDE) | STORES | SET(E_HOST) | SET(E_GPU) | SET(E_CABINET) | SET(E_ROUTER) | \
	 SET(E_LINK) | SET(E_BACKBONE) | SET(E_HOST_LINK) | TRACES)
#define LEAF_ROUTES (SET(E_ROUTE) | SET(E_BYPASS_ROUTE) | TRACES)

/* Versions 1 and 2: everything in <platform> itself. */
#define OLD \
	(SET(E_INCLUDE) | SET(E_HOST) | SET(E_CPU) | SET(E_ROUTER) | SET(E_LINK) | \
	 SET(E_NETWORK_LINK) | SET(E_CLUSTER) | SET(E_TRACE) | SET(E_OLD_TRACE_CONNECT) | \
	 SET(E_TRACE_CONNECT))
#define OLD_ROUTES (SET(E_ROUTE) | SET(E_TRACE) | SET(E_OLD_TRACE_CONNECT) | SET(E_TRACE_CONNECT))

static const struct xml_model zone_models[] = {
    {.group = {SET(E_PROP), INNER, INNER_ROUTES, TRACES}},
    {.group = {SET(E_PROP), LEAF, LEAF_ROUTES}}};
static const struct xml_model props[] = {{.group = {SET(E_PROP)}}};
static const struct xml_model links[] = {
    {.group = {SET(E_LINK_CTN) | SET(E_OLD_LINK_CTN) | SET(E_ROUTE_ELEMENT)}}};
static const struct xml_model arguments[] = {{.group = {SET(E_ARGUMENT) | SET(E_PROP)}}};

static const struct xml_attr zone_attrs[] = {{.name = "id"}, {.name = "routing"}, {.name = NULL}};
static const struct xml_attr zone_route_attrs[] = {
    {.name = "src"},
    {.name = "dst"},
    {.name = "gw_src"},
    {.name = "gw_dst"},
    {.name = "symmetrical", .fallback = "YES", .choices = "YES|NO|yes|no"},
    {.name = NULL},
};
static const struct xml_attr bypass_zone_route_attrs[] = {
    {.name = "src"}, {.name = "dst"}, {.name = "gw_src"}, {.name = "gw_dst"}, {.name = NULL}};
static const struct xml_attr actor_attrs[] = {
    {.name = "host"},
    {.name = "function"},
    {.name = "start_time", .fallback = "-1.0"},
    {.name = "kill_time", .fallback = "-1.0"},
    {.name = "on_failure", .fallback = "DIE", .choices = "DIE|RESTART"},
    {.name = NULL},
};
static const struct xml_attr prop_attrs[] = {{.name = "id"}, {.name = "value"}, {.name = NULL}};

static const struct xml_attr trace_connect_attrs[] = {
    {.name = "kind",
     .fallback = "HOST_AVAIL",
     .choices = "HOST_AVAIL|SPEED|POWER|LINK_AVAIL|BANDWIDTH|LATENCY"},
    {.name = "trace"},
    {.name = "element"},
    {.name = NULL},
};
static const struct xml_attr link_ctn_attrs[] = {
    {.name = "id"},
    {.name = "direction", .fallback = "NONE", .choices = "UP|DOWN|NONE"},
    {.name = NULL}};

/* What hosts and links have besides their name. */
#define HOST_ATTRS \
	{.name = "speed", .before4 = "power"}, {.name = "core", .fallback = "1"}, \
	    {.name = "speed_file", .fallback = "", .versions = XML_V4}, \
	    {.name = "availability_file", .fallback = ""}, {.name = "state_file", .fallback = ""}, \
	    {.name = "coordinates", .fallback = ""}, {.name = "pstate", .fallback = "0.0"}, \
	    {.name = "availability", .fallback = "1.0", .versions = XML_V3 | XML_OLD}, \
	{ \
		.name = "state", .fallback = "ON", .choices = "ON|OFF", \
		.versions = XML_V3 | XML_OLD \
	}
#define LINK_ATTRS \
	{.name = "bandwidth"}, {.name = "bandwidth_file", .fallback = ""}, \
	    {.name = "latency", .fallback = "0"}, {.name = "latency_file", .fallback = ""}, \
	    {.name = "state_file", .fallback = ""}, \
	    {.name = "sharing_policy", \
	     .fallback = "SHARED", \
	     .choices = "SHARED|SPLITDUPLEX|FULLDUPLEX|FATPIPE", \
	     .refused = "WIFI"}, \
	{ \
		.name = "state", .fallback = "ON", .choices = "ON|OFF", \
		.versions = XML_V3 | XML_OLD \
	}

const struct xml_element simgrid_elements[E_COUNT] = {
    [E_PLATFORM] =
        {
            "platform",
            ATTRS{{.name = "version", .fallback = "0.0"}, {.name = NULL}},
            MODELS{{.group = {SET(E_CONFIG) | SET(E_RANDOM), TOP, SET(E_PROCESS) | SET(E_ACTOR)},
                    .versions = XML_SINCE3},
                   {.group = {SET(E_CONFIG) | SET(E_RANDOM), OLD, OLD_ROUTES, SET(E_PROCESS)},
                    .versions = XML_OLD}},
            2,
            .canonical = E_PLATFORM,
        },
    [E_CONFIG] = {"config", ATTRS{{.name = "id", .fallback = ""}, {.name = NULL}}, props, 1,
                  .canonical = E_CONFIG},
    [E_PROP] = {"prop", prop_attrs, .canonical = E_PROP},
    [E_RANDOM] =
        {
            "random",
            ATTRS{
                {.name = "id"},
                {.name = "min"},
                {.name = "max"},
                {.name = "mean"},
                {.name = "std_deviation"},
                {.name = "seed", .fallback = "2147483647"},
                {.name = "radical", .fallback = ""},
                {.name = "generator",
                 .fallback = "DRAND48",
                 .choices = "DRAND48|RAND|RNGSTREAM|NONE"},
                {.name = NULL},
            },
            .canonical = E_RANDOM,
        },
    [E_INCLUDE] = {"include", ATTRS{{.name = "file"}, {.name = NULL}}, MODELS{{.group = {TOP}}}, 1,
                   .canonical = E_INCLUDE},
    [E_TRACE] =
        {
            "trace",
            ATTRS{{.name = "id"},
                  {.name = "file", .fallback = ""},
                  {.name = "periodicity"},
                  {.name = NULL}},
            .text = 1,
            .canonical = E_TRACE,
        },
    [E_TRACE_CONNECT] =
        {
            "trace_connect",
            trace_connect_attrs,
            .canonical = E_TRACE_CONNECT,
        },
    [E_ZONE] = {"zone", zone_attrs, zone_models, 2, .canonical = E_ZONE},
    [E_AS] = {"AS", zone_attrs, zone_models, 2, .canonical = E_ZONE},
    [E_CLUSTER] =
        {
            "cluster",
            ATTRS{
                {.name = "id"},
                {.name = "prefix"},
                {.name = "suffix"},
                {.name = "radical"},
                {.name = "speed", .before4 = "power"},
                {.name = "core", .fallback = "1"},
                {.name = "bw"},
                {.name = "lat"},
                {.name = "sharing_policy",
                 .fallback = "SPLITDUPLEX",
                 .choices = "SHARED|SPLITDUPLEX|FULLDUPLEX|FATPIPE"},
                {.name = "topology",
                 .fallback = "FLAT",
                 .choices = "FLAT|TORUS|FAT_TREE|DRAGONFLY"},
                {.name = "topo_parameters", .fallback = ""},
                {.name = "bb_bw", .fallback = ""},
                {.name = "bb_lat", .fallback = "0s"},
                {.name = "bb_sharing_policy", .fallback = "SHARED", .choices = "SHARED|FATPIPE"},
                {.name = "router_id", .fallback = ""},
                {.name = "limiter_link", .fallback = ""},
                {.name = "loopback_bw", .fallback = ""},
                {.name = "loopback_lat", .fallback = ""},
                {.name = "availability_file", .fallback = "", .versions = XML_V3 | XML_OLD},
                {.name = "state_file", .fallback = "", .versions = XML_V3 | XML_OLD},
                {.name = NULL},
            },
            props,
            1,
            .canonical = E_CLUSTER,
        },
    [E_CABINET] =
        {
            "cabinet",
            ATTRS{
                {.name = "id"},
                {.name = "prefix"},
                {.name = "suffix"},
                {.name = "radical"},
                {.name = "speed", .before4 = "power"},
                {.name = "bw"},
                {.name = "lat"},
                {.name = NULL},
            },
            .canonical = E_CABINET,
        },
    [E_PEER] =
        {
            "peer",
            ATTRS{
                {.name = "id"},
                {.name = "speed", .before4 = "power"},
                {.name = "bw_in"},
                {.name = "bw_out"},
                {.name = "lat", .fallback = "0"},
                {.name = "coordinates", .fallback = ""},
                {.name = "speed_file", .fallback = "", .versions = XML_V4},
                {.name = "availability_file", .fallback = ""},
                {.name = "state_file", .fallback = ""},
                {.name = NULL},
            },
            .canonical = E_PEER,
        },
    [E_HOST] =
        {
            "host",
            ATTRS{
                {.name = "id"},
                HOST_ATTRS,
                {.name = NULL},
            },
            MODELS{{.group = {SET(E_DISK) | SET(E_PROP) | SET(E_MOUNT) | SET(E_MSTORAGE)}}},
            1,
            .canonical = E_HOST,
        },
    [E_DISK] =
        {
            "disk",
            ATTRS{{.name = "id", .fallback = "/"},
                  {.name = "read_bw"},
                  {.name = "write_bw"},
                  {.name = NULL}},
            props,
            1,
            XML_V4,
            .canonical = E_DISK,
        },
    [E_ROUTER] = {"router",
                  ATTRS{{.name = "id"}, {.name = "coordinates", .fallback = ""}, {.name = NULL}},
                  .canonical = E_ROUTER},
    [E_LINK] =
        {
            "link",
            ATTRS{
                {.name = "id"},
                LINK_ATTRS,
                {.name = NULL},
            },
            props,
            1,
            .canonical = E_LINK,
        },
    [E_BACKBONE] = {"backbone",
                    ATTRS{
                        {.name = "id"}, {.name = "bandwidth"}, {.name = "latency"}, {.name = NULL}},
                    .canonical = E_BACKBONE},
    [E_HOST_LINK] = {"host_link",
                     ATTRS{{.name = "id"}, {.name = "up"}, {.name = "down"}, {.name = NULL}},
                     .canonical = E_HOST_LINK},
    [E_ROUTE] =
        {
            "route",
            ATTRS{{.name = "src"},
                  {.name = "dst"},
                  {.name = "symmetrical",
                   .fallback = "YES",
                   .choices = "YES|NO|yes|no",
                   .versions = XML_SINCE3},
                  {.name = "symmetrical",
                   .fallback = "NO",
                   .choices = "YES|NO|yes|no",
                   .versions = XML_OLD},
                  {.name = NULL}},
            links,
            1,
            .canonical = E_ROUTE,
        },
    [E_ZONE_ROUTE] = {"zoneRoute", zone_route_attrs, links, 1, .canonical = E_ZONE_ROUTE},
    [E_AS_ROUTE] = {"ASroute", zone_route_attrs, links, 1, .canonical = E_ZONE_ROUTE},
    [E_BYPASS_ROUTE] = {"bypassRoute", ATTRS{{.name = "src"}, {.name = "dst"}, {.name = NULL}},
                        links, 1, .canonical = E_BYPASS_ROUTE},
    [E_BYPASS_ZONE_ROUTE] = {"bypassZoneRoute", bypass_zone_route_attrs, links, 1,
                             .canonical = E_BYPASS_ZONE_ROUTE},
    [E_BYPASS_AS_ROUTE] = {"bypassASroute", bypass_zone_route_attrs, links, 1,
                           .canonical = E_BYPASS_ZONE_ROUTE},
    [E_LINK_CTN] =
        {
            "link_ctn",
            link_ctn_attrs,
            .canonical = E_LINK_CTN,
        },
    [E_STORAGE_TYPE] =
        {
            "storage_type",
            ATTRS{
                {.name = "id"},
                {.name = "model", .fallback = "N11"},
                {.name = "size"},
                {.name = "content", .fallback = ""},
                {.name = "content_type", .fallback = ""},
                {.name = NULL},
            },
            MODELS{{.group = {SET(E_MODEL_PROP) | SET(E_PROP)}}},
            1,
            .canonical = E_STORAGE_TYPE,
        },
    [E_STORAGE] =
        {
            "storage",
            ATTRS{
                {.name = "id"},
                {.name = "typeId"},
                {.name = "content", .fallback = ""},
                {.name = "content_type", .fallback = ""},
                {.name = "attach"},
                {.name = NULL},
            },
            props,
            1,
            .canonical = E_STORAGE,
        },
    [E_MOUNT] = {"mount", ATTRS{{.name = "storageId"}, {.name = "name"}, {.name = NULL}},
                 .canonical = E_MOUNT},
    [E_MSTORAGE] = {"mstorage", ATTRS{{.name = "typeId"}, {.name = "name"}, {.name = NULL}},
                    .versions = XML_V3, .canonical = E_MSTORAGE},
    [E_GPU] = {"gpu", ATTRS{{.name = "name"}, {.name = NULL}}, .versions = XML_V3,
               .canonical = E_GPU},
    [E_MODEL_PROP] = {"model_prop", prop_attrs, .canonical = E_MODEL_PROP},
    [E_ACTOR] = {"actor", actor_attrs, arguments, 1, .canonical = E_ACTOR},
    [E_PROCESS] = {"process", actor_attrs, arguments, 1, .canonical = E_ACTOR},
    [E_ARGUMENT] = {"argument", ATTRS{{.name = "value"}, {.name = NULL}}, .canonical = E_ARGUMENT},
    [E_PLATFORM_DESCRIPTION] =
        {
            "platform_description",
            ATTRS{{.name = "version"}, {.name = NULL}},
            MODELS{{.group = {SET(E_CONFIG) | SET(E_RANDOM), OLD, OLD_ROUTES, SET(E_PROCESS)},
                    .versions = XML_OLD}},
            1,
            .canonical = E_PLATFORM,
        },
    [E_CPU] =
        {
            "cpu",
            ATTRS{{.name = "id", .before4 = "name"}, HOST_ATTRS, {.name = NULL}},
            MODELS{{.group = {SET(E_PROP)}}},
            1,
            XML_OLD,
            .canonical = E_HOST,
        },
    [E_NETWORK_LINK] = {"network_link",
                        ATTRS{{.name = "id", .before4 = "name"}, LINK_ATTRS, {.name = NULL}}, props,
                        1, XML_OLD, .canonical = E_LINK},
    [E_ROUTE_ELEMENT] = {"route_element",
                         ATTRS{{.name = "id", .before4 = "name"},
                               {.name = "direction", .fallback = "NONE", .choices = "UP|DOWN|NONE"},
                               {.name = NULL}},
                         .versions = XML_OLD, .canonical = E_LINK_CTN},
    [E_OLD_LINK_CTN] = {"link:ctn", link_ctn_attrs, .versions = XML_OLD, .canonical = E_LINK_CTN},
    [E_OLD_TRACE_CONNECT] = {"trace:connect", trace_connect_attrs, .versions = XML_OLD,
                             .canonical = E_TRACE_CONNECT},
};
