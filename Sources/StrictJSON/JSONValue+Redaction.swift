// SPDX-License-Identifier: MIT

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A redacted text: the kind of the value and its number of members or elements, without any content.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool: "bool(redacted)"
    case .number(let number): number.description
    case .string: "string(redacted)"
    case .array(let elements): "array(\(elements.count) \(elements.count == 1 ? "element" : "elements"))"
    case .object(let object): object.description
    }
  }

  /// A redacted text: the kind of the value and its number of members or elements, without any content.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no content.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .enum) }
}

extension JSONObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A redacted text: the number of members, without any key or value.
  public var description: String { "object(\(count) \(count == 1 ? "member" : "members"))" }

  /// A redacted text: the number of members, without any key or value.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no key or value.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
