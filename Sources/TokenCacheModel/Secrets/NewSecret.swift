// SPDX-License-Identifier: MIT

/// A secret with its service and account, to be stored in a group.
///
/// Its description does not show the secret.
public struct NewSecret: Sendable, Equatable {
  /// The service that the secret is for.
  public let service: String
  /// The account at the service; empty if the service has one secret only.
  public let account: String
  /// The label in lists for the user; `nil` for none.
  public let label: String?
  /// The secret.
  public let secret: Secret

  /// Creates a secret with its service and account.
  ///
  /// ``AppSecrets/set(_:in:)`` checks them by the rules of ``AppSecrets/set(_:service:account:label:in:)``.
  public init(_ secret: Secret, service: String, account: String = "", label: String? = nil) {
    self.secret = secret
    self.service = service
    self.account = account
    self.label = label
  }
}

extension NewSecret: CustomStringConvertible, CustomReflectable {
  /// The name of the type, without its content.
  public var description: String { "NewSecret(redacted)" }

  /// An empty mirror.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
