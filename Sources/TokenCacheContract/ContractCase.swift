// SPDX-License-Identifier: MIT

/// One rule that every back end keeps.
public struct ContractCase: Sendable, CustomStringConvertible {
  /// The rule, in a sentence.
  public let rule: String

  private let body: @Sendable (ContractEnvironment) async throws -> Void

  init(_ rule: String, _ body: @escaping @Sendable (ContractEnvironment) async throws -> Void) {
    self.rule = rule
    self.body = body
  }

  /// The rule.
  public var description: String { rule }

  /// Checks the rule.
  ///
  /// - Throws: ``ContractViolation`` when the back end breaks it, or whatever the back end throws.
  public func check(_ environment: ContractEnvironment) async throws { try await body(environment) }
}
