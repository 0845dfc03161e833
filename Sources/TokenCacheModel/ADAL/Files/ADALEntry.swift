// SPDX-License-Identifier: MIT

/// What an entry of a file comes to.
enum ADALEntry {
  /// Items of ADAL's.
  case tokens([ADALToken])
  /// Nothing, for a reason that is no fault.
  case leftOut(ADALLeftOut.Reason)
}

/// What is wrong with an entry, as the end of a sentence; it names members of the format, and no content.
struct ADALEntryProblem: Error {
  let detail: String

  init(_ detail: String) { self.detail = detail }
}
