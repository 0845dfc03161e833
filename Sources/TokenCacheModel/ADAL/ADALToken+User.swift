// SPDX-License-Identifier: MIT

extension ADALToken {
  /// Whose it is: the user's e-mail-like name, or an opaque id where the server gave no name; `nil` for AD FS, which
  /// may name nobody, and for an app's own tokens.
  public var userID: String? {
    get { self[text: "user_id"] }
    set { self[text: "user_id"] = newValue }
  }

  /// Whether the user's id is fit to be shown to a person; so unless it says otherwise.
  public var isUserIDDisplayable: Bool {
    get { fields["user_id_displayable"]?.boolValue ?? true }
    set { fields["user_id_displayable"] = .bool(newValue) }
  }

  /// The user's object id in the tenant, or the `sub` of the id token.
  public var uniqueID: String? {
    get { self[text: "unique_id"] }
    set { self[text: "unique_id"] = newValue }
  }

  /// The tenant that issued it.
  public var tenantID: String? {
    get { self[text: "tenant_id"] }
    set { self[text: "tenant_id"] = newValue }
  }

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

  /// Who vouches for the user.
  public var identityProvider: String? {
    get { self[text: "identity_provider"] }
    set { self[text: "identity_provider"] = newValue }
  }

  /// The id token as it came, unverified.
  public var idToken: String? {
    get { self[text: "id_token"] }
    set { self[text: "id_token"] = newValue }
  }
}
