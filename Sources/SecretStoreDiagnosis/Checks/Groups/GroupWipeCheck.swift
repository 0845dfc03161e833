// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that reports who last removed accounts or tokens of a group.
///
/// A removal is not a problem. It explains why the accounts or tokens are missing.
struct GroupWipeCheck: Sendable {
  let backend: SecretServiceBackend

  static let name = "group-wipe"

  func run() async throws -> CheckResult {
    do {
      guard let record = try await WipeRecord.read(from: backend) else {
        return .ok("Nobody removed its accounts or tokens.")
      }
      return .ok("\(record)")
    } catch SecretStoreError.Code.corruptItem {
      return .skipped("the note of it can't be read")
    }
  }
}
