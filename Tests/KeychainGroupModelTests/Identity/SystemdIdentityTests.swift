// SPDX-License-Identifier: MIT

import KeychainGroupModel
import Testing

@Suite("App identity of a systemd unit")
struct SystemdIdentityTests {
  private static let slice = "/user.slice/user-1000.slice/user@1000.service/app.slice"

  private func facts(_ unit: String, service: String? = nil) -> ProcessFacts {
    var facts = ProcessFacts(processID: 4711)
    facts.executable = "/usr/bin/contoso-mail"
    facts.controlGroups = "0::\(Self.slice)/\(unit)\n"
    facts.environment["SYSTEMD_EXEC_PID"] = service
    return facts
  }

  @Test(
    "A unit made for this process identifies the app",
    arguments: [
      ("app-com.contoso.mail-4711.scope", "com.contoso.mail"),
      ("app-gnome-com.contoso.mail-4711.scope", "com.contoso.mail"),
      (#"app-gnome-contoso\x2dmail-4711.scope"#, "contoso-mail"),
      (#"app-KDE\x2dPlasma-org.kde.k\x2dmail-4711.scope"#, "org.kde.k-mail"),
      ("app-flatpak-com.contoso.mail-90210.scope", "com.contoso.mail"),
      ("app-com.contoso.mail@0123456789abcdef.service", "com.contoso.mail"),
      ("app-com.contoso.mail@autostart.service", "com.contoso.mail"),
      ("app-com.contoso.mail.service", "com.contoso.mail"),
      ("app-com.contoso.mail-autostart.service", "com.contoso.mail"),
      (#"app-gnome-contoso\x2dmail@autostart.service"#, "contoso-mail"),
      ("app-com.contoso.mail-4711.scope/worker", "com.contoso.mail"),
    ])
  func own(unit: String, name: String) throws {
    let facts = facts(unit, service: "4711")
    let derived = try AppIdentity(stated: nil, facts: facts)
    #expect(derived.app.name == name && derived.source == .unit)
    let stated = try AppIdentity(stated: AppIdentifier(name), facts: facts)
    #expect(stated.source == .unit)
    for other in ["com.fabrikam.spy", "\(name).more", name.uppercased()] {
      let error = try #require(throws: SecretStoreError.self) {
        try AppIdentity(stated: AppIdentifier(other), facts: facts)
      }
      #expect(error.code == .identityMismatch)
      #expect(
        error.detail.contains("says it is \(other), but the systemd unit it was started in says \(name)."))
    }
  }

  @Test(
    "A child process in an app's unit is not identified as that app",
    arguments: [
      "app-gnome-org.gnome.Terminal-1234.scope", "app-org.mozilla.firefox-47110.scope",
      "app-org.kde.konsole-0123456789abcdef0123456789abcdef.scope", "app-code@0123.service",
      "app-code.service",
      "app-org.kde.konsole-4711.scope/tab(99).scope", "app-gnome-terminal.slice/vte-spawn-4711.scope",
    ])
  func inherited(unit: String) throws {
    for service in [nil, "1", "47110", ""] {
      let facts = facts(unit, service: service)
      let stated = try AppIdentity(stated: AppIdentifier("com.contoso.mail"), facts: facts)
      #expect(stated.app.name == "com.contoso.mail" && stated.source == .app)
      #expect(try AppIdentity(stated: nil, facts: facts).source == .executable)
    }
  }

  @Test(
    "Other units do not identify an app",
    arguments: [
      "", "run-u4711.scope", "app-4711.scope", "app--4711.scope", "app-a-b-c-4711.scope", "app-.service",
      "app-@4711.service", "app-a-b-c@4711.service", "app-com.contoso.mail-4711.slice", "session-4711.scope",
      "xapp-com.contoso.mail-4711.scope", "dbus-:1.2-com.contoso.mail@4711.service",
    ])
  func others(unit: String) throws {
    #expect(try AppIdentity(stated: nil, facts: facts(unit, service: "4711")).source == .executable)
  }

  @Test("An app name in a unit that is no app ID is refused")
  func malformed() throws {
    for unit in [#"app-contoso\x20mail-4711.scope"#, #"app-\x2e\x2e-4711.scope"#, #"app-\xff-4711.scope"#] {
      for stated in [nil, "com.contoso.mail"] {
        let error = try #require(throws: SecretStoreError.self) {
          try AppIdentity(stated: stated.map(AppIdentifier.init), facts: facts(unit))
        }
        #expect(error.code == .identityMismatch)
        #expect(error.detail.contains("no app id"))
      }
    }
  }

  @Test(
    "The unit is found in every layout of control groups",
    arguments: [
      "0::/u/app-com.contoso.mail-4711.scope\n", "0::/u/app-com.contoso.mail-4711.scope",
      "12:cpu:/\n1:name=systemd:/u/app-com.contoso.mail-4711.scope\n0::/other.scope\n",
      "1:name=systemd:/\n0::/u/app-com.contoso.mail-4711.scope\n",
    ])
  func layouts(text: String) throws {
    var facts = ProcessFacts(processID: 4711)
    facts.controlGroups = text
    #expect(try AppIdentity(stated: nil, facts: facts).source == .unit)
  }

  @Test(
    "A malformed control group list identifies no app", arguments: ["", "\n\n", ":", "::", "0:", "\0", "🔑"])
  func noControlGroups(text: String) throws {
    var facts = ProcessFacts(processID: 4711)
    facts.controlGroups = text
    #expect(try AppIdentity(stated: AppIdentifier("a"), facts: facts).source == .app)
  }
}
