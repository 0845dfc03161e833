// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Lock sharing")
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

  private func lockFolder(_ path: String = "/run/user/1000", inRuntimeDirectory: Bool = true) -> LockFolder {
    LockFolder(path: "\(path)/secret-store-cache", isInRuntimeDirectory: inRuntimeDirectory)
  }

  @Test(
    "Locks are shared outside sandboxes with a runtime directory, and not without one",
    arguments: [true, false])
  func outside(hasRuntimeDirectory: Bool) {
    let folder = lockFolder(inRuntimeDirectory: hasRuntimeDirectory)
    #expect(LockSharing.isShared(by: facts(), folder: folder) == hasRuntimeDirectory)
    #expect(!LockSharing.isShared(by: facts(), folder: nil))
  }

  @Test("Locks are not shared in a snap")
  func snap() {
    let facts = facts(["SNAP": "/snap/contoso-mail/7"])
    #expect(!LockSharing.isShared(by: facts, folder: lockFolder("/run/user/1000/snap.contoso-mail")))
  }

  @Test(
    "Locks are shared in a Flatpak that mounts the host's lock folder, whatever its permissions",
    arguments: [
      (ProcessFacts.Flatpak.app("com.contoso.mail"), "rw", true), (.app("com.contoso.mail"), "ro", false),
      (.app("com.contoso.mail"), nil, false), (.unreadable, nil, false),
    ] as [(ProcessFacts.Flatpak, String?, Bool)])
  func flatpak(flatpak: ProcessFacts.Flatpak, options: String?, isShared: Bool) throws {
    let real = try #require(PrivateFolder.resolved(folder.path))
    try self.folder.makeFolder(of: "secret-store-cache/x")
    var lines = "1 0 0:1 / / rw - tmpfs tmpfs rw\n"
    if let options {
      lines += "2 1 0:2 /1000/secret-store-cache \(real)/secret-store-cache \(options) - tmpfs tmpfs rw\n"
    }
    let mounts = MountTable(parsing: Array(lines.utf8))
    let facts = facts(flatpak: flatpak)
    #expect(
      LockSharing.isShared(by: facts, folder: lockFolder(self.folder.path), mounts: mounts) == isShared)
    #expect(!LockSharing.isShared(by: facts, folder: lockFolder(self.folder.path), mounts: nil))
  }

  @Test("Locks are not shared on the login's bus with another runtime directory")
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

  @Test("An app's own setting takes precedence", arguments: [true, false])
  func stated(sharesLocks: Bool) throws {
    var options = SecretStoreOptions()
    options.sharesLocks = sharesLocks
    #expect(SecretStore(options: options).client.locks.isShared == sharesLocks)
  }

  @Test("Without a setting the store detects it")
  func foundOut() {
    struct SandboxFacts: ProcessFactsSource {
      func processFacts() -> ProcessFacts {
        var facts = ProcessFacts(processID: 1)
        facts.environment = ["SNAP": "/snap/contoso-mail/7"]
        return facts
      }
    }
    var options = SecretStoreOptions()
    options.processFacts = SandboxFacts()
    #expect(!SecretStore(options: options).client.locks.isShared)
  }
}
