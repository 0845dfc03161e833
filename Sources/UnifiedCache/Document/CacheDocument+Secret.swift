// SPDX-License-Identifier: MIT

import StrictJSON

extension CacheDocument {
  /// The member that holds an app's own secret.
  package static let secretMember = "Secret"

  /// Returns whether the service and account that the document states are those of a secret's record; `true` for any
  /// other record and where it states none.
  package func holdsSecret(of key: RecordKey) -> Bool {
    guard key.kind == .secret, let secret = self[member: Self.secretMember]?.objectValue,
      let service = secret["service"]?.stringValue
    else { return true }
    return key == .secret(service: service, account: secret["account"]?.stringValue ?? "")
  }
}
