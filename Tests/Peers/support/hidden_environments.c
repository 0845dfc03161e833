// SPDX-License-Identifier: MIT
//
// Hides the variables of other processes from the program that it is loaded into, as those of a program with file
// capabilities are from everybody but root.

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    size_t length = strlen(path);
    if (strncmp(path, "/proc/", 6) == 0 && length > 8 && strcmp(path + length - 8, "/environ") == 0) {
        errno = EACCES;
        return -1;
    }
    va_list rest;
    va_start(rest, flags);
    mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
