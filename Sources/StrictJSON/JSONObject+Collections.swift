// SPDX-License-Identifier: MIT

extension JSONObject: Sequence {
  /// An iterator over the members of an object, in order.
  public struct Iterator: IteratorProtocol, Sendable {
    private let object: JSONObject
    private var position = 0

    init(_ object: JSONObject) {
      self.object = object
    }

    /// Returns the next member, or `nil` after the last.
    public mutating func next() -> (key: String, value: JSONValue)? {
      guard position < object.members.count else { return nil }
      defer { position += 1 }
      let member = object.members[position]
      return (member.key, member.value)
    }
  }

  /// The number of members, so that copying the sequence allocates once.
  public var underestimatedCount: Int { count }

  /// Returns an iterator over the members, in order.
  public func makeIterator() -> Iterator {
    Iterator(self)
  }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
  /// Creates an object from a literal as if its members were set one after the other.
  ///
  /// A repeated key does not trap: it keeps its first position and its last value.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init()
    for (key, value) in elements { self[key] = value }
  }
}

extension JSONObject: Hashable {
  /// Returns whether two objects have the same members, in any order (RFC 8259, section 4).
  public static func == (lhs: Self, rhs: Self) -> Bool {
    guard lhs.count == rhs.count else { return false }
    for (position, member) in lhs.members.enumerated() {
      // Most equal objects have their members in the same order.
      let sameOrder = JSONText.equal(rhs.members[position].key, member.key)
      guard let other = sameOrder ? position : rhs.position(of: member.key) else { return false }
      if rhs.members[other].value != member.value { return false }
    }
    return true
  }

  /// Hashes the members without regard to their order.
  public func hash(into hasher: inout Hasher) {
    var sum = 0
    for member in members {
      var memberHasher = hasher
      JSONText.hash(member.key, into: &memberHasher)
      memberHasher.combine(member.value)
      sum ^= memberHasher.finalize()
    }
    hasher.combine(sum)
    hasher.combine(count)
  }
}
