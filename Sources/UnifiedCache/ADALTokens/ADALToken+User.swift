// SPDX-License-Identifier: MIT

import StrictJSON

extension ADALToken {
  /// The user ID: an e-mail-like name, or an opaque ID where the server gave no name.
  ///
  /// `nil` for AD FS, which may name no user, and for an app's own tokens.
  public var userID: String? {
    get { self[text: "user_id"] }
    set { self[text: "user_id"] = newValue }
  }

  /// Whether the user ID may be shown to the user; `true` by default.
  public var isUserIDDisplayable: Bool {
    get { fields["user_id_displayable"]?.boolValue ?? true }
    set { fields["user_id_displayable"] = .bool(newValue) }
  }

  /// The user's object ID in the tenant, or the `sub` of the ID token.
  public var uniqueID: String? {
    get { self[text: "unique_id"] }
    set { self[text: "unique_id"] = newValue }
  }

  /// The tenant that issued the token.
  public var tenantID: String? {
    get { self[text: "tenant_id"] }
    set { self[text: "tenant_id"] = newValue }
  }

  /// The account ID that the object ID and the tenant make, as it is compared; `nil` where they make none.
  ///
  /// A guest, whom another tenant or provider has authenticated, has another object ID at home. The ID of a B2C account
  /// has a policy in it.
  package var statedAccountID: String? {
    guard let object = uniqueID?.lowercased(), let tenant = tenantID?.lowercased() else { return nil }
    if let provider = identityProvider?.lowercased(), !provider.contains(tenant) { return nil }
    let identifier = HomeAccountID("\(object).\(tenant)")
    guard identifier.isAzureAD, (try? Authority(authority))?.kind != .b2c else { return nil }
    return identifier.compared
  }

  /// The account ID, as far as ADAL has learned it or the item's IDs state it.
  package var accountID: String? { homeAccountID ?? statedAccountID }

  /// The user's given name.
  public var givenName: String? {
    get { self[text: "given_name"] }
    set { self[text: "given_name"] = newValue }
  }

  /// The user's family name.
  public var familyName: String? {
    get { self[text: "family_name"] }
    set { self[text: "family_name"] = newValue }
  }

  /// The identity provider that authenticated the user.
  public var identityProvider: String? {
    get { self[text: "identity_provider"] }
    set { self[text: "identity_provider"] = newValue }
  }

  /// The ID token as received, not verified.
  public var idToken: String? {
    get { self[text: "id_token"] }
    set { self[text: "id_token"] = newValue }
  }
}
