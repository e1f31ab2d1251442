/* fuzz.h: the entry of every fuzz target. The same file is built twice: with libFuzzer for `make
 * fuzz`, and with corpus_main.c as an ordinary test that runs over tests/fuzz/corpus/<name>/. */
#ifndef ORRERY_TESTS_FUZZ_H
#define ORRERY_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
