// SPDX-License-Identifier: MIT

extension JSONValue: Hashable {
  /// Returns whether two values are equal, without regard to the order of members.
  ///
  /// Strings are equal if their code units are (RFC 8259, section 8.3), and numbers if their literals are.
  public static func == (lhs: Self, rhs: Self) -> Bool {
    switch (lhs, rhs) {
    case (.null, .null): true
    case (.bool(let left), .bool(let right)): left == right
    case (.number(let left), .number(let right)): left == right
    case (.string(let left), .string(let right)): JSONText.equal(left, right)
    case (.array(let left), .array(let right)): left == right
    case (.object(let left), .object(let right)): left == right
    case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
    }
  }

  /// Hashes the kind and the content of the value, consistently with `==`.
  public func hash(into hasher: inout Hasher) {
    switch self {
    case .null:
      hasher.combine(0)
    case .bool(let bool):
      hasher.combine(1)
      hasher.combine(bool)
    case .number(let number):
      hasher.combine(2)
      hasher.combine(number)
    case .string(let string):
      hasher.combine(3)
      JSONText.hash(string, into: &hasher)
    case .array(let elements):
      hasher.combine(4)
      hasher.combine(elements)
    case .object(let object):
      hasher.combine(5)
      hasher.combine(object)
    }
  }
}
