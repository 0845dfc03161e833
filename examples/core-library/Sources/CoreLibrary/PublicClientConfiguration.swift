// SPDX-License-Identifier: MIT

public import SecretStoreCache

/// What an app states about itself.
public struct PublicClientConfiguration: Sendable {
  /// The client ID, which the apps of a suite share.
  public var clientID: String
  /// The OpenID provider, or Azure AD.
  public var authority: Authority
  /// The access group through which the app shares its sign-in; `nil` for the one that its entitlements imply.
  public var keychainSharingGroup: String?
  /// What the client can handle, such as `cp1` for claims challenges.
  public var clientCapabilities: [String] = []

  /// Creates a configuration.
  public init(clientID: String, authority: Authority) {
    self.clientID = clientID
    self.authority = authority
  }
}
