// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App identity")
struct AppIdentityTests {
  private let mail: AppIdentifier

  init() throws { mail = try AppIdentifier("com.contoso.mail") }

  private func facts(_ change: (inout ProcessFacts) -> Void) -> ProcessFacts {
    var facts = ProcessFacts(processID: 4711)
    facts.executable = "/usr/bin/contoso-mail"
    change(&facts)
    return facts
  }

  @Test("Without other evidence the stated app ID is used")
  func statedAlone() throws {
    let identity = try AppIdentity(stated: mail, facts: facts { _ in })
    #expect(identity.app == mail && identity.source == .app)
  }

  // MARK: Flatpak

  @Test("In a Flatpak the app ID is the Flatpak's", arguments: ["com.contoso.mail", nil])
  func flatpak(stated: String?) throws {
    let identity = try AppIdentity(
      stated: stated.map(AppIdentifier.init), facts: facts { $0.flatpak = .app("com.contoso.mail") })
    #expect(identity.app == mail && identity.source == .flatpak)
  }

  @Test("A second app in a Flatpak has an ID that begins with the Flatpak's ID")
  func flatpakSecondApp() throws {
    let identity = try AppIdentity(
      stated: mail, facts: facts { $0.flatpak = .app("com.contoso") })
    #expect(identity.app == mail && identity.source == .flatpak)
  }

  @Test(
    "A stated ID that differs from the Flatpak's is refused",
    arguments: [
      "com.contoso.ma", "com.fabrikam.spy", "com.contoso.mail.daemon", "com.contoso.Mail", "not an id",
    ])
  func flatpakContradiction(name: String) throws {
    let error = try #require(throws: SecretStoreError.self) {
      try AppIdentity(stated: mail, facts: facts { $0.flatpak = .app(name) })
    }
    #expect(error.code == .identityMismatch)
    #expect(error.detail.contains("says it is com.contoso.mail, but the Flatpak"))
    #expect(error.detail.contains(name == "not an id" ? "no app id" : "says \(name)."))
  }

  @Test("A Flatpak without a valid app ID is refused, with or without a stated ID")
  func flatpakUnreadable() throws {
    for stated in [mail, nil] {
      #expect(throws: SecretStoreError(.identityMismatch, "")) {
        try AppIdentity(stated: stated, facts: facts { $0.flatpak = .unreadable })
      }
    }
    #expect(throws: SecretStoreError(.identityMismatch, "")) {
      try AppIdentity(stated: nil, facts: facts { $0.flatpak = .app("") })
    }
  }

  @Test("The Flatpak's ID precedes the snap's and the unit's")
  func order() throws {
    let identity = try AppIdentity(
      stated: nil,
      facts: facts {
        $0.flatpak = .app("com.contoso.mail")
        $0.securityLabel = "snap.other.other (enforce)"
        $0.controlGroups = "0::/app.slice/app-third-4711.scope\n"
      })
    #expect(identity.source == .flatpak)
    let snap = try AppIdentity(
      stated: nil,
      facts: facts {
        $0.securityLabel = "snap.other.other (enforce)"
        $0.controlGroups = "0::/app.slice/app-third-4711.scope\n"
      })
    #expect(snap.source == .snap && snap.app.name == "other")
  }

  // MARK: The program

  @Test(
    "Without a stated ID and other evidence the program's name is the app ID",
    arguments: [
      ("/usr/bin/contoso-mail", "contoso-mail"), ("/opt/contoso/com.contoso.mail", "com.contoso.mail"),
      ("/usr/bin/contoso-mail (deleted)", "contoso-mail"), ("/home/ada/shotwell", "shotwell"),
      ("contoso_mail", "contoso_mail"),
    ])
  func program(path: String, name: String) throws {
    let identity = try AppIdentity(stated: nil, facts: facts { $0.executable = path })
    #expect(identity.app.name == name && identity.source == .executable)
  }

  @Test(
    "A program whose name is no app ID is refused",
    arguments: [
      "", "/", "/usr/bin/python3.11", "/usr/bin/node", "/bin/bash", "/usr/bin/java", "/opt/Contoso Mail",
      "/opt/.mail", "/opt/électron", "/usr/bin/gjs-console", " (deleted)",
    ])
  func namelessProgram(path: String) throws {
    let error = try #require(throws: SecretStoreError.self) {
      try AppIdentity(stated: nil, facts: facts { $0.executable = path })
    }
    #expect(error.code == .invalidArgument)
    #expect(error.detail.contains("state the app's id"))
  }

  @Test("A stated ID is not compared with the program's name")
  func statedProgram() throws {
    let identity = try AppIdentity(stated: mail, facts: facts { $0.executable = "/usr/bin/python3" })
    #expect(identity.app == mail)
  }
}
