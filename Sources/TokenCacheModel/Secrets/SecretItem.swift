// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// The metadata of a stored secret, without the secret itself.
///
/// Its description shows the group only: account names are personal data.
public struct SecretItem: Sendable, Hashable {
  /// The service that the secret is for, such as a host or a product.
  public let service: String
  /// The account at the service; empty if the service has one secret only.
  public let account: String
  /// The label in lists for the user; `nil` for none.
  public let label: String?
  /// The group that holds it; pass its `name` to the calls of ``AppSecrets`` that take a group.
  public let group: AccessGroup
  /// The time of the first write, to the second.
  public let createdAt: Date?
  /// The time of the last write, to the second.
  public let modifiedAt: Date?

  /// Creates the metadata of a secret, for tests and previews of an app.
  public init(
    service: String, account: String = "", label: String? = nil, group: AccessGroup, createdAt: Date? = nil,
    modifiedAt: Date? = nil
  ) {
    self.service = service
    self.account = account
    self.label = label
    self.group = group
    self.createdAt = createdAt
    self.modifiedAt = modifiedAt
  }
}

extension SecretItem: CustomStringConvertible, CustomReflectable {
  /// The name of the type and the group.
  public var description: String { "SecretItem(\(group))" }

  /// A mirror that shows the group only.
  public var customMirror: Mirror { Mirror(self, children: ["group": group]) }
}
