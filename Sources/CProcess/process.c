// SPDX-License-Identifier: MIT

#define _GNU_SOURCE
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

/// Gives a part of the session its files, as 0 to 3, and the pipe for the error as 4.
static int arrange_files(const int files[4], int pipe) {
  // First out of the way of the numbers that they are to have.
  int moved[5];
  for (int index = 0; index < 5; index++) {
    moved[index] = fcntl(index < 4 ? files[index] : pipe, F_DUPFD_CLOEXEC, 5);
    if (moved[index] < 0) return -1;
  }
  for (int index = 0; index < 5; index++) {
    if (dup3(moved[index], index, index < 4 ? 0 : O_CLOEXEC) < 0) return -1;
  }
  closefrom(5);
  return 4;
}

static void become(const struct process_start *start, int pipe, pid_t parent) {
  int error_pipe = pipe;
  if (start->is_part) {
    if (setsid() < 0) goto failed;
    error_pipe = arrange_files(start->files, pipe);
    if (error_pipe < 0) {
      error_pipe = pipe;
      goto failed;
    }
  }
  if (prctl(PR_SET_PDEATHSIG, start->death_signal) < 0) goto failed;
  // The parent may have ended before it was asked for.
  if (getppid() != parent) _exit(127);
  if (sigprocmask(SIG_SETMASK, start->blocked, NULL) < 0) goto failed;
  execvpe(start->program, start->arguments, start->environment);
failed:;
  int number = errno;
  ssize_t written = write(error_pipe, &number, sizeof number);
  (void)written;
  _exit(127);
}

pid_t process_begin(const struct process_start *start, int *error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) < 0) {
    *error = errno;
    return -1;
  }
  pid_t parent = getpid();
  pid_t child = fork();
  if (child == 0) become(start, ends[1], parent);
  *error = errno;
  close(ends[1]);
  if (child > 0) {
    // Empty when the program was started: the pipe's end closed with that.
    ssize_t count;
    do count = read(ends[0], error, sizeof *error);
    while (count < 0 && errno == EINTR);
    if (count == sizeof *error) child = -1;
  }
  close(ends[0]);
  return child;
}

bool process_hide(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

int process_descriptor(pid_t process, int *error) {
  // The C library has a function of this name since version 2.36 only.
  long descriptor = syscall(SYS_pidfd_open, process, 0);
  *error = errno;
  return (int)descriptor;
}

bool process_file_is_in_memory(int file) {
  struct statfs information;
  if (fstatfs(file, &information) < 0) return false;
  return information.f_type == TMPFS_MAGIC || information.f_type == RAMFS_MAGIC;
}
