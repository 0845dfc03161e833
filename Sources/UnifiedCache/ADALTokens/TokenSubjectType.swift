// SPDX-License-Identifier: MIT

import StrictJSON

/// The subject of an ADAL item's token: the user or the app that it was issued for.
package enum TokenSubjectType: String, Sendable, Hashable, CaseIterable {
  /// A user.
  case user
  /// The app itself, which authenticated with a secret or a certificate. There is no user.
  case client
  /// A user on whose behalf a service acts.
  case userPlusClient = "user_through_client"
}

extension ADALToken {
  /// The subject of the token; only `.user` means a user who signs in.
  ///
  /// An item with another subject has no ``userID``, so a look-up by user doesn't find it.
  package var subject: TokenSubjectType {
    get { fields["subject"].map { $0.stringValue.flatMap(TokenSubjectType.init) ?? .client } ?? .user }
    set { fields["subject"] = newValue == .user ? nil : .string(newValue.rawValue) }
  }

  /// The user on whose behalf a service holds the token, when the subject is `.userPlusClient`.
  package var onBehalfOf: String? {
    get { self[text: "on_behalf_of"] }
    set { self[text: "on_behalf_of"] = newValue }
  }
}
