// SPDX-License-Identifier: MIT

/// The members of a JSON object, in order, each key at most once.
///
/// RFC 8259, section 4 gives the order of members no meaning, so equality ignores it. It is nevertheless kept
/// from reading to writing. Keys are compared code unit by code unit (RFC 8259, section 8.3), not by
/// canonical equivalence as `String` does.
///
/// A look-up compares keys up to 16 members and uses a hash table above. The descriptions are redacted.
public struct JSONObject: Sendable {
  /// The largest number of members that is searched one by one.
  static let linearLimit = 16

  struct Member: Sendable {
    let key: String
    var value: JSONValue
  }

  private(set) var members: [Member] = []

  /// The place of every key, built only above ``linearLimit`` members.
  private var index: [JSONText: Int]?

  /// Creates an object without members.
  public init() {}

  /// The number of members.
  public var count: Int { members.count }

  /// Whether the object has no members.
  public var isEmpty: Bool { members.isEmpty }

  /// The keys, in order.
  public var keys: [String] { members.map(\.key) }

  /// The value of a key, or nil if there is no such member.
  ///
  /// Setting a value keeps the place of an existing key and puts a new key last. Setting nil removes the
  /// member; for a JSON `null`, set ``JSONValue/null``. Reading takes constant time on average. Removing
  /// takes time in proportion to ``count``.
  public subscript(key: String) -> JSONValue? {
    get {
      place(of: key).map { members[$0].value }
    }
    set {
      guard let newValue else { return remove(key) }
      if let place = place(of: key) {
        members[place].value = newValue
      } else {
        append(key, newValue)
      }
    }
  }

  /// Adds a member last, or returns false and changes nothing if the key exists.
  mutating func insert(_ key: String, _ value: JSONValue) -> Bool {
    guard place(of: key) == nil else { return false }
    append(key, value)
    return true
  }

  func place(of key: String) -> Int? {
    if let index { return index[JSONText(key)] }
    return members.firstIndex { JSONText.equal($0.key, key) }
  }

  private mutating func append(_ key: String, _ value: JSONValue) {
    let place = members.count
    members.append(Member(key: key, value: value))
    if index != nil {
      index?[JSONText(key)] = place
    } else if members.count > Self.linearLimit {
      rebuildIndex()
    }
  }

  private mutating func remove(_ key: String) {
    guard let place = place(of: key) else { return }
    members.remove(at: place)
    guard var places = index else { return }
    index = nil
    guard members.count > Self.linearLimit else { return }
    places[JSONText(key)] = nil
    var cursor = places.values.startIndex
    while cursor != places.values.endIndex {
      if places.values[cursor] > place { places.values[cursor] -= 1 }
      places.values.formIndex(after: &cursor)
    }
    index = places
  }

  private mutating func rebuildIndex() {
    var places: [JSONText: Int] = [:]
    places.reserveCapacity(members.count * 2)
    for (place, member) in members.enumerated() { places[JSONText(member.key)] = place }
    index = places
  }
}
