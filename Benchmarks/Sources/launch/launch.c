// SPDX-License-Identifier: MIT
//
// Times whole processes: from their start until they have ended.
//
//   launch COUNT MILLISECONDS PROGRAM [ARGUMENT…]
//
// Prints the nanoseconds that each of COUNT runs took, one a line; fewer, but at least three, when the
// milliseconds are over. What the program prints goes nowhere; it must succeed.

#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MINIMUM 3

static long long now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc < 4) return fprintf(stderr, "usage: launch COUNT MILLISECONDS PROGRAM [ARGUMENT…]\n"), 64;
  int count = atoi(argv[1]);
  long long end = now() + atoll(argv[2]) * 1000000LL;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  for (int run = 0; run < count && (run < MINIMUM || now() < end); run++) {
    pid_t process;
    int status;
    long long start = now();
    if (posix_spawnp(&process, argv[3], &actions, NULL, argv + 3, environ) != 0 ||
        waitpid(process, &status, 0) != process) {
      return perror("launch"), 1;
    }
    long long time = now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
      return fprintf(stderr, "launch: %s failed\n", argv[3]), 1;
    printf("%lld\n", time);
  }
  posix_spawn_file_actions_destroy(&actions);
  return 0;
}
