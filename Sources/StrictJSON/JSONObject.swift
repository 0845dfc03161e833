// SPDX-License-Identifier: MIT

/// The members of a JSON object, in order and with unique keys.
///
/// RFC 8259, section 4 gives the order of members no meaning, so equality ignores it. The order is kept from
/// reading to writing all the same. Keys are compared by code unit (RFC 8259, section 8.3), not by canonical
/// equivalence as `String` does.
///
/// A look-up compares the keys one by one up to 16 members, and uses a hash table above that. The descriptions are
/// redacted.
public struct JSONObject: Sendable {
  /// The largest number of members that a look-up compares one by one.
  static let linearLimit = 16

  struct Member: Sendable {
    let key: String
    var value: JSONValue
  }

  private(set) var members: [Member] = []

  /// The position of each key; built only above ``linearLimit`` members.
  private var index: [JSONText: Int]?

  /// Creates an object without members.
  public init() {}

  /// The number of members.
  public var count: Int { members.count }

  /// Whether the object has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The keys, in order.
  public var keys: [String] { members.map(\.key) }

  /// The value of a key, or `nil` if there is no such member.
  ///
  /// Setting a value keeps the position of an existing key and appends a new key. Setting `nil` removes the member;
  /// for a JSON `null`, set ``JSONValue/null``. Reading takes constant time on average. Removing takes time
  /// proportional to ``count``.
  public subscript(key: String) -> JSONValue? {
    get {
      position(of: key).map { members[$0].value }
    }
    set {
      guard let newValue else { return remove(key) }
      if let position = position(of: key) {
        members[position].value = newValue
      } else {
        append(key, newValue)
      }
    }
  }

  /// Removes the members that satisfy the predicate, in time proportional to ``count``.
  package mutating func removeAll(where fits: (String, JSONValue) throws -> Bool) rethrows {
    let kept = try members.filter { try !fits($0.key, $0.value) }
    if kept.count == members.count { return }
    members = kept
    index = nil
    if members.count > Self.linearLimit { rebuildIndex() }
  }

  /// Appends a member and returns `true`; returns `false` and changes nothing if the key exists.
  mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
    guard position(of: key) == nil else { return false }
    append(key, value)
    return true
  }

  func position(of key: String) -> Int? {
    WorkMeter.count()
    if let index { return index[JSONText(key)] }
    return members.firstIndex { JSONText.equal($0.key, key) }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    let position = members.count
    members.append(Member(key: key, value: value))
    if index != nil {
      index?[JSONText(key)] = position
    } else if members.count > Self.linearLimit {
      rebuildIndex()
    }
  }

  private mutating func remove(_ key: String) {
    guard let position = position(of: key) else { return }
    WorkMeter.count(members.count)
    members.remove(at: position)
    guard var positions = index else { return }
    index = nil
    guard members.count > Self.linearLimit else { return }
    positions[JSONText(key)] = nil
    var cursor = positions.values.startIndex
    while cursor != positions.values.endIndex {
      if positions.values[cursor] > position { positions.values[cursor] -= 1 }
      positions.values.formIndex(after: &cursor)
    }
    index = positions
  }

  private mutating func rebuildIndex() {
    var positions: [JSONText: Int] = [:]
    positions.reserveCapacity(members.count * 2)
    for (position, member) in members.enumerated() { positions[JSONText(member.key)] = position }
    index = positions
  }
}
