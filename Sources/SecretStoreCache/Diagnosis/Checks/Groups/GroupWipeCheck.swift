// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// Who removed accounts and tokens of a group last: nothing is amiss, and it explains why they are gone.
struct GroupWipeCheck: Sendable {
  let backend: SecretServiceBackend

  static let name = "group-wipe"

  func find() async throws -> Finding {
    guard let record = try await WipeRecord.read(from: backend) else {
      return .ok("Nobody removed its accounts or tokens.")
    }
    return .ok("\(record)")
  }
}
