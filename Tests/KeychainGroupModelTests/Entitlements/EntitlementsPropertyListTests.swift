// SPDX-License-Identifier: MIT

import Foundation
import KeychainGroupModel
import Testing

@Suite("Entitlements property list")
struct EntitlementsPropertyListTests {
  /// The two forms in which Apple's tools write property lists.
  private static let formats: [PropertyListDecoder.PropertyListFormat] = [.xml, .binary]

  private struct Manifest: Encodable {
    var identifier: String?
    var team: String?
    var groups: [String]?

    enum CodingKeys: String, CodingKey {
      case team = "com.apple.developer.team-identifier"
      case identifier = "application-identifier"
      case groups = "keychain-access-groups"
    }
  }

  struct Good: Sendable {
    let identifier: String
    var team: String?
    let groups: [String]?
    let app: String
    let publisher: String?
    let names: [String]
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    let identifier: String?
    let team: String?
    let groups: [String]
    let code: SecretStoreError.Code

    init(_ identifier: String?, team: String? = nil, _ groups: [String], _ code: SecretStoreError.Code) {
      self.identifier = identifier
      self.team = team
      self.groups = groups
      self.code = code
    }

    var testDescription: String { "\(identifier ?? "no identifier") \(groups)" }
  }

  private static let good = [
    Good(
      identifier: "contoso.com.contoso.mail", groups: ["$(AppIdentifierPrefix)com.contoso.shared"],
      app: "com.contoso.mail", publisher: "contoso", names: ["com.contoso.shared"]),
    Good(
      identifier: "UBF8T346G9.com.contoso.mail",
      groups: ["UBF8T346G9.com.contoso.shared", "$(AppIdentifierPrefix)com.microsoft.adalcache"],
      app: "com.contoso.mail", publisher: "UBF8T346G9",
      names: ["com.contoso.shared", "com.microsoft.adalcache"]),
    Good(
      identifier: "$(AppIdentifierPrefix)com.contoso.mail",
      groups: ["$(AppIdentifierPrefix)com.contoso.shared", "com.contoso.other"],
      app: "com.contoso.mail", publisher: nil, names: ["com.contoso.shared", "com.contoso.other"]),
    Good(
      identifier: "contoso.com.contoso.mail", groups: nil, app: "com.contoso.mail", publisher: "contoso",
      names: []),
    Good(
      identifier: "contoso.com.contoso.mail", groups: [], app: "com.contoso.mail", publisher: "contoso",
      names: []),
    Good(
      identifier: "contoso.com.contoso.mail", groups: ["contoso.a", "$(AppIdentifierPrefix)a", "contoso.b"],
      app: "com.contoso.mail", publisher: "contoso", names: ["a", "b"]),
    Good(identifier: "contoso.mail", groups: nil, app: "mail", publisher: "contoso", names: []),
    Good(
      identifier: "$(AppIdentifierPrefix)com.contoso.mail", team: "com.contoso",
      groups: ["$(AppIdentifierPrefix)com.contoso.shared", "com.contoso.com.contoso.other"],
      app: "com.contoso.mail", publisher: "com.contoso", names: ["com.contoso.shared", "com.contoso.other"]),
    Good(
      identifier: "com.contoso.com.contoso.mail", team: "com.contoso", groups: nil, app: "com.contoso.mail",
      publisher: "com.contoso", names: []),
    Good(
      identifier: "UBF8T346G9.com.contoso.mail", team: "UBF8T346G9", groups: nil, app: "com.contoso.mail",
      publisher: "UBF8T346G9", names: []),
  ]

  @Test(
    "The publisher is the team identifier, or else the text before the first dot", arguments: good, formats)
  func parses(_ good: Good, format: PropertyListDecoder.PropertyListFormat) throws {
    let list = try Self.encode(
      Manifest(identifier: good.identifier, team: good.team, groups: good.groups), format)
    let app = try AppEntitlements(propertyList: list)
    #expect(app.app.name == good.app)
    #expect(app.publisher?.name == good.publisher)
    #expect(app.groups.map(\.name) == good.names)
    #expect(app.groups.allSatisfy { $0.publisher?.name == good.publisher })
    #expect(try app == AppEntitlements(app: good.app, publisher: good.publisher, groups: good.names))
  }

  private static let bad = [
    Bad(nil, [], .invalidFile),
    Bad("", [], .invalidArgument),
    Bad("mail", [], .invalidArgument),
    Bad("contoso.", [], .invalidArgument),
    Bad(".com.contoso.mail", [], .invalidArgument),
    Bad("$(AppIdentifierPrefix)", [], .invalidArgument),
    Bad("con/toso.com.contoso.mail", [], .invalidArgument),
    Bad("contoso.com.contoso.mail\n", [], .invalidArgument),
    Bad("contoso.com.contoso.mail", [""], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["$(AppIdentifierPrefix)"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["contoso."], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["fabrikam.com.fabrikam.shared"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["contosoltd.com.contoso.shared"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["com.contoso.shared"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["$(TeamIdentifierPrefix)com.contoso.shared"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["contoso.com.contoso.*"], .invalidArgument),
    Bad("contoso.com.contoso.mail", ["contoso.good", "contoso.b/d"], .invalidArgument),
    Bad("com.contoso.mail", team: "com.fabrikam", [], .invalidArgument),
    Bad("com.contosomail", team: "com.contoso", [], .invalidArgument),
    Bad("com.contoso.", team: "com.contoso", [], .invalidArgument),
    Bad("$(AppIdentifierPrefix)com.contoso.mail", team: "", [], .invalidArgument),
    Bad("$(AppIdentifierPrefix)com.contoso.mail", team: "com.con/toso", [], .invalidArgument),
    Bad(
      "$(AppIdentifierPrefix)com.contoso.mail", team: "com.contoso", ["com.fabrikam.shared"], .invalidArgument
    ),
  ]

  @Test("A malformed identifier or group is refused", arguments: bad, formats)
  func refuses(_ bad: Bad, format: PropertyListDecoder.PropertyListFormat) throws {
    let list = try Self.encode(
      Manifest(identifier: bad.identifier, team: bad.team, groups: bad.groups), format)
    #expect(throws: SecretStoreError(bad.code, "")) { try AppEntitlements(propertyList: list) }
  }

  @Test("A property list with another structure throws invalidFile", arguments: formats)
  func otherShapes(format: PropertyListDecoder.PropertyListFormat) throws {
    let lists = [
      try Self.encode(["contoso.com.contoso.mail"], format),
      try Self.encode(["application-identifier": 1], format),
      try Self.encode(["application-identifier": ["contoso.com.contoso.mail"]], format),
      try Self.encode(
        ["application-identifier": "contoso.com.contoso.mail", "keychain-access-groups": "contoso.a"],
        format),
      try Self.encode(["keychain-access-groups": ["contoso.a"]], format),
      try Self.encode(
        ["application-identifier": ["contoso.mail"], "com.apple.developer.team-identifier": ["contoso"]],
        format),
      try Self.encode([String: String](), format),
    ]
    for list in lists {
      #expect(throws: SecretStoreError(.invalidFile, "")) { try AppEntitlements(propertyList: list) }
    }
  }

  @Test(
    "Bytes that are not a property list throw invalidFile",
    arguments: [
      "", " ", "{}", #"{"application-identifier":"contoso.com.contoso.mail"}"#, "bplist00",
      "bplist00\0\0\0\0",
      "<plist><dict></plist>", "<?xml version=\"1.0\"?>", "[Desktop Entry]\nName=Mail\n", "\u{FEFF}", "\0",
    ])
  func noPropertyList(_ text: String) {
    #expect(throws: SecretStoreError(.invalidFile, "")) {
      try AppEntitlements(propertyList: Data(text.utf8))
    }
  }

  @Test("Keys that do not concern groups are ignored", arguments: [true, false])
  func otherKeys(hasDocumentType: Bool) throws {
    let documentType = #"""
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      """#
    let text = #"""
      <?xml version="1.0" encoding="UTF-8"?>
      \#(hasDocumentType ? documentType : "")
      <plist version="1.0"><dict>
        <key>com.apple.security.app-sandbox</key><true/>
        <key>application-identifier</key><string>contoso.com.contoso.mail</string>
        <key>keychain-access-groups</key>
        <array><string>$(AppIdentifierPrefix)com.contoso.shared</string></array>
        <key>aps-environment</key><string>development</string>
      </dict></plist>
      """#
    let app = try AppEntitlements(propertyList: Data(text.utf8))
    #expect(app.keychainSharingGroup.qualifiedName == "contoso.com.contoso.shared")
  }

  private static func encode(
    _ value: some Encodable, _ format: PropertyListDecoder.PropertyListFormat
  ) throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = format
    return try encoder.encode(value)
  }

  @Test("A truncated property list throws invalidFile", arguments: formats)
  func truncated(format: PropertyListDecoder.PropertyListFormat) throws {
    let whole = try Self.encode(
      Manifest(identifier: "contoso.com.contoso.mail", groups: ["contoso.a"]), format)
    // The XML ends in a line feed.
    for length in 0..<(whole.count - 1) {
      #expect(throws: SecretStoreError(.invalidFile, "")) {
        try AppEntitlements(propertyList: whole.prefix(length))
      }
    }
  }

  @Test("A property list nested beyond the limit throws invalidFile", arguments: [100, 10_000, 1_000_000])
  func nested(_ depth: Int) {
    let text = "<plist>" + String(repeating: "<array>", count: depth) + "</plist>"
    #expect(throws: SecretStoreError(.invalidFile, "")) {
      try AppEntitlements(propertyList: Data(text.utf8))
    }
    let closed = text.replacing("</plist>", with: String(repeating: "</array>", count: depth) + "</plist>")
    #expect(throws: SecretStoreError(.invalidFile, "")) {
      try AppEntitlements(propertyList: Data(closed.utf8))
    }
  }
}
