// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("JSON: redaction")
struct JSONRedactionTests {
  private struct Container {
    var value: JSONValue
    var object: JSONObject
    var optional: JSONValue?
    var list: [JSONValue]
    var iterator: JSONObject.Iterator
    var number: JSONNumber?
  }

  private enum Wrapper: Error {
    case failure(JSONValue, JSONObject)
  }

  private static let secretObject: JSONObject = [
    "hunter2": "hunter2", "number": 7_654_321, "list": ["hunter2", 7_654_321, ["hunter2": true]],
    "nested": ["hunter2": ["hunter2": "hunter2"]],
  ]

  private func texts<Subject>(_ subject: Subject) -> [String] {
    var dumped = ""
    dump(subject, to: &dumped)
    return ["\(subject)", String(describing: subject), String(reflecting: subject), dumped]
  }

  private func expectNoSecret<Subject>(_ subject: Subject) {
    for text in texts(subject) {
      for secret in ["hunter2", "7654321", "7_654_321", "nested", "list\""] {
        #expect(!text.contains(secret))
      }
    }
  }

  @Test(
    "A description shows only the structure",
    arguments: [
      (.null, "null"), (true, "bool(redacted)"), (false, "bool(redacted)"), (7_654_321, "number(redacted)"),
      ("hunter2", "string(redacted)"), ([], "array(0 elements)"), (["hunter2"], "array(1 element)"),
      ([1, 2], "array(2 elements)"), ([:], "object(0 members)"), (["hunter2": 1], "object(1 member)"),
      (.object(secretObject), "object(4 members)"),
    ] as [(JSONValue, String)])
  func shape(value: JSONValue, expected: String) {
    #expect(value.description == expected)
    #expect(value.debugDescription == expected)
    #expect(value.customMirror.children.isEmpty)
    for text in texts(value) { #expect(text.contains(expected)) }
    expectNoSecret(value)
  }

  @Test("An object shows its number of members")
  func object() {
    #expect(Self.secretObject.description == "object(4 members)")
    #expect(Self.secretObject.debugDescription == "object(4 members)")
    #expect(Self.secretObject.customMirror.children.isEmpty)
    expectNoSecret(Self.secretObject)
  }

  @Test("A number shows no digit")
  func number() {
    let number = JSONNumber(7_654_321)
    #expect(number.description == "number(redacted)")
    #expect(number.customMirror.children.isEmpty)
    expectNoSecret(number)
  }

  @Test("Nested values show no content")
  func containers() {
    let value = JSONValue.object(Self.secretObject)
    let container = Container(
      value: value,
      object: Self.secretObject,
      optional: "hunter2",
      list: ["hunter2", value],
      iterator: Self.secretObject.makeIterator(),
      number: JSONNumber(7_654_321)
    )
    expectNoSecret(container)
    #expect(String(describing: container).contains("object(4 members)"))
    expectNoSecret([value, "hunter2"])
    expectNoSecret(["key": value])
    expectNoSecret((value, Self.secretObject))
    expectNoSecret(Optional(value))
    expectNoSecret(Set([value]))
    expectNoSecret(Wrapper.failure(value, Self.secretObject))
    expectNoSecret(Result<JSONValue, any Error>.success(value))
    expectNoSecret(value as Any)
    expectNoSecret(Mirror(reflecting: value))
    expectNoSecret(Array(Mirror(reflecting: container).children.map(\.value)))
  }
}
