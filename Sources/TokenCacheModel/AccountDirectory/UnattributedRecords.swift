// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// Records that can't be read and may be those of an account that was signed out, or of a secret that was removed.
package struct UnattributedRecords: Error, Sendable {
  let keys: [RecordKey]

  /// Whether a secret was removed.
  package let isOfSecret: Bool

  package init(keys: [RecordKey], isOfSecret: Bool = false) {
    self.keys = keys
    self.isOfSecret = isOfSecret
  }

  /// The error of the sign-out or the removal.
  package var error: SecretStoreError {
    let names = Set(keys.map(\.purpose)).sorted().prefix(10).joined(separator: ", ")
    return SecretStoreError(
      .corruptItem,
      "The \(isOfSecret ? "secret" : "account") may be in what can't be read, and is left there: \(names).",
      underlying: self)
  }
}
