// SPDX-License-Identifier: MIT
//
// Kills the program that it is loaded into right after the message of the number KILL_AFTER that it sends, as soon as
// the receiver has had the time to carry it out.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

ssize_t sendmsg(int socket, const struct msghdr *message, int flags)
{
    static ssize_t (*real)(int, const struct msghdr *, int);
    static int sent;
    if (!real) real = (ssize_t (*)(int, const struct msghdr *, int))dlsym(RTLD_NEXT, "sendmsg");
    ssize_t result = real(socket, message, flags);
    const char *last = getenv("KILL_AFTER");
    if (last && __atomic_add_fetch(&sent, 1, __ATOMIC_SEQ_CST) == atoi(last)) {
        nanosleep(&(struct timespec){.tv_nsec = 100 * 1000 * 1000}, NULL);
        kill(getpid(), SIGKILL);
    }
    return result;
}
