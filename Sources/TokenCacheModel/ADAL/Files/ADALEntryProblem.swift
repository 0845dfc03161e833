// SPDX-License-Identifier: MIT

/// What is wrong with an entry, as the end of a sentence; it names members of the format, and no content.
struct ADALEntryProblem: Error {
  let detail: String

  init(_ detail: String) { self.detail = detail }
}
