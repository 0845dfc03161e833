// SPDX-License-Identifier: MIT

public import FoundationEssentials
public import KeychainGroupModel

/// What is known of a stored secret without the secret itself.
///
/// Its description shows none of it: account names are personal data.
public struct SecretItem: Sendable, Hashable {
  /// What the secret is for, such as a host or a product.
  public let service: String
  /// Whose it is there; empty where a service has one secret only.
  public let account: String
  /// What a person reads; `nil` for none.
  public let label: String?
  /// The group that holds it.
  public let group: AccessGroup
  /// When it was first stored, to the second.
  public let createdAt: Date?
  /// When it was stored last, to the second.
  public let modifiedAt: Date?
}

extension SecretItem: CustomStringConvertible, CustomReflectable {
  /// Names the type and the group.
  public var description: String { "SecretItem(\(group))" }

  /// Shows the group only.
  public var customMirror: Mirror { Mirror(self, children: ["group": group]) }
}
