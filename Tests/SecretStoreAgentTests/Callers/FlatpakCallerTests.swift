// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreAgent
import SecretStoreCache
import Testing

/// Files as Flatpak writes them, and files that pretend to be such.
@Suite("A caller in a Flatpak")
struct FlatpakCallerTests {
  private let process: MadeProcess

  init() throws { process = try MadeProcess() }

  private static let mail = """
    [Application]
    name=com.contoso.Mail
    runtime=runtime/org.freedesktop.Platform/x86_64/23.08

    [Instance]
    instance-id=2437564211

    [Policy SecretStoreCache]
    groups=com.contoso.shared;com.contoso.archive;
    publisher=com.contoso;

    """

  @Test("The app, its groups and its publisher are those of /.flatpak-info")
  func metadata() throws {
    try process.enterFlatpak(Self.mail.utf8)
    let caller = try process.caller()
    let mail = try AppIdentifier("com.contoso.Mail")
    #expect(
      caller
        == .flatpak(mail, groups: ["com.contoso.shared", "com.contoso.archive"], publisher: "com.contoso"))
    #expect("\(caller)" == "the Flatpak com.contoso.Mail")
  }

  @Test("Without a policy the app states nothing")
  func noPolicy() throws {
    try process.enterFlatpak("[Application]\nname=com.contoso.Mail\n[Policy Tracker3]\ngroups=x;\n".utf8)
    #expect(try process.caller() == .flatpak(AppIdentifier("com.contoso.Mail")))
  }

  @Test(
    "A file that names no app is refused and never ignored",
    arguments: [
      "", "\n", "name=com.contoso.Mail\n", "[Application]\n", "[Application]\nname=\n",
      "[Application\nname=a.b.c\n",
      "[application]\nname=com.contoso.Mail\n", "[Application]\nName=com.contoso.Mail\n",
      "[Application]\nname=com.contoso.Mail\n[Runtime]\nname=org.freedesktop.Platform\n",
      "[Runtime]\nname=org.freedesktop.Platform\n",
      "[Application]\nname=Mail\n", "[Application]\nname=contoso.Mail\n", "[Application]\nname=com..Mail\n",
      "[Application]\nname=.com.contoso.Mail\n", "[Application]\nname=com.contoso.Mail.\n",
      "[Application]\nname=com.contoso/Mail\n", "[Application]\nname=com.contoso.Mail\\nname=x\n",
      "[Application]\nname=com.contoso.Mail;\n", "[Application]\nname=com.contoso.M\u{e4}il\n",
      "[Application]\nname=com.contoso.Mail\u{1B}[31m\n", "[Application]\nname=com.contoso.Mail\u{0}x\n",
      "[Application]\nname=com.contoso.Mail\n\u{0}", "[Application]\nname=com.contoso.Mail\nnot a line\n",
      "[Application]\nname=com.contoso.\(String(repeating: "a", count: 200))\n",
    ])
  func namesNoApp(text: String) throws {
    try process.enterFlatpak(text.utf8)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }

  @Test("A file that is not UTF-8 is refused where it is read")
  func notUTF8() throws {
    try process.enterFlatpak(Array("[Application]\nname=com.contoso.M".utf8) + [0xFF, 0x0A])
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
    let policy = "[Application]\nname=com.contoso.Mail\n[Policy SecretStoreCache]\ngroups=com.contoso.shared;"
    try process.enterFlatpak(Array(policy.utf8) + [0xC3, 0x0A])
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }

  @Test("Several publishers are refused")
  func severalPublishers() throws {
    try process.enterFlatpak(Self.mail.replacing("=com.contoso;", with: "=com.contoso;com.fabrikam;").utf8)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }

  @Test("A file of more than 1 MiB is refused")
  func large() throws {
    try process.enterFlatpak(Self.mail.utf8 + Array(repeating: UInt8(ascii: "\n"), count: 2 << 20))
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }

  enum Kind: CaseIterable { case pipe, folder, link, linkToNothing, linkOutside, circle, unreadable }

  @Test("Anything but a regular file is refused, and not read", arguments: Kind.allCases)
  func noRegularFile(kind: Kind) throws {
    try process.enterSandbox()
    let path = "\(process.folder.path)/sandbox/.flatpak-info"
    switch kind {
    case .pipe:
      let status = unsafe mkfifo(path, 0o600)
      #expect(status == 0)
    case .folder: try process.folder.makeFolder("sandbox/.flatpak-info")
    case .link:
      try process.folder.write("sandbox/other", Self.mail)
      try process.folder.link("sandbox/.flatpak-info", to: "other")
    case .linkToNothing: try process.folder.link("sandbox/.flatpak-info", to: "missing")
    case .linkOutside:
      let forged = try process.folder.write("forged", Self.mail)
      try process.folder.link("sandbox/.flatpak-info", to: forged)
    case .circle: try process.folder.link("sandbox/.flatpak-info", to: ".flatpak-info")
    case .unreadable:
      if geteuid() == 0 { return }
      try process.folder.write("sandbox/.flatpak-info", Self.mail.utf8, mode: 0)
    }
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }

  @Test("In a user namespace of unknown origin the file does not count")
  func otherUserNamespace() throws {
    try process.enterFlatpak(Self.mail.utf8)
    try process.unshareUser()
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try process.caller() }
  }
}
