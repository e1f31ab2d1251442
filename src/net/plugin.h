/* plugin.h: communication models of others: in shared objects, or of a program that embeds us. */
#ifndef ORRERY_NET_PLUGIN_H
#define ORRERY_NET_PLUGIN_H

#include "net_int.h"

struct orrery_model;

int plugin_is(const char *name); /* a path, not the name of a model */
/* Loads the shared object; n->state is the plugin from then on, which its release frees. NULL with
 * *err: not found, no model, of another version. */
const struct net_model *plugin_load(struct net *n, const char *path, struct err *err);
/* The same of an entry that the caller has. */
const struct net_model *plugin_take(struct net *n, const struct orrery_model *entry,
                                    struct err *err);

#endif
