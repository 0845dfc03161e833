// SPDX-License-Identifier: MIT

/// The connection to the identity broker of the desktop session.
///
/// A token cache and `sso-cache` reach a broker through this protocol only. `SecretStoreCache` implements it over
/// D-Bus, and adds the option that turns it on.
package protocol IdentityBroker: Sendable {
  /// Sends a request and waits for the reply, at most for ``BrokerRequest/limit``.
  ///
  /// - Returns: The text of the reply, which is not trusted; `nil` where no broker is installed.
  /// - Throws: `SecretStoreError.BrokerError` when there is no reply, and `CancellationError`.
  func send(_ request: BrokerRequest) async throws -> String?
}
