// SPDX-License-Identifier: MIT

/// An underlying error that states its own remedy, where the code of the error around it is too general for one.
package protocol ErrorWithRemedy: Error {
  /// What the user can do, as sentences.
  var remedy: String { get }
}
