// SPDX-License-Identifier: MIT

extension SecretStore {
  /// Whether the login keyring is locked; `nil` when there is none.
  package func isLoginKeyringLocked() async throws -> Bool? {
    try await guarded { try await $0.isLocked(ObjectPath("/org/freedesktop/secrets/collection/login")) }
  }
}
