// SPDX-License-Identifier: MIT

/// Whose token an item of ADAL's holds.
public enum ADALSubject: String, Sendable, Hashable, CaseIterable {
  /// A user's.
  case user
  /// The app's own, which it got with a secret or a certificate. There is no user.
  case client
  /// A user's, which a service got on the user's behalf.
  case userThroughClient = "user_through_client"
}

extension ADALToken {
  /// Whose token it is; only `.user` may stand for a person who signs in.
  ///
  /// An item of another subject has no ``userID``, so that no look-up for a user finds it.
  public var subject: ADALSubject {
    get { fields["subject"].map { $0.stringValue.flatMap(ADALSubject.init) ?? .client } ?? .user }
    set { fields["subject"] = newValue == .user ? nil : .string(newValue.rawValue) }
  }

  /// The user on whose behalf a service has it, when the subject is `.userThroughClient`.
  public var onBehalfOf: String? {
    get { self[text: "on_behalf_of"] }
    set { self[text: "on_behalf_of"] = newValue }
  }
}
