// SPDX-License-Identifier: MIT

/// The items from which an app's secrets move into a group.
///
/// Another library, or an earlier version of the app, stored them in the Secret Service.
///
/// ```swift
/// let passwords = SecretSource(
///   attributes: ["xdg:schema": "com.contoso.mail.Password"],
///   service: .attribute("server"), account: .attribute("user"))
/// ```
///
/// libsecret's simple API (`secret_password_store`, `secret-tool store`) stores the values that the app names as
/// attributes of an item, and the schema's name as `xdg:schema`.
public struct SecretSource: Sendable {
  /// The origin of one part of the secret's new name.
  public enum Part: Sendable, Hashable {
    /// The value of an attribute, which each item must have.
    case attribute(String)
    /// The same text for all items.
    case text(String)
  }

  /// The attributes that the items must include; not empty.
  public let attributes: [String: String]
  /// The label of the collections to search; `nil` for every collection.
  public let collection: String?
  /// The service that the secrets belong to.
  public let service: Part
  /// The account at that service.
  public let account: Part

  /// Creates a description of the items.
  ///
  /// - Parameters:
  ///   - attributes: The attributes that the items must include. At least one is required, because none would match the
  ///     items of every program.
  ///   - collection: The label of the collections to search; `nil` for every collection.
  ///   - service: The service that the secrets belong to.
  ///   - account: The account at that service.
  public init(
    attributes: [String: String], collection: String? = nil, service: Part, account: Part = .text("")
  ) {
    self.attributes = attributes
    self.collection = collection
    self.service = service
    self.account = account
  }
}
