// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import KeychainItems
@testable import StrictJSON
@testable import TokenCacheModel
@testable import UnifiedCache

@Suite("Keychain item key")
struct KeychainItemKeyTests {
  private static let key = KeychainItemKey(account: "a", service: "s", generic: "g", type: 2001)

  @Test("A key read from its attributes equals the written key")
  func readBack() throws {
    for kind in CredentialKind.allCases {
      let key = try KeychainSample.key(kind)
      let read = KeychainItemKey(
        account: key.account, service: key.service, generic: key.generic, type: key.type)
      #expect(read == key)
      #expect(Set([read, key]).count == 1)
    }
  }

  @Test(
    "Keys that differ in one attribute are different",
    arguments: [
      KeychainItemKey(account: "A", service: "s", generic: "g", type: 2001),
      KeychainItemKey(account: "a", service: "", generic: "g", type: 2001),
      KeychainItemKey(account: "a", service: "s", generic: "", type: 2001),
      KeychainItemKey(account: "a", service: "s", generic: nil, type: 2001),
      KeychainItemKey(account: "a", service: "s", generic: "g", type: 2002),
      KeychainItemKey(account: "a", service: "s", generic: "g", type: nil),
      KeychainItemKey(account: "as", service: "", generic: "g", type: 2001),
    ])
  func different(_ other: KeychainItemKey) {
    #expect(other != Self.key)
    #expect(Set([other, Self.key]).count == 2)
  }

  @Test("Texts are compared by bytes, not by canonical equivalence")
  func bytes() throws {
    let precomposed = "caf\u{E9}"
    let combining = "cafe\u{301}"
    #expect(precomposed == combining)
    let names: [(String) -> KeychainItemKey] = [
      { KeychainItemKey(account: $0, service: "") }, { KeychainItemKey(account: "", service: $0) },
      { KeychainItemKey(account: "", service: "", generic: $0) },
    ]
    for name in names { #expect(name(precomposed) != name(combining)) }
    let query = KeychainItemQuery.accountMetadata(clientID: precomposed)
    #expect(query.matches(KeychainItemKey(accountMetadataOf: precomposed)))
    #expect(!query.matches(KeychainItemKey(accountMetadataOf: combining)))
  }

  @Test("Keys, queries and criteria show no content")
  func redacted() throws {
    let account = try #require(
      AccountEntry(["home_account_id": "hunter2", "environment": "hunter2", "username": "hunter2"]))
    var criteria = KeychainCredentialCriteria(kind: .idToken)
    criteria.homeAccountID = "hunter2"
    criteria.environment = "hunter2"
    let key = KeychainItemKey(of: account)
    #expect(key.generic == "hunter2")
    let subjects: [Any] = [
      key, [key], ["key": key], criteria, KeychainItemQuery(criteria),
      KeychainItemQuery.accounts(homeAccountID: "hunter2", environment: "hunter2", username: "hunter2"),
    ]
    for subject in subjects {
      for text in RedactionProbe.texts(of: subject) { #expect(!text.contains("hunter2")) }
    }
  }

  @Test("White space is the set that Foundation trims, as in MSAL for iOS and macOS")
  func whiteSpace() {
    for value in (0...0x10FFFF as ClosedRange<UInt32>) {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let isSpace = CharacterSet.whitespacesAndNewlines.contains(scalar)
      if KeychainText.isBlank(String(scalar)) != isSpace {
        Issue.record("U+\(String(value, radix: 16))")
      }
    }
  }

  @Test("Lower case is Foundation's locale-independent lower case for all letters")
  func lowerCase() {
    for value in (0...0x10FFFF as ClosedRange<UInt32>) {
      guard let scalar = Unicode.Scalar(value), let age = scalar.properties.age, age.major < 16
      else { continue }
      let text = "a\(String(scalar))b"
      if !JSONText.equal(KeychainText.normalized(text), (text as NSString).lowercased(with: nil)) {
        Issue.record("U+\(String(value, radix: 16))")
      }
    }
  }

  @Test(
    "Only white space at the ends is trimmed",
    arguments: [
      ("", ""), (" ", ""), ("\u{200B}", ""), ("a", "a"), (" a b ", "a b"), (" \u{301}", "\u{301}"),
      ("A\u{301} ", "a\u{301}"), ("\u{FEFF}A", "\u{FEFF}a"), ("\u{0}A", "\u{0}a"),
    ])
  func trimming(text: String, expected: String) {
    #expect(JSONText.equal(KeychainText.normalized(text), expected))
  }
}
