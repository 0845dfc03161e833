// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App identity of a snap")
struct SnapIdentityTests {
  private static let uuid = "6f9d1e1c-7e3b-4a5e-9a40-0f2f4a5b6c7d"
  private static let slice = "/user.slice/user-1000.slice/user@1000.service/app.slice"

  private func facts(
    label: String = "", unit: String = "", executable: String = "/snap/contoso-mail/12/bin/mail",
    environment: [String: String] = [:], metadata: String = ""
  ) -> ProcessFacts {
    var facts = ProcessFacts(processID: 4711)
    facts.securityLabel = label
    facts.controlGroups = "0::\(Self.slice)/\(unit)\n"
    facts.executable = executable
    facts.environment = environment
    facts.snapMetadata = metadata
    return facts
  }

  private func identity(_ stated: String?, _ facts: ProcessFacts) throws -> AppIdentity {
    try AppIdentity(stated: stated.map(AppIdentifier.init), facts: facts)
  }

  @Test(
    "The snap is identified by the kernel's label, the unit or the environment",
    arguments: [
      ("snap.contoso-mail.contoso-mail (enforce)\n", "", [:], "/usr/bin/python3"),
      ("", "snap.contoso-mail.contoso-mail-\(uuid).scope", [:], "/snap/contoso-mail/12/bin/mail"),
      (
        "", "snap.contoso-mail.contoso-mail.\(uuid).scope", [:],
        "/var/lib/snapd/snap/contoso-mail/12/bin/mail"
      ),
      (
        "", #"snap.contoso\x2dmail.contoso\x2dmail-"# + "\(uuid).scope", [:], "/snap/contoso-mail/12/bin/mail"
      ),
      ("", "snap.contoso-mail.contoso-mail.service", [:], "/snap/contoso-mail/12/bin/mail"),
      ("unconfined\n", "", ["SNAP_INSTANCE_NAME": "contoso-mail"], "/snap/contoso-mail/12/bin/mail"),
      ("", "", ["SNAP_NAME": "contoso-mail"], "/snap/contoso-mail/12/bin/mail"),
    ] as [(String, String, [String: String], String)])
  func known(label: String, unit: String, environment: [String: String], executable: String) throws {
    let facts = facts(label: label, unit: unit, executable: executable, environment: environment)
    let derived = try identity(nil, facts)
    #expect(derived.app.name == "contoso-mail" && derived.source == .snap)
    #expect(try identity("contoso-mail", facts).source == .snap)
    let error = try #require(throws: SecretStoreError.self) { try identity("com.fabrikam.spy", facts) }
    #expect(error.code == .identityMismatch)
    #expect(error.detail.contains("but the snap contoso-mail it runs in says contoso-mail."))
    #expect(error.detail.contains("common-id"))
  }

  @Test("A program started from a snap's terminal is not the snap, although it inherits unit and label")
  func inherited() throws {
    let facts = facts(
      label: "snap.code.code (complain)\n", unit: "snap.code.code-\(Self.uuid).scope",
      executable: "/home/ada/mail/.build/debug/contoso-mail",
      environment: ["SNAP_NAME": "code", "SNAP_INSTANCE_NAME": "code"])
    #expect(try identity("com.contoso.mail", facts).source == .app)
    #expect(try identity(nil, facts).source == .executable)
    var beside = facts
    beside.executable = "/snap/codebase/1/bin/mail"
    #expect(try identity("com.contoso.mail", beside).source == .app)
  }

  @Test(
    "An app within a snap has the snap's ID and its own", arguments: ["suite.mail", "suite_mail", "suite"])
  func appWithin(stated: String) throws {
    let facts = facts(label: "snap.suite.mail (enforce)")
    #expect(try identity(nil, facts).app.name == "suite.mail")
    #expect(try identity(stated, facts).source == .snap)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try identity("suite.calendar", facts) }
  }

  @Test("A parallel installation is an app of its own and also has the snap's name")
  func parallel() throws {
    let facts = facts(label: "snap.suite_work.suite (enforce)")
    #expect(try identity(nil, facts).app.name == "suite_work")
    #expect(try identity("suite", facts).app.name == "suite")
    let byEnvironment = self.facts(
      executable: "/snap/suite_work/3/bin/suite",
      environment: ["SNAP_NAME": "suite", "SNAP_INSTANCE_NAME": "suite_work"])
    #expect(try identity(nil, byEnvironment).app.name == "suite_work")
  }

  @Test("The snap's metadata declare its app IDs; a single declared ID is the app's")
  func commonIdentifier() throws {
    let one =
      "name: contoso-mail\napps:\n  contoso-mail:\n    command: bin/mail\n    common-id: com.contoso.mail\n"
    let facts = facts(label: "snap.contoso-mail.contoso-mail (enforce)", metadata: one)
    #expect(try identity(nil, facts).app.name == "com.contoso.mail")
    #expect(try identity("com.contoso.mail", facts).source == .snap)
    #expect(try identity("contoso-mail", facts).source == .snap)
    #expect(throws: SecretStoreError(.identityMismatch, "")) { try identity("com.contoso.calendar", facts) }
    let two = self.facts(
      label: "snap.suite.mail (enforce)",
      metadata:
        "apps:\n  mail: {}\n    common-id: \"com.contoso.mail\"\r\n    common-id: 'com.contoso.calendar'\n")
    #expect(try identity(nil, two).app.name == "suite.mail")
    #expect(try identity("com.contoso.calendar", two).source == .snap)
  }

  @Test(
    "App IDs are found in every YAML form of the metadata",
    arguments: [
      "apps: {mail: {command: bin/mail, common-id: com.contoso.mail}}",
      "apps: {\"mail\": {\"common-id\":\"com.contoso.mail\",\"command\":\"x\"}}",
      "apps: {mail: {'common-id': 'com.contoso.mail'}}",
      "apps:\n  mail:\n    common-id:    com.contoso.mail  # the app",
      "apps:\n  mail: {common-id: com.contoso.mail, plugs: [x]}\n",
    ])
  func flowStyle(metadata: String) throws {
    let facts = facts(label: "snap.suite.mail (enforce)", metadata: metadata)
    #expect(try identity(nil, facts).app.name == "com.contoso.mail")
  }

  @Test(
    "Text that resembles a declaration declares nothing",
    arguments: [
      "no-common-id: x", "common-ids: x", "common-id", "common-id:", "{common-id: }", "{common-id: ,}",
    ])
  func noDeclaration(metadata: String) throws {
    let facts = facts(label: "snap.suite.mail (enforce)", metadata: metadata)
    #expect(try identity(nil, facts).app.name == "suite.mail")
  }

  @Test(
    "A text that is no snap tag identifies no snap",
    arguments: [
      "snap.contoso-mail.hook.configure (enforce)", "snap.contoso-mail (enforce)", "snap.. (enforce)",
      "(enforce)",
      "docker-default (enforce)", "snap.contoso-mail.contoso-mail (complain)",
      "snap.contoso-mail.contoso-mail",
    ])
  func otherLabels(label: String) throws {
    #expect(try identity("com.contoso.mail", facts(label: label)).source == .app)
  }

  @Test(
    "A unit that belongs to no snap identifies no snap",
    arguments: [
      "snap.contoso-mail.hook.configure-\(uuid).scope", "snap.contoso-mail.scope", "snap.scope",
      "snap..x.scope",
      "snap-contoso\\x2dmail-12.mount",
    ])
  func otherUnits(unit: String) throws {
    #expect(try identity("com.contoso.mail", facts(unit: unit)).source == .app)
  }

  @Test("An empty name in the environment identifies no snap")
  func emptyName() throws {
    let facts = facts(executable: "/snap//mail", environment: ["SNAP_NAME": ""])
    #expect(try identity("com.contoso.mail", facts).source == .app)
  }
}
