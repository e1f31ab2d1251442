/* schema.h: the elements of SimGrid's platform format. */
#ifndef ORRERY_PLATFORM_SCHEMA_H
#define ORRERY_PLATFORM_SCHEMA_H

#include "platform/xml.h"

enum simgrid_element {
	E_PLATFORM,
	E_CONFIG,
	E_PROP,
	E_RANDOM,
	E_INCLUDE,
	E_TRACE,
	E_TRACE_CONNECT,
	E_ZONE,
	E_AS,
	E_CLUSTER,
	E_CABINET,
	E_PEER,
	E_HOST,
	E_DISK,
	E_ROUTER,
	E_LINK,
	E_BACKBONE,
	E_HOST_LINK,
	E_ROUTE,
	E_ZONE_ROUTE,
	E_AS_ROUTE,
	E_BYPASS_ROUTE,
	E_BYPASS_ZONE_ROUTE,
	E_BYPASS_AS_ROUTE,
	E_LINK_CTN,
	E_STORAGE_TYPE,
	E_STORAGE,
	E_MOUNT,
	E_MSTORAGE,
	E_GPU,
	E_MODEL_PROP,
	E_ACTOR,
	E_PROCESS,
	E_ARGUMENT,
	E_PLATFORM_DESCRIPTION, /* words of versions 1 and 2 */
	E_CPU,
	E_NETWORK_LINK,
	E_ROUTE_ELEMENT,
	E_OLD_LINK_CTN,
	E_OLD_TRACE_CONNECT,
	E_COUNT
};
extern const struct xml_element simgrid_elements[E_COUNT];

#endif
