// SPDX-License-Identifier: MIT

/// The reason and the place at which a JSON document was refused.
///
/// An error never holds, and so never shows, any content of the document: not a key, not a value, not even
/// the offending byte. It is safe to log.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that the document breaks.
  public let reason: Reason

  /// The zero-based position, in bytes of the input as given, at which the rule is broken.
  ///
  /// A leading byte order mark counts. For ``Reason/unexpectedEnd`` it is the number of bytes given.
  public let offset: Int

  /// Creates an error from a reason and the byte at which it was found.
  public init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason and the offset, in English, without any content of the document.
  public var description: String {
    "invalid JSON: \(reason.description) at byte \(offset)"
  }
}
