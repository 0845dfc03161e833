// SPDX-License-Identifier: MIT

/// An error for a rule that a back end broke.
public struct ContractViolation: Error, CustomStringConvertible {
  /// The name of the rule in the documentation of `TokenCacheBackend`.
  public let rule: String

  /// The file of the check that failed, with its module.
  public let file: String

  /// The line of that check.
  public let line: Int

  /// The rule, the case, the expected and the actual value, the file and the line.
  public let description: String

  init(rule: String, file: String, line: Int, _ text: String) {
    self.rule = rule
    self.file = file
    self.line = line
    description = "\(rule): \(text) (\(file):\(line))"
  }
}
