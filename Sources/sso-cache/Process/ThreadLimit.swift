// SPDX-License-Identifier: MIT

import Glibc

/// The threads that the process can make under the limit of the user's processes (`ulimit -u`).
enum ThreadLimit {
  /// The number of threads that a command may need beside its first.
  ///
  /// GLib aborts a process that can't make one of its threads, and Swift waits for one forever. With fewer than ten,
  /// a token request hangs past every deadline.
  static let needed = 16

  /// The lowest limit that nobody is expected to reach.
  ///
  /// Desktops have tens of thousands. An administrator who sets a limit sets a few thousands or less. The trial takes a
  /// millisecond, a tenth of the start.
  private static let ample = 16_384

  /// Whether that many threads can be made: under a low limit makes them, and ends them again.
  static var isEnough: Bool {
    var limit = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(__RLIMIT_NPROC.rawValue), &limit) == 0, limit.rlim_cur < ample
    else { return true }
    return canMakeThreads
  }

  private static var canMakeThreads: Bool {
    let before = count
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { unsafe gate.deallocate() }
    unsafe pthread_mutex_init(gate, nil)
    unsafe pthread_mutex_lock(gate)
    var threads: [pthread_t] = []
    while threads.count < needed {
      var thread = pthread_t()
      let error = unsafe pthread_create(
        &thread, nil,
        { gate in
          guard let gate = unsafe gate?.assumingMemoryBound(to: pthread_mutex_t.self) else { return nil }
          unsafe pthread_mutex_lock(gate)
          unsafe pthread_mutex_unlock(gate)
          return nil
        }, gate)
      guard error == 0 else { break }
      threads.append(thread)
    }
    unsafe pthread_mutex_unlock(gate)
    for thread in threads { pthread_join(thread, nil) }
    unsafe pthread_mutex_destroy(gate)
    // A thread that was joined counts until the kernel has released it.
    for _ in 0..<10_000 where count > before { sched_yield() }
    return threads.count == needed
  }

  /// The number of the process's threads, or a number that is one greater for each.
  private static var count: Int {
    var tasks = stat()
    return unsafe stat("/proc/self/task", &tasks) == 0 ? Int(tasks.st_nlink) : 0
  }
}
