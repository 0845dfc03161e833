// SPDX-License-Identifier: MIT

package import KeychainGroupModel

/// The limits of the waits that follow one that took all of its time: waits must not add up.
package enum FurtherWaits {
  /// The limit of a wait for a lock, beside the deadline of the call; `nil` for none.
  @TaskLocal package static var lock: Duration?
  /// The limit of a wait for a reply of the Secret Service, beside the deadline of the call; `nil` for none.
  @TaskLocal package static var reply: Duration?

  private static let short = Duration.milliseconds(200)

  /// Runs a further part of a call that goes on after errors.
  ///
  /// It waits only briefly for locks when another app has held one until the deadline, and for replies when the Secret
  /// Service did not reply in time.
  @discardableResult
  package static func run<Outcome>(
    after errors: [SecretStoreError], _ body: () async throws -> Outcome
  ) async rethrows -> Outcome {
    let codes = errors.map(\.code)
    return try await $lock.withValue(codes.contains(.lockTimedOut) ? short : lock) {
      try await $reply.withValue(codes.contains(.timedOut) ? short : reply) { try await body() }
    }
  }
}
