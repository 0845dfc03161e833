// SPDX-License-Identifier: MIT
//
// Has no locks for files below the folder $WITHOUT_LOCKS, as some network disks have none.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int flock(int file, int operation)
{
    const char *folder = getenv("WITHOUT_LOCKS");
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path);
    if (folder && length > 0 && (size_t)length > strlen(folder) && !memcmp(path, folder, strlen(folder))) {
        errno = ENOLCK;
        return -1;
    }
    int (*real)(int, int) = (int (*)(int, int))dlsym(RTLD_NEXT, "flock");
    return real(file, operation);
}
