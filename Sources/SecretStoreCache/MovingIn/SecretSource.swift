// SPDX-License-Identifier: MIT

/// Where an app's secrets are before they move into a group: items of the Secret Service that another library, or an
/// earlier version of the app, has stored.
///
/// ```swift
/// let passwords = SecretSource(
///   attributes: ["xdg:schema": "com.contoso.mail.Password"],
///   service: .attribute("server"), account: .attribute("user"))
/// ```
///
/// libsecret's simple functions (`secret_password_store`, `secret-tool store`) keep what the app names as attributes of
/// an item, and the name of the schema as `xdg:schema`.
public struct SecretSource: Sendable {
  /// Where a part of the secret's new name comes from.
  public enum Part: Sendable, Hashable {
    /// The value of an attribute that each item must have.
    case attribute(String)
    /// The same text for all items.
    case text(String)
  }

  /// What the items' attributes must include; not empty.
  public let attributes: [String: String]
  /// The label of the collections that they are in; `nil` for every collection.
  public let collection: String?
  /// What the secrets are for.
  public let service: Part
  /// Whose they are there.
  public let account: Part

  /// Describes the items.
  ///
  /// - Parameters:
  ///   - attributes: What the items' attributes must include; at least one, since every program's items would be meant
  ///     otherwise.
  ///   - collection: The label of the collections that they are in; `nil` for every collection.
  ///   - service: What the secrets are for.
  ///   - account: Whose they are there.
  public init(
    attributes: [String: String], collection: String? = nil, service: Part, account: Part = .text("")
  ) {
    self.attributes = attributes
    self.collection = collection
    self.service = service
    self.account = account
  }
}
