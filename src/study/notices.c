/* notices.c: what the user of a study is told once, and not for each of its runs: links that change
 * and settings that the communication model does not follow. */
#include "study_int.h"

int notices_add(const struct platform *p, struct config *cfg, struct err *err)
{
	struct net *net = net_new(p, cfg, err);
	int r;
	if (!net)
		return -1;
	r = net_notices(net, &cfg->notices);
	net_free(net);
	return r < 0 ? err_nomem(err, "notices", cfg->notices.n) : 0;
}
