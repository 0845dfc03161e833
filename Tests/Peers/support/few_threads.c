// SPDX-License-Identifier: MIT
// Lets a process have as many threads beside its first one as THREADS says, as a limit does that root doesn't have.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

typedef void *(*routine)(void *);
typedef int (*create)(pthread_t *, const pthread_attr_t *, routine, void *);

struct start {
    routine run;
    void *argument;
};

static atomic_int living;

static void *counted(void *data) {
    struct start start = *(struct start *)data;
    free(data);
    void *result = start.run(start.argument);
    atomic_fetch_sub(&living, 1);
    return result;
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, routine run, void *argument) {
    create real = (create)dlsym(RTLD_NEXT, "pthread_create");
    if (atomic_fetch_add(&living, 1) >= atoi(getenv("THREADS"))) {
        atomic_fetch_sub(&living, 1);
        return EAGAIN;
    }
    struct start *start = malloc(sizeof *start);
    *start = (struct start){run, argument};
    return real(thread, attributes, counted, start);
}
