// SPDX-License-Identifier: MIT
//
// What a process needs of Linux that Swift's Glibc module does not have.

#ifndef SSC_PROCESS_H
#define SSC_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

/// A program to be started.
struct process_start {
  /// The program, which is looked for along PATH when it has no slash, and its arguments; both end with NULL.
  const char *_Nonnull program;
  char *_Nullable const *_Nonnull arguments;
  char *_Nullable const *_Nonnull environment;
  /// The signals that it starts with blocked.
  const sigset_t *_Nonnull blocked;
  /// The signal that it gets when the thread that started it ends before it.
  int death_signal;
  /// Whether it is a part of the session: in a process group of its own, out of reach of the terminal, and with no
  /// open file but the four below. Any other program has what its caller has.
  bool is_part;
  /// Standard input, standard output and standard error of a part, and a file that it keeps open as number 3.
  int files[4];
};

/// Starts a program and returns its process identifier, or -1 with the error's number in `error`.
pid_t process_begin(const struct process_start *_Nonnull start, int *_Nonnull error);

/// Forbids core dumps of this process, and others of the user to look into it; what it starts is free again.
bool process_hide(void);

/// Opens a descriptor that stands for a process (pidfd_open(2)), or returns -1 with the error's number in `error`.
int process_descriptor(pid_t process, int *_Nonnull error);

/// Whether an open file is kept in memory and on no disk.
bool process_file_is_in_memory(int file);

#endif
