// SPDX-License-Identifier: MIT

/// The underlying error of one whose remedy its code doesn't tell.
package protocol ErrorWithRemedy: Error {
  /// What the user can do, as sentences.
  var remedy: String { get }
}
