// SPDX-License-Identifier: MIT

/// The reason for which a JSON document was refused, and its position.
///
/// An error never contains any content of the document: no key, no value and not even the offending byte. It is
/// safe to log.
public struct JSONError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The rule that the document breaks.
  public let reason: Reason

  /// The zero-based byte position in the input at which the rule is broken.
  ///
  /// A leading byte order mark counts. For ``Reason/unexpectedEnd`` it is the number of bytes in the input.
  public let offset: Int

  /// Creates an error from a reason and a byte position.
  public init(reason: Reason, offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  /// The reason and the offset in English, without any content of the document.
  public var description: String {
    "invalid JSON: \(reason.description) at byte \(offset)"
  }
}
