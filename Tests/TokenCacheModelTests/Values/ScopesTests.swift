// SPDX-License-Identifier: MIT

import Testing
import TokenCacheModel

@Suite("Scopes")
struct ScopesTests {
  @Test(
    "The target is sorted without regard to case, keeps the first spelling and has each scope once",
    arguments: [
      ("", ""), ("   ", ""), ("a", "a"), ("b a", "a b"), ("  b   a  ", "a b"), ("a A a", "a"), ("A a", "A"),
      ("b\ta\nc", "a b c"),
      ("Tasks.Read email Calendars.Read openid", "Calendars.Read email openid Tasks.Read"),
      ("https://contoso.com/b https://contoso.com/A", "https://contoso.com/A https://contoso.com/b"),
    ])
  func target(text: String, expected: String) {
    let scopes = Scopes(target: text)
    #expect(scopes.target == expected)
    #expect(scopes.description == expected)
    #expect(scopes.names == expected.split(separator: " ").map(String.init))
    #expect(scopes.isEmpty == expected.isEmpty)
    #expect(Scopes(target: scopes.target) == scopes)
  }

  @Test("A string with spaces counts as several scopes, and a blank one as none")
  func elements() {
    #expect(["a b", " ", "", "c"] as Scopes == ["a", "b", "c"])
    #expect(Scopes(["b", "a"]).names == ["a", "b"])
  }

  @Test("Sets are equal in any order and case")
  func equality() {
    let sets: Set<Scopes> = [["a", "B"], ["b", "A"], ["B", "a", "b"]]
    #expect(sets.count == 1)
    #expect(["a"] as Scopes != ["a", "b"])
    #expect(["a"] as Scopes != ["b"])
  }

  @Test(
    "A subset is found in any order and case",
    arguments: [
      ([], [], true), ([], ["a"], true), (["a"], [], false), (["A"], ["a", "b"], true),
      (["b", "a"], ["A", "B"], true), (["a", "c"], ["a", "b"], false), (["a.b"], ["a"], false),
    ] as [(Scopes, Scopes, Bool)])
  func subset(left: Scopes, right: Scopes, expected: Bool) {
    #expect(left.isSubset(of: right) == expected)
  }

  @Test(
    "Two sets intersect if they share a scope",
    arguments: [
      ([], [], false), (["a"], [], false), (["a"], ["A"], true), (["a", "b"], ["c", "B"], true),
      (["a"], ["b"], false),
    ] as [(Scopes, Scopes, Bool)])
  func intersection(left: Scopes, right: Scopes, expected: Bool) {
    #expect(left.intersects(right) == expected)
    #expect(right.intersects(left) == expected)
  }

  @Test("A union keeps the spelling of the left side; a difference ignores case")
  func operations() {
    #expect((["A"] as Scopes).union(["a", "b"]).target == "A b")
    #expect((["A", "b"] as Scopes).subtracting(["a", "c"]).target == "b")
  }

  @Test("OpenID Connect scopes belong to no resource")
  func resourceScopes() {
    let asked: Scopes = ["OpenID", "profile", "email", "offline_access", "Mail.Read"]
    #expect(asked.resourceScopes == ["mail.read"])
    #expect(Scopes.openIDConnect.resourceScopes.isEmpty)
  }

  @Test("A combining mark after white space is a separate scope, stored and read alike")
  func combiningMark() {
    let scopes = Scopes(target: "s\u{0B}\u{301}")
    #expect(scopes.names.count == 2)
    #expect(Scopes(target: scopes.target) == scopes)
  }
}
