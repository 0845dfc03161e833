// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import StrictJSON

extension CacheDocument {
  /// The member of a record that holds an ADAL item.
  static let adalMember = "ADAL"

  /// The members of an item that a tombstone keeps.
  private static let tombstoneMembers: Set<String> = [
    "authority", "resource", "client_id", "application_identifier", "family_id", "cached_at", "user_id",
    "user_id_displayable", "unique_id", "tenant_id", "home_account_id", "given_name", "family_name",
    "identity_provider", "subject", "on_behalf_of",
  ]

  /// The document's ADAL item; `nil` when it has none that can be read.
  package var adalToken: ADALToken? {
    get { ADALToken(self[member: Self.adalMember]) }
    set { self[member: Self.adalMember] = newValue.map { .object($0.fields) } }
  }

  /// Whether the document has an ADAL item that can't be read.
  var hasUnreadableADALToken: Bool { self[member: Self.adalMember] != nil && adalToken == nil }

  /// Turns the item into a tombstone: keeps what names its user, client and resource, and no other member.
  ///
  /// A member that this version doesn't know can hold a token.
  mutating func replaceADALTokenWithTombstone() {
    guard var token = adalToken else { return }
    token.fields.removeAll {
      !Self.tombstoneMembers.contains($0) || $1.objectValue != nil || $1.arrayValue != nil
    }
    token.refreshToken = ADALToken.tombstone
    adalToken = token
  }

  /// Signs an app out of the item, or all apps for `nil`; the sign-out of the last app removes the tokens.
  ///
  /// A family's token stays when an app signs out: clients that did not store it may use it.
  ///
  /// - Parameter signOut: Who signs out and when, for the record; `nil` to record nobody.
  mutating func signOutOfADAL(_ app: AppIdentifier?, recordedAs signOut: (app: String, date: Date)? = nil) {
    if let app { metadata[app] = .signedOut } else { metadata.signOutAllApps() }
    guard metadata.apps(.signedIn).isEmpty, app == nil || adalToken?.familyOfItem == nil else { return }
    if let signOut, adalToken?.kind != nil { metadata.signOut = signOut }
    replaceADALTokenWithTombstone()
    metadata.raiseSignOutNumber()
  }
}
