// SPDX-License-Identifier: MIT

import TokenCacheModel

/// One test of a rule that every back end must follow.
public struct ContractCase: Sendable, CustomStringConvertible {
  /// The name of the rule in the documentation of `TokenCacheBackend`.
  public let rule: String

  /// What the case checks, as a sentence.
  public let summary: String

  /// The time after which the back end must end its wait for a refresh lease; create the back end with it.
  ///
  /// Half a minute, but short for the cases that wait so long. A back end whose time can't be set may take up to a
  /// minute.
  public let leaseTimeout: Duration

  private let file: String
  private let line: Int
  private let body: @Sendable (ContractEnvironment) async throws -> Void

  init(
    _ summary: String, _ rule: BackendRule, leaseTimeout: Duration = .seconds(30), file: String = #fileID,
    line: Int = #line, _ body: @escaping @Sendable (ContractEnvironment) async throws -> Void
  ) {
    self.rule = rule.rawValue
    self.summary = summary
    self.leaseTimeout = leaseTimeout
    self.file = file
    self.line = line
    self.body = body
  }

  /// The rule and the summary.
  public var description: String { "\(rule): \(summary)" }

  /// Runs the case.
  ///
  /// A back end that uses the default `watch()` is polled every ten milliseconds meanwhile. A case has ten minutes, so
  /// that a back end that hangs breaks the rule.
  ///
  /// - Throws: ``ContractViolation`` when the back end breaks the rule or throws an unexpected error.
  ///   `CancellationError` when the task is cancelled.
  public func check(_ environment: ContractEnvironment) async throws {
    do {
      try await ends("the case", within: TimeLimit.longest * 5, file: file, line: line) { [body] in
        try await PollingWatch.$interval.withValue(.milliseconds(10)) { try await body(environment) }
      }
    } catch let failure as FailedExpectation {
      throw ContractViolation(
        rule: rule, file: failure.file, line: failure.line, "\(summary): \(failure.description)")
    } catch {
      if Task.isCancelled { throw error }
      throw ContractViolation(rule: rule, file: file, line: line, "\(summary): threw \(error)")
    }
  }
}
