/* change.h: the machine as it is now, where availability profiles change it. net.changes is NULL
 * when the platform has none. */
#ifndef ORRERY_NET_CHANGE_H
#define ORRERY_NET_CHANGE_H

#include "net_int.h"

/* Makes n->changes from the platform's profiles, and what they say of date 0. Nothing if there are
 * none. */
int changes_init(struct net *n, struct err *err);
void changes_free(struct changes *c);

/* All below: when n->changes is there. */
/* Replaces the bandwidth and the latency of a link by those of now. A bandwidth of 0 is left out
 * here (what bounds and weights are made of is positive): change_capacity tells it. */
void change_link(const struct net *n, struct link_id l, struct link_info *info);
double change_capacity(const struct net *n, struct link_id l,
                       double bandwidth); /* bytes/s now; bandwidth: as it is described */
double change_speed(const struct net *n,
                    struct host_id h); /* factor on the speed of the cores of a host */
/* 0, or -1 with *err set: the link is off. */
int change_link_on(const struct net *n, struct link_id l, struct err *err);
/* A message of a flow model has started as activity a over a way of that bandwidth and latency. */
int change_message_started(struct net *n, struct activity_id a, struct host_id from,
                           struct host_id to, const struct path *p, struct err *err);
/* Grows with each change of a link; 0: nothing has changed. */
uint64_t changes_seen(const struct net *n);

/* crossing.c: messages that are not flows over links. All but the first two: when n->crossings is
 * there. */
/* Makes n->crossings if the model's messages are no flows and links go off (or, where it matters to
 * the model, have a bandwidth of 0). */
int crossings_init(struct net *n, struct err *err);
void crossings_free(struct crossings *c);
/* A message begins its way, and ends it. -1 with an ERR_PROGRAM: a link of the way is off. user:
 * another one for each message under way. */
int crossing_begin(struct net *n, struct host_id from, struct host_id to, uint64_t user,
                   struct err *err);
void crossing_end(struct net *n, uint64_t user); /* nothing if it did not begin */
/* One that crosses the link: 1 with its *user, or 0; -1: there is no memory to look. */
int crossing_find(struct net *n, struct link_id l, uint64_t *user, struct err *err);
/* Tells the watch that the message cannot go on, for that reason: -1 with *err set. */
int message_stopped(struct net *n, uint64_t user, const char *why, struct err *err);

#endif
