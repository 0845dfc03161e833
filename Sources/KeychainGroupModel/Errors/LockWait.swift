// SPDX-License-Identifier: MIT

/// How long a change waits for a lock that another program holds.
package enum LockWait {
  /// The limit beside the deadline of the call; `nil` for none.
  @TaskLocal package static var limit: Duration?
}
