// SPDX-License-Identifier: MIT

package import Glibc

/// A value behind a lock: the one lock type for state inside a process.
///
/// It is a pthread mutex and not `Synchronization.Mutex`, which ThreadSanitizer reports false races on.
@safe package final class Locked<Value>: @unchecked Sendable {  // every access to `value` is inside the mutex
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

  /// Looks and decides.
  ///
  /// Resume continuations, call out and log outside.
  @inlinable package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
