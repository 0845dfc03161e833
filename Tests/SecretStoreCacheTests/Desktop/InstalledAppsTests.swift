// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreCache
import Testing

@Suite("Installed apps")
struct InstalledAppsTests {
  private static let mail = "applications/com.contoso.mail.desktop"
  private static let start = "[Desktop Entry]\nType=Application\nName=Mail\nExec=mail %u\n"
  private static let good =
    start + "X-KeychainPublisher=contoso\nX-KeychainAccessGroups=com.contoso.shared;\n"

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func catalog() -> ManifestCatalog {
    InstalledApps(environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": "/nonexistent"]).catalog()
  }

  private func manifest() throws -> AppManifest? {
    try catalog().manifest(for: AppIdentifier("com.contoso.mail"))
  }

  @Test("A manifest is read with all relevant keys")
  func reads() throws {
    try folder.write(
      Self.mail,
      """
      # A comment
      [Desktop Entry]
      Type = Application
      Name=Mail
      Name[de]=Post
      Exec=mail --open %u
      MimeType=text/plain;x-scheme-handler/mailto;x-scheme-handler/msauth.com.contoso.mail
      X-KeychainPublisher=contoso
      X-KeychainAccessGroups=com.contoso.shared;$(AppIdentifierPrefix)com.contoso.archive;com.contoso.shared
      X-KeychainAccessGroups[de]=com.contoso.other;

      [Desktop Action compose]
      X-KeychainPublisher=fabrikam
      Exec=mail --compose
      """)
    let manifest = try #require(try manifest())
    #expect(
      try manifest.entitlements
        == AppEntitlements(
          app: "com.contoso.mail", publisher: "contoso",
          groups: ["com.contoso.shared", "com.contoso.archive"]))
    #expect(manifest.name == "Mail")
    #expect(manifest.schemes == ["mailto", "msauth.com.contoso.mail"])
    #expect(manifest.path == "\(folder.path)/\(Self.mail)")
    #expect(!manifest.isSystemWide)
    #expect(manifest.problems.map(\.rule).contains(.repeatedGroup))
  }

  struct Wrong: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let content: Data
    var rule = ManifestProblem.Rule.unreadable

    init(_ description: String, _ text: String, _ rule: ManifestProblem.Rule = .unreadable) {
      self.init(description, Data(text.utf8), rule)
    }

    init(_ description: String, _ content: Data, _ rule: ManifestProblem.Rule = .unreadable) {
      testDescription = description
      self.content = content
      self.rule = rule
    }
  }

  private static let wrong = [
    Wrong("empty", ""), Wrong("blank", "\n \n"), Wrong("a comment", "# X-Keychain\n"), Wrong("text", "hello"),
    Wrong("JSON", #"{"X-KeychainPublisher": "contoso"}"#),
    Wrong("a property list", "<?xml version=\"1.0\"?><plist/>"),
    Wrong("another group", "[Application]\nX-KeychainPublisher=contoso\n"),
    Wrong("a group that is not closed", "[Desktop Entry\n"),
    Wrong("a key before its group", "X-KeychainPublisher=contoso\n" + good),
    Wrong("a line that is no key", good + "X-KeychainPublisher\n"),
    Wrong("zero bytes", Data(good.utf8) + Data([0, 0])),
    Wrong("a zero byte", good.replacing("=contoso", with: "=contoso\0")),
    Wrong("bytes", Data((0...255).map { UInt8($0) })),
    Wrong("UTF-16", good.data(using: .utf16) ?? Data()), Wrong("UTF-32", good.data(using: .utf32) ?? Data()),
    Wrong("Latin-1", Data((start + "X-KeychainPublisher=cont").utf8) + Data([0xF6, 0xDF, 0x0A])),
    Wrong("a malformed escape", start + "X-KeychainPublisher=con\\qtoso\n"),
    Wrong("a malformed escape in the list", start + "X-KeychainAccessGroups=com.contoso\\q;\n"),
    Wrong("a megabyte too much", good + String(repeating: "#", count: 1_048_576)),
    Wrong("no type", good.replacing("Type=Application\n", with: ""), .notAnApplication),
    Wrong("a link", good.replacing("Application", with: "Link"), .notAnApplication),
    Wrong(
      "ten thousand groups", start + "X-KeychainAccessGroups=" + (0..<10_000).map { "g\($0);" }.joined(),
      .malformed),
    Wrong("a wildcard", start + "X-KeychainAccessGroups=*;\n", .malformed),
    Wrong("an escaped semicolon", start + #"X-KeychainAccessGroups=a\;b;"#, .malformed),
    Wrong("an empty element", start + "X-KeychainAccessGroups=a;;b;\n", .malformed),
    Wrong("an empty publisher", start + "X-KeychainPublisher=\n", .malformed),
    Wrong("a control character", start + "X-KeychainPublisher=a\u{1B}[31m\n", .malformed),
  ]

  @Test("A desktop entry that is no application grants nothing and has the reason", arguments: wrong)
  func wrongKinds(_ wrong: Wrong) throws {
    try folder.write(Self.mail, wrong.content)
    let manifest = try #require(try manifest())
    #expect(manifest.entitlements == nil)
    #expect(manifest.problems.map(\.rule) == [wrong.rule])
    #expect(throws: SecretStoreError(.notEntitled, "")) {
      try catalog().entitlements(for: AppIdentifier("com.contoso.mail"))
    }
  }

  @Test("The list has the apps that share sign-in, and why a file is refused")
  func listed() throws {
    try folder.write(Self.mail, Self.good)
    try folder.write("applications/bad.desktop", Self.start + "X-KeychainAccessGroups=*;\n")
    try folder.write("applications/other.desktop", Self.start)
    let apps = InstalledApps(
      environment: ["XDG_DATA_HOME": folder.path, "XDG_DATA_DIRS": "/nonexistent"]
    ).apps()
    #expect(apps.map(\.identifier) == ["bad", "com.contoso.mail"])
    #expect(apps.map { $0.entitlements == nil } == [true, false])
    #expect(apps.map { $0.problems.contains(where: \.isRefusal) } == [true, false])
    #expect(apps.last?.groups == ["com.contoso.shared"] && apps.last?.name == "Mail")
  }

  @Test("A file that is not read states only whether it may declare groups")
  func mentions() throws {
    try folder.write("applications/a.desktop", "X-KeychainPublisher=contoso\n")
    try folder.write("applications/b.desktop", "nonsense\n")
    try folder.write("applications/c.desktop", Self.start)
    #expect(catalog().manifests.map(\.declaresSharing) == [true, false, false])
  }

  @Test("A byte order mark, Windows line endings and a missing final newline are accepted")
  func harmless() throws {
    for text in [Self.good.replacing("\n", with: "\r\n"), String(Self.good.dropLast())] {
      try folder.write(Self.mail, text)
      #expect(try manifest()?.entitlements?.publisher?.name == "contoso")
    }
  }
}
