// SPDX-License-Identifier: MIT

package import KeychainGroupModel
package import UnifiedCache

/// The client and the app that use an older library's sign-ins.
package struct LegacyClient: Sendable {
  /// The storage of the records.
  package let backend: any TokenCacheBackend
  package let clientID: String
  /// The families whose sign-ins the client may use.
  package let families: Set<String>
  /// The calling app; `nil` for the user.
  package let app: AppIdentifier?

  package init(backend: any TokenCacheBackend, clientID: String, families: Set<String>, app: AppIdentifier?) {
    self.backend = backend
    self.clientID = clientID
    self.families = families
    self.app = app
  }
}
