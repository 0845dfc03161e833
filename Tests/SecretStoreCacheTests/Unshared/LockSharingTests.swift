// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Whose locks are known to be shared")
struct LockSharingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func facts(
    flatpak: ProcessFacts.Flatpak = .none, _ environment: [String: String] = [:]
  ) -> ProcessFacts {
    var facts = ProcessFacts(processID: getpid())
    facts.flatpak = flatpak
    facts.environment = environment
    return facts
  }

  @Test("outside of sandboxes with a runtime directory, and nowhere without one", arguments: [true, false])
  func outside(hasRuntimeDirectory: Bool) {
    let runtime = hasRuntimeDirectory ? "/run/user/1000" : nil
    #expect(RuntimeDirectory.isShared(by: facts(), runtime: runtime) == hasRuntimeDirectory)
  }

  @Test("not in a snap")
  func snap() {
    let facts = facts(["SNAP": "/snap/contoso-mail/7"])
    #expect(!RuntimeDirectory.isShared(by: facts, runtime: "/run/user/1000/snap.contoso-mail"))
  }

  @Test(
    "in a Flatpak that has the folder in common with others, and in no other",
    arguments: [
      ("", false), ("home;", false), ("xdg-run/secret-store-cache:ro;", false),
      ("xdg-run/secret-store-cache:create;", true), ("xdg-run;", true),
    ])
  func flatpak(filesystems: String, isShared: Bool) throws {
    try folder.write(
      ".flatpak-info", "[Application]\nname=com.contoso.mail\n[Context]\nfilesystems=\(filesystems)\n")
    let facts = facts(flatpak: .app("com.contoso.mail"))
    #expect(RuntimeDirectory.isShared(by: facts, root: folder.path, runtime: "/run/user/1000") == isShared)
  }

  @Test("not in a Flatpak that says nothing of itself")
  func unreadable() {
    #expect(!RuntimeDirectory.isShared(by: facts(flatpak: .unreadable), root: folder.path, runtime: "/run"))
  }

  @Test("not on the login's bus with a runtime directory other than the login's")
  func otherRuntimeDirectory() throws {
    let usual = folder.path
    let other = try TemporaryFolder()
    let bus = "unix:path=\(usual)/bus"
    #expect(RuntimeDirectory.isOfBus(bus, usual, usual: usual))
    #expect(RuntimeDirectory.isOfBus("\(bus),guid=0", "\(usual)/.", usual: usual))
    #expect(!RuntimeDirectory.isOfBus(bus, other.path, usual: usual))
    #expect(!RuntimeDirectory.isOfBus("\(bus),guid=0", other.path, usual: usual))
    #expect(RuntimeDirectory.isOfBus("unix:path=\(other.path)/bus", other.path, usual: usual))
    #expect(RuntimeDirectory.isOfBus(nil, other.path, usual: usual))
  }

  @Test("as the app says, when it says so", arguments: [true, false])
  func stated(sharesLocks: Bool) throws {
    var options = SecretStoreOptions()
    options.sharesLocks = sharesLocks
    #expect(SecretStore(options: options).client.locks.isShared == sharesLocks)
  }

  @Test("found out by itself, when it doesn't")
  func foundOut() {
    struct Sandbox: ProcessFactsSource {
      func processFacts() -> ProcessFacts {
        var facts = ProcessFacts(processID: 1)
        facts.environment = ["SNAP": "/snap/contoso-mail/7"]
        return facts
      }
    }
    var options = SecretStoreOptions()
    options.processFacts = Sandbox()
    #expect(!SecretStore(options: options).client.locks.isShared)
  }
}
