// SPDX-License-Identifier: MIT

/// Ends the process, which libFuzzer reports with the input, unless the condition holds.
func expect(
  _ condition: Bool, _ expectation: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
  if !condition { fatalError("Not so: \(expectation)", file: file, line: line) }
}

/// Returns what `body` does, and ends the process when it throws.
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

/// Ends the process when a text that shows `subject` shows a secret of the input.
///
/// Secrets are known by the word `hunter!2`, which samples and dictionary hold.
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

/// Tells whether the marker is among the bytes; its first letter must not come again in it.
private func holds(_ marker: [UInt8], _ bytes: [UInt8]) -> Bool {
  var matched = 0
  for byte in bytes {
    matched = byte == marker[matched] ? matched + 1 : byte == marker[0] ? 1 : 0
    if matched == marker.count { return true }
  }
  return false
}
