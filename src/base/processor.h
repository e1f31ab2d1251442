/* processor.h: which processor this computer has. */
#ifndef ORRERY_BASE_PROCESSOR_H
#define ORRERY_BASE_PROCESSOR_H

#include <stddef.h>

/* Its model as the kernel tells it, without the blanks around it, and on x86 what CPUID says of it:
 * "Intel(R) Xeon(R) CPU X3440 @ 2.53GHz (GenuineIntel 6/30/5)": vendor, family, model, stepping, in
 * decimal. On virtual machines the name may tell less than these ("AMD EPYC"). On ARM, which has no
 * names, "arm 0x46 0x001": implementer and part. "" if the kernel tells nothing. Does not change
 * errno. */
void processor_name(char *out, size_t n);
/* The same of a text in the form of /proc/cpuinfo. */
void processor_name_in(const char *cpuinfo, char *out, size_t n);

#endif
