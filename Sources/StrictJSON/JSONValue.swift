// SPDX-License-Identifier: MIT

/// A JSON value (RFC 8259, section 3).
///
/// Reading a document with ``init(parsing:)-([UInt8])`` and writing it with ``serialized(pretty:)`` loses only
/// white space, a byte order mark and the choice of escape sequences. Numbers keep their literal text and objects
/// keep the order of their members.
///
/// The descriptions and the mirror are redacted, because documents contain secrets. They show only the kind and the
/// size of a value.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null

  /// The literal `true` or `false`.
  case bool(Bool)

  /// A number, as its literal text.
  case number(JSONNumber)

  /// A string with its escape sequences resolved; it is not normalized.
  case string(String)

  /// An ordered list of values.
  case array([JSONValue])

  /// An ordered collection of members with unique keys.
  case object(JSONObject)

  /// The text of a string; `nil` for any other kind of value.
  public var stringValue: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The text of a string or the literal of a number; `nil` for any other kind of value.
  ///
  /// It is for members that may be written both as `"1700000000"` and as `1700000000`, such as times.
  public var textValue: String? {
    switch self {
    case .string(let string): string
    case .number(let number): number.literal
    case .null, .bool, .array, .object: nil
    }
  }

  /// The Boolean value of `true` or `false`; `nil` for any other kind of value.
  public var boolValue: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The elements of an array; `nil` for any other kind of value.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object; `nil` for any other kind of value.
  public var objectValue: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }
}
