// SPDX-License-Identifier: MIT

package import StrictJSON

/// An entry that is found by its identity instead of its key.
package protocol IdentifiedEntry {
  associatedtype Identity: Hashable

  /// Reads an entry of a section, or returns `nil` when it can't be read.
  static func read(_ value: JSONValue, named key: String, in section: CacheSection) -> Self?

  var fields: JSONObject { get set }
  var identity: Identity { get }
  var environment: String { get }
  /// The key that the entry was read under.
  var origin: KeyOrigin { get set }
  /// What stands before the environment in every MSAL's keys.
  var keyStem: String { get }
  /// The key in this library's form.
  var key: String { get }
  /// The key in MSAL Python's form.
  var pythonKey: String { get }
  /// A text that distinguishes entries with the same key.
  ///
  /// Keys are in lower case. But outside Azure AD, IDs that differ only in case are different.
  var distinction: String { get }
  /// Returns the entry as it replaces a stored one.
  func written(over stored: Self) -> Self
  /// The entry as it is finally written.
  var completed: Self { get }
}

extension IdentifiedEntry {
  package var completed: Self { self }
  package var pythonKey: String { key }
}

extension CredentialEntry: IdentifiedEntry {
  package static func read(
    _ value: JSONValue, named key: String, in section: CacheSection
  ) -> CredentialEntry? {
    CredentialEntry(value, section: section, named: key)
  }

  package var keyStem: String { homeAccountID }

  package var distinction: String {
    let parts = [homeAccountID, satisfiedScopes.target, boundDeviceID ?? "", realm ?? "", distinctOwner]
    return (parts + [Issuer.canonical(environment)].compactMap(\.self)).joined(separator: " ")
  }

  package func written(over stored: CredentialEntry) -> CredentialEntry { keepingUnknownFields(of: stored) }
}

extension AccountEntry: IdentifiedEntry {
  package static func read(_ value: JSONValue, named key: String, in section: CacheSection) -> AccountEntry? {
    AccountEntry(value, named: key)
  }

  package var keyStem: String { homeAccountID }

  package var distinction: String {
    [homeAccountID, Issuer.canonical(environment)].compactMap(\.self).joined(separator: " ")
  }

  package func written(over stored: AccountEntry) -> AccountEntry { merged(over: stored) }

  package var completed: AccountEntry {
    var entry = self
    if entry.fields["username"] == nil { entry.fields["username"] = "" }
    return entry
  }
}

extension AppMetadataEntry: IdentifiedEntry {
  package static func read(
    _ value: JSONValue, named key: String, in section: CacheSection
  ) -> AppMetadataEntry? {
    AppMetadataEntry(value, named: key)
  }

  package var keyStem: String { "appmetadata" }

  package var distinction: String { clientID }

  package func written(over stored: AppMetadataEntry) -> AppMetadataEntry { merged(over: stored) }
}
