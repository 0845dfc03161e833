// SPDX-License-Identifier: MIT

public import TokenCacheModel

extension TokenCacheOptions {
  /// Whether the cache uses the identity broker of the desktop session, at Azure AD; off by default.
  ///
  /// If so, the broker's accounts are in the list of accounts, marked by `isFromBroker`, and a silent call for one goes
  /// to the broker when the cache has no token. The last app of a client that signs out removes the account from the
  /// broker for that client. Where no broker is installed, the option changes nothing. The page *The broker* has the
  /// details and the errors.
  ///
  /// The app must have registered `brokerRedirectURI` for its client ID.
  public var usesBroker: Bool {
    get { broker != nil }
    set { broker = newValue ? SessionBusBroker() : nil }
  }
}
