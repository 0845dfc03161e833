// SPDX-License-Identifier: MIT

/// Ends the process unless the condition holds.
///
/// libFuzzer then reports the input.
func expect(
  _ condition: Bool, _ expectation: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fatalError("Not so: \(expectation)", file: file, line: line) }
}

/// Returns the result of `body`, and ends the process when it throws.
func expectNoError<Result>(
  _ expectation: StaticString, file: StaticString = #fileID, line: UInt = #line,
  _ body: () throws -> Result
) -> Result {
  do {
    return try body()
  } catch {
    fatalError("Not so: \(expectation): \(error)", file: file, line: line)
  }
}

/// Ends the process when a description of `subject` contains a secret of the input.
///
/// Secrets are marked by the word `hunter!2`, which the samples and the dictionary contain.
func expectNoSecret<Subject>(
  of bytes: [UInt8], in subject: Subject, file: StaticString = #fileID, line: UInt = #line
) {
  let marker = Array("hunter!2".utf8)
  guard holds(marker, bytes) else { return }
  var dumped = ""
  dump(subject, to: &dumped)
  for text in [String(describing: subject), String(reflecting: subject), dumped] {
    expect(!holds(marker, Array(text.utf8)), "no description shows a secret", file: file, line: line)
  }
}

/// Returns whether the bytes contain the marker.
///
/// The first letter of the marker must not occur in it again.
private func holds(_ marker: [UInt8], _ bytes: [UInt8]) -> Bool {
  var matched = 0
  for byte in bytes {
    matched = byte == marker[matched] ? matched + 1 : byte == marker[0] ? 1 : 0
    if matched == marker.count { return true }
  }
  return false
}
