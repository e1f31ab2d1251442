/* measure.h: processor time of a rank (measure.c), s. */
#ifndef ORRERY_LIBMPI_MEASURE_H
#define ORRERY_LIBMPI_MEASURE_H

/* Of this thread. */
double processor_time(void);
/* What a stretch of computation takes in which the calling thread was busy for `own`, and others,
 * since this was asked last, for what they were. cores: 0: as the longest of them; less: as the
 * calling one; else all of it shared by so many cores. */
double threads_time(double own, double cores);

#endif
