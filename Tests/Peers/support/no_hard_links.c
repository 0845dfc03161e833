// SPDX-License-Identifier: MIT
//
// Refuses hard links in the program that it is loaded into, as a disk does that has none.

#include <errno.h>

int link(const char *path, const char *other)
{
    (void)path, (void)other;
    errno = EPERM;
    return -1;
}
