/* cut.h: a mapped input that is cut while it is read is said, and no crash. */
#ifndef ORRERY_CLI_CUT_H
#define ORRERY_CLI_CUT_H

/* From now on. Simulated programs in the process take the signal for the time they run. */
void cut_catch(void);

#endif
