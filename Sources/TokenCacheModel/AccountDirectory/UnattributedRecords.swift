// SPDX-License-Identifier: MIT

import KeychainGroupModel
import UnifiedCache

/// Records that can't be read and may be those of an account that was signed out.
package struct UnattributedRecords: Error, Sendable {
  let keys: [RecordKey]

  /// The error of the sign-out.
  var error: SecretStoreError {
    let names = Set(keys.map(\.purpose)).sorted().prefix(10).joined(separator: ", ")
    return SecretStoreError(
      .corruptItem,
      "The account may be in what can't be read, and is left there: \(names).", underlying: self)
  }
}
