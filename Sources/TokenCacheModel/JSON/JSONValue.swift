// SPDX-License-Identifier: MIT

/// A JSON value (RFC 8259, section 3).
///
/// Nothing of a document gets lost between ``init(parsing:)-([UInt8])`` and ``serialized(pretty:)``, except
/// for white space, a byte order mark and the choice of escape sequences: numbers keep their literal text and
/// objects the order of their members.
///
/// The descriptions and the mirror are redacted, because documents hold secrets. They show only the kind and
/// the size of a value.
public enum JSONValue: Sendable {
  /// The literal `null`.
  case null

  /// The literal `true` or `false`.
  case bool(Bool)

  /// A number, as its literal text.
  case number(JSONNumber)

  /// A string, with its escape sequences resolved and not normalized.
  case string(String)

  /// An ordered list of values.
  case array([JSONValue])

  /// An ordered collection of members with unique keys.
  case object(JSONObject)

  /// The text of a string, nil for any other kind of value.
  public var stringValue: String? {
    if case .string(let string) = self { string } else { nil }
  }

  /// The text of a string or the literal of a number, nil for any other kind of value.
  ///
  /// For readers that accept a time both as `"1700000000"` and as `1700000000`.
  public var textValue: String? {
    switch self {
    case .string(let string): string
    case .number(let number): number.literal
    case .null, .bool, .array, .object: nil
    }
  }

  /// The truth value of `true` or `false`, nil for any other kind of value.
  public var boolValue: Bool? {
    if case .bool(let bool) = self { bool } else { nil }
  }

  /// The elements of an array, nil for any other kind of value.
  public var arrayValue: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members of an object, nil for any other kind of value.
  public var objectValue: JSONObject? {
    if case .object(let object) = self { object } else { nil }
  }
}
