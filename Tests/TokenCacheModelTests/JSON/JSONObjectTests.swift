// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("JSON: objects")
struct JSONObjectTests {
  private func numbered(_ range: some Sequence<Int>) -> JSONObject {
    var object = JSONObject()
    for number in range { object["key \(number)"] = .number(JSONNumber(number)) }
    return object
  }

  @Test("An empty object has no members")
  func empty() {
    let object = JSONObject()
    #expect(object.isEmpty)
    #expect(object.count == 0)
    #expect(object.keys == [])
    #expect(object["a"] == nil)
    #expect(object == [:])
  }

  @Test("Setting a value keeps the position of an existing key and appends a new one")
  func setting() {
    var object: JSONObject = ["b": 1, "a": 2, "c": 3]
    object["a"] = "new"
    object["d"] = 4
    #expect(object.keys == ["b", "a", "c", "d"])
    #expect(object["a"] == "new")
    object["b"] = nil
    #expect(object.keys == ["a", "c", "d"])
    object["b"] = 5
    #expect(object.keys == ["a", "c", "d", "b"])
    object["none"] = nil
    #expect(object.count == 4)
  }

  @Test("Null is a value, and nil is absent")
  func null() throws {
    var object: JSONObject = ["a": nil]
    #expect(object.count == 1)
    #expect(object["a"] == .null)
    #expect(object["a"] != nil)
    object["b"] = .null
    #expect(object.keys == ["a", "b"])
    object["a"] = nil
    #expect(object.keys == ["b"])
    object["b"]? = "x"
    #expect(object["b"] == "x")
  }

  @Test("A duplicate key in a literal keeps its first position and its last value")
  func repeatedKey() {
    let object: JSONObject = ["a": 1, "b": 2, "a": 3]
    #expect(object.keys == ["a", "b"])
    #expect(object["a"] == 3)
    #expect(JSONValue.object(object) == ["a": 1, "b": 2, "a": 3])
  }

  @Test("Iteration yields the members in order")
  func iteration() {
    let object = numbered(0..<40)
    #expect(object.map(\.key) == (0..<40).map { "key \($0)" })
    #expect(object.map(\.value.textValue) == (0..<40).map { "\($0)" })
    for (key, value) in object { #expect(object[key] == value) }
  }

  @Test(
    "Look-ups are correct below and above the limit of the linear search",
    arguments: [1, 15, 16, 17, 18, 1000])
  func lookUp(count: Int) {
    let object = numbered(0..<count)
    #expect(object.count == count)
    for number in 0..<count { #expect(object["key \(number)"]?.textValue == "\(number)") }
    #expect(object["key \(count)"] == nil)
    #expect(object["KEY 0"] == nil)
    #expect(object[""] == nil)
  }

  @Test("A large object behaves as a list of pairs under random changes")
  func model() {
    var random = SplitMix64(seed: 1)
    var object = JSONObject()
    var pairs: [(key: String, value: JSONValue)] = []
    for step in 0..<5000 {
      let key = "\(random.next(below: 40))"
      let place = pairs.firstIndex { $0.key == key }
      #expect(object[key] == place.map { pairs[$0].value })
      if random.next(below: 5) < 2 {
        object[key] = nil
        if let place { pairs.remove(at: place) }
      } else {
        let value = JSONValue.number(JSONNumber(step))
        object[key] = value
        if let place { pairs[place].value = value } else { pairs.append((key, value)) }
      }
      #expect(object.keys == pairs.map(\.key))
    }
    #expect(object.map(\.value) == pairs.map(\.value))
  }

  @Test("A copy does not change with the original", arguments: [3, 30])
  func valueSemantics(count: Int) {
    var object = numbered(0..<count)
    let copy = object
    object["key 0"] = nil
    object["key 1"] = "changed"
    #expect(copy == numbered(0..<count))
    #expect(copy["key 1"] == 1)
  }

  @Test("Equality and hash ignore the order of members", arguments: [0, 1, 2, 16, 17, 100])
  func equality(count: Int) {
    let object = numbered(0..<count)
    let reversed = numbered((0..<count).reversed())
    #expect(object == reversed)
    #expect(object.hashValue == reversed.hashValue)
    #expect(JSONValue.object(object).hashValue == JSONValue.object(reversed).hashValue)
    var other = object
    other["extra"] = 1
    #expect(object != other)
    guard count > 0 else { return }
    other = object
    other["key 0"] = "changed"
    #expect(object != other)
    other["key 0"] = nil
    other["other"] = 0
    #expect(object != other)
  }

  @Test("Canonically equivalent keys are different keys", arguments: [2, 30])
  func canonicalEquivalence(count: Int) {
    var object = numbered(2..<count)
    object["\u{E9}"] = 1
    object["e\u{301}"] = 2
    #expect(object.count == count)
    #expect(object["\u{E9}"] == 1)
    object["\u{E9}"] = nil
    #expect(object["\u{E9}"] == nil)
    #expect(object["e\u{301}"] == 2)
    #expect(["\u{E9}": 1] as JSONObject != ["e\u{301}": 1])
  }
}
