// SPDX-License-Identifier: MIT

import KeychainGroupModel

/// An expectation of a case that does not hold.
struct FailedExpectation: Error {
  let description: String
  let file: String
  let line: Int

  init(_ description: String, file: String = #fileID, line: Int = #line) {
    self.description = description
    self.file = file
    self.line = line
  }
}

/// Throws unless two values are equal.
func expect<Value: Equatable>(
  _ seen: Value, is wanted: Value, _ what: String, file: String = #fileID, line: Int = #line
) throws {
  if seen != wanted {
    throw FailedExpectation("\(what): expected \(wanted), saw \(seen)", file: file, line: line)
  }
}

/// Throws unless the body throws an error with this code.
func expect(
  _ code: SecretStoreError.Code, _ what: String, file: String = #fileID, line: Int = #line,
  from body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch let error as SecretStoreError {
    return try expect(error.code, is: code, what, file: file, line: line)
  }
  throw FailedExpectation("\(what): expected \(code), saw no error", file: file, line: line)
}

/// Throws unless the body throws `CancellationError`.
func expectCancellation(
  _ what: String, file: String = #fileID, line: Int = #line, from body: () async throws -> Void
) async throws {
  do {
    try await body()
  } catch is CancellationError {
    return
  }
  throw FailedExpectation("\(what): expected CancellationError, saw no error", file: file, line: line)
}
