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

  @Test("Locks are shared in a terminal of a classic snap, which has the login's runtime directory")
  func classicSnap() throws {
    try folder.write("bus", "")
    try folder.makeFolder(of: "snap.code/x")
    let facts = facts([
      "SNAP": "/snap/code/1", "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder.path)/bus",
    ])
    #expect(LockSharing.isShared(by: facts, folder: lockFolder(folder.path)))
    #expect(!LockSharing.isShared(by: facts, folder: lockFolder("\(folder.path)/snap.code")))
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

  /// A bus address, a runtime directory, and whether that is the bus's; `~` stands for the test's folder, in which
  /// `login` is the directory of systemd.
  private static let directories: [(bus: String?, runtime: String, isOfBus: Bool)] = [
    ("unix:path=~/login/bus", "login", true),
    ("unix:path=~/login/bus,guid=0", "login/.", true),
    ("unix:path=~/login/bus", "other", false),
    ("unix:path=~/login/bus,guid=0", "other", false),
    ("unix:path=~/login/bus", "missing", false),
    // A bus of one's own, such as that of the tests or of `sso-cache run`.
    ("unix:path=~/other/bus", "other", true),
    ("unix:path=~/other/b%75s", "other", true),
    ("unix:path=~/other/inner/bus", "other", false),
    ("unix:path=~/other/inner/bus", "other/inner", true),
    ("unix:path=~/other/bus", "login", false),
    ("unix:path=~/other/bus", "third", false),
    ("unix:path=~/otherwise/bus", "other", false),
    ("unix:path=~/missing/bus", "other", false),
    // A bus whose socket is in no runtime directory, such as that of dbus-run-session.
    ("unix:path=/tmp/dbus-x,guid=0", "login", true),
    ("unix:path=/tmp/dbus-x,guid=0", "other", false),
    ("unix:abstract=/tmp/dbus-x", "login", true),
    ("unix:abstract=/tmp/dbus-x", "other", false),
    ("tcp:host=localhost", "other", false),
    ("unix:abstract=x;unix:path=~/other/bus", "other", true),
    // GIO then looks for the bus in the runtime directory.
    (nil, "other", true),
    ("", "other", true),
  ]

  @Test("Locks are shared in the bus's runtime directory, and in no other", arguments: directories)
  func directoryOfBus(bus: String?, runtime: String, isOfBus: Bool) throws {
    for path in ["login", "other/inner", "otherwise", "third"] { try folder.makeFolder(of: "\(path)/x") }
    let bus = bus?.replacing("~", with: folder.path)
    #expect(
      RuntimeDirectory.isOfBus(
        ["DBUS_SESSION_BUS_ADDRESS": bus].compactMapValues(\.self), "\(folder.path)/\(runtime)",
        usual: "\(folder.path)/login") == isOfBus)
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
