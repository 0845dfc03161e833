// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// A rule that a back end broke.
public struct ContractViolation: Error, CustomStringConvertible {
  /// What was expected and what was seen.
  public let description: String

  init(_ description: String, line: Int) { self.description = "\(description) (line \(line))" }
}

/// Expects two values to be equal.
func expect<Value: Equatable>(
  _ seen: Value, is wanted: Value, _ what: String, line: Int = #line
) throws {
  if seen != wanted { throw ContractViolation("\(what): expected \(wanted), saw \(seen)", line: line) }
}

/// Expects an error of a code.
func expect(
  _ code: SecretStoreError.Code, _ what: String, line: Int = #line, from body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch let error as SecretStoreError {
    return try expect(error.code, is: code, what, line: line)
  }
  throw ContractViolation("\(what): expected \(code), saw no error", line: line)
}
