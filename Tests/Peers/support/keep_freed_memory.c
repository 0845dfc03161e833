/* SPDX-License-Identifier: MIT */

/* Loaded before the C library: memory is never used again, so that what a program frees and has not
   wiped is found in it for ever. */

#include <malloc.h>
#include <string.h>

void free(void *block) { (void)block; }

void *realloc(void *block, size_t size) {
    void *larger = malloc(size);
    if (larger != NULL && block != NULL) {
        size_t had = malloc_usable_size(block);
        memcpy(larger, block, had < size ? had : size);
    }
    return larger;
}
