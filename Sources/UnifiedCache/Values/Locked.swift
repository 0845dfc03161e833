// SPDX-License-Identifier: MIT

package import Glibc

/// A value that a lock protects.
///
/// All shared state inside a process uses this type.
///
/// It uses a pthread mutex, because ThreadSanitizer reports false races for `Synchronization.Mutex`.
@safe package final class Locked<Value>: @unchecked Sendable {  // every access to `value` holds the mutex
  @usableFromInline var value: Value
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: Value) {
    self.value = value
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// Calls a closure with the value while the lock is held.
  ///
  /// Keep it short: resume continuations, call other code and log outside of the closure.
  @inlinable package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
