// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// The validated service and account of a secret, which are compared byte by byte.
struct SecretName {
  /// The longest service or account, in bytes of UTF-8.
  static let maximumBytes = 1024

  let service: String
  let account: String

  /// Checks a service and an account.
  ///
  /// - Throws: `invalidArgument` when the service is blank, or either holds a control character or is too long.
  init(service: String, account: String) throws(SecretStoreError) {
    if service.allSatisfy(\.isWhitespace) {
      throw SecretStoreError(.invalidArgument, "The secret's service is blank.")
    }
    for (name, text) in [("service", service), ("account", account)] {
      guard !text.hasUnsafeCharacter, text.utf8.count <= Self.maximumBytes else {
        throw SecretStoreError(
          .invalidArgument,
          "The secret's \(name) holds a control character or too many combining marks, or is longer than \(Self.maximumBytes) bytes."
        )
      }
    }
    self.service = service
    self.account = account
  }

  /// The key of the record that holds the secret.
  var record: RecordKey { .secret(service: service, account: account) }
}

extension SecretName: Hashable {
  static func == (left: Self, right: Self) -> Bool {
    JSONText.equal(left.service, right.service) && JSONText.equal(left.account, right.account)
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(JSONText(service))
    hasher.combine(JSONText(account))
  }
}
