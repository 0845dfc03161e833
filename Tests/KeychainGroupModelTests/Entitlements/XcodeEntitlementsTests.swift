// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@Suite("Xcode's entitlements file")
struct XcodeEntitlementsTests {
  private static let files: [(keys: [String: String], app: String?, publisher: String?)] = [
    ([:], "com.contoso.mail", "com.contoso"),
    (["com.apple.application-identifier": "com.contoso.com.contoso.mail"], nil, "com.contoso"),
    (["com.apple.application-identifier": "$(AppIdentifierPrefix)com.contoso.mail"], nil, "com.contoso"),
    (
      [
        "com.apple.application-identifier": "com.contoso.com.contoso.mail",
        "com.apple.developer.team-identifier": "com.contoso",
      ], nil, nil
    ),
    (["application-identifier": "com.contoso.com.contoso.mail"], "com.contoso.mail", nil),
    (
      ["application-identifier": "$(AppIdentifierPrefix)$(CFBundleIdentifier)"], "com.contoso.mail",
      "com.contoso"
    ),
    (
      [
        "application-identifier": "$(AppIdentifierPrefix)com.contoso.mail",
        "com.apple.application-identifier": "$(AppIdentifierPrefix)com.contoso.mail",
        "com.apple.developer.team-identifier": "com.contoso",
      ], "com.contoso.mail", "com.contoso"
    ),
  ]

  @Test("What the file leaves to the system comes from the call", arguments: files)
  func byXcode(_ file: (keys: [String: String], app: String?, publisher: String?)) throws {
    for variable in ["$(CFBundleIdentifier)", "$(PRODUCT_BUNDLE_IDENTIFIER)"] {
      let groups = ["$(AppIdentifierPrefix)\(variable)", "$(AppIdentifierPrefix)com.contoso.shared"]
      let list = try Self.encode(file.keys, groups: groups)
      let app = try AppEntitlements(propertyList: list, app: file.app, publisher: file.publisher)
      #expect(
        try app
          == AppEntitlements(
            app: "com.contoso.mail", publisher: "com.contoso",
            groups: ["com.contoso.mail", "com.contoso.shared"]))
    }
  }

  @Test(
    "An error names the key that is missing, the variable without a value, or what the call says otherwise",
    arguments: [
      ([:], nil, "", "application-identifier"),
      (
        ["application-identifier": "$(AppIdentifierPrefix)$(CFBundleIdentifier)"], nil, "",
        "$(CFBundleIdentifier)"
      ),
      (["application-identifier": "$(TeamIdentifierPrefix)x"], "x", "", "$(TeamIdentifierPrefix)"),
      ([:], "com.contoso.mail", "$(TeamIdentifierPrefix)com.contoso.shared", "$(TeamIdentifierPrefix)"),
      ([:], "com.contoso.mail", "${AppIdentifierPrefix}com.contoso.shared", "write its value"),
      (["application-identifier": "$(PRODUCT_BUNDLE_IDENTIFIER)"], nil, "", "name the app"),
      (["application-identifier": "p.a", "com.apple.application-identifier": "p.b"], nil, "", "differ"),
      (["application-identifier": "p.com.contoso.mail"], "com.contoso.notes", "", "com.contoso.notes"),
      (["application-identifier": "p.com.contoso.mail"], "contoso.mail", "", "com.contoso.mail"),
      (["application-identifier": "p.com.contoso.mail"], "mail", "", "com.contoso.mail"),
    ] as [([String: String], String?, String, String)])
  func named(keys: [String: String], app: String?, group: String, named: String) throws {
    let list = try Self.encode(keys, groups: group.isEmpty ? [] : [group])
    let error = #expect(throws: SecretStoreError.self) {
      try AppEntitlements(propertyList: list, app: app)
    }
    #expect(error?.detail.contains(named) == true)
  }

  @Test(
    "A variable makes no text longer than an app's ID, however often the file has it", .timeLimit(.minutes(1))
  )
  func expansion() throws {
    let long = String(repeating: "a", count: 50_000)
    let often = String(repeating: "$(CFBundleIdentifier)", count: 2_500)
    for (id, groups) in [
      (long, [often]), ("com.contoso.mail", [often]), ("p.a", Array(repeating: often, count: 1001)),
    ] {
      let list = try Self.encode(["application-identifier": "p.\(id)"], groups: groups)
      let error = #expect(throws: SecretStoreError.self) { try AppEntitlements(propertyList: list) }
      #expect(error.map { $0.detail.utf8.count < 500 } == true)
    }
  }

  @Test("A call that names another publisher than the file is refused")
  func otherPublisher() throws {
    for key in [
      "com.apple.developer.team-identifier": "com.fabrikam", "application-identifier": "com.fabrikam.mail",
    ] {
      let list = try Self.encode([key.key: key.value], groups: [])
      #expect(throws: SecretStoreError(.invalidArgument, "")) {
        try AppEntitlements(propertyList: list, app: "com.contoso.mail", publisher: "com.contoso")
      }
    }
  }

  private static func encode(_ keys: [String: String], groups: [String]) throws -> Data {
    var members: [String: Any] = keys
    members["keychain-access-groups"] = groups
    return try PropertyListSerialization.data(fromPropertyList: members, format: .xml, options: 0)
  }
}
