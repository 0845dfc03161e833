// SPDX-License-Identifier: MIT
//
// libFuzzer as a library. The toolchain brings the archive and no header.

#ifndef FUZZING_SHIM_H
#define FUZZING_SHIM_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(
    int *argc, char ***argv, int (*run)(const uint8_t *data, size_t size));

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

#endif
