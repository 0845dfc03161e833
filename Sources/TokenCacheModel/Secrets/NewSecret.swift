// SPDX-License-Identifier: MIT

/// A secret with its name, on its way into a group.
///
/// Its description shows none of it.
public struct NewSecret: Sendable, Equatable {
  /// What the secret is for.
  public let service: String
  /// Whose it is there; empty where the service has one secret only.
  public let account: String
  /// What a person reads in a list; `nil` for none.
  public let label: String?
  /// The secret.
  public let secret: Secret

  /// Makes a secret with its name; the rules of ``AppSecrets/set(_:service:account:label:in:)`` are checked there.
  public init(_ secret: Secret, service: String, account: String = "", label: String? = nil) {
    self.secret = secret
    self.service = service
    self.account = account
    self.label = label
  }
}

extension NewSecret: CustomStringConvertible, CustomReflectable {
  /// Names the type and nothing of what it holds.
  public var description: String { "NewSecret(redacted)" }

  /// Shows nothing.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
