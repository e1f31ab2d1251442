/* processor.h: how fast a core of this computer computes, all of its processors at work as in an
 * MPI run: floating-point operations, and instructions where the processor counts them. What a
 * machine's header says as rate-flops and rate-instructions (docs/machines.md). */
#ifndef ORRERY_CALIBRATE_PROCESSOR_H
#define ORRERY_CALIBRATE_PROCESSOR_H

#include "base/base.h"

/* What programs do, from the best case to the worst: a product of small matrices (registers, first
 * cache), a stencil (second cache), sums of long vectors (memory). */
enum { PROCESSOR_KERNELS = 3 };
struct processor_rates {
	char model[192];                        /* as the kernel calls it; "" if it does not */
	int processors;                         /* that were at work at once */
	double flops[PROCESSOR_KERNELS];        /* per second of a core */
	double instructions[PROCESSOR_KERNELS]; /* per second; 0: not counted here */
};
/* Measures on all processors that this process may use, `seconds` in all or so. */
int processor_measure(struct processor_rates *p, double seconds, struct err *err);
/* Lines of a machine's header: processor, cores, rate-flops, rate-instructions; and the setting
 * memory/bandwidth, of all processors together (one socket). */
void processor_header(const struct processor_rates *p, struct str *out);
void processor_text(const struct processor_rates *p, struct str *out);

#endif
