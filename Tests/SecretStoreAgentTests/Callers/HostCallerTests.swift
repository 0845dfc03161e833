// SPDX-License-Identifier: MIT

import Foundation
import SecretStoreAgent
import SecretStoreCache
import Testing

@Suite("A caller outside of a Flatpak")
struct HostCallerTests {
  private let process: MadeProcess

  init() throws { process = try MadeProcess() }

  private func refused(_ comment: Comment? = nil) {
    #expect(throws: SecretStoreError(.identityMismatch, ""), comment) { try process.caller() }
  }

  @Test("A process with the agent's root and user namespace is a host program")
  func host() throws {
    #expect(try process.caller() == .host)
    #expect(try process.caller().app == nil)
  }

  @Test("A process with another root and no file is refused")
  func otherRoot() throws {
    try process.enterSandbox()
    refused()
  }

  @Test("A process in another user namespace is refused")
  func otherUserNamespace() throws {
    try process.unshareUser()
    refused()
  }

  @Test(
    "A process whose files can't be read is refused",
    arguments: ["root", "ns/user", "ns/mnt", "stat"])
  func missing(file: String) throws {
    try FileManager.default.removeItem(atPath: "\(process.folder.path)/\(process.identifier)/\(file)")
    refused("\(file)")
  }

  @Test("A process whose root is not a folder is refused")
  func rootIsFile() throws {
    try process.folder.write("file", "")
    try process.folder.link("\(process.identifier)/root", to: "../file")
    refused()
  }

  @Test("A process that does not exist is refused")
  func noProcess() throws {
    let identification = CallerIdentification(processes: process.folder.path)
    for number: pid_t in [-1, 0, 1, .max] {
      #expect(throws: SecretStoreError(.identityMismatch, "")) {
        try identification.caller(processID: number)
      }
    }
  }

  @Test("A start time that can't be read is refused", arguments: ["", "1", "1 (a) S 1 2 3", "1 a S 1 2 3"])
  func badStartTime(text: String) throws {
    try process.write("stat", text)
    refused()
  }

  private static let scope =
    "0::/user.slice/app.slice/snap.contoso-mail.contoso-mail-6f9d1e1c-7e3b-4a5e-9a40"
    + "-0f2f4a5b6c7d.scope\n"

  private func enterSnap(label: String, groups: String = Self.scope) throws {
    try process.enterSandbox()
    try process.write("attr/current", label)
    try process.write("cgroup", groups)
  }

  @Test("A snap is known by its label and its control group together")
  func snap() throws {
    try enterSnap(label: "snap.contoso-mail.contoso-mail (enforce)\n")
    #expect(try process.caller() == .snap(AppIdentifier("contoso-mail")))
    #expect(try "\(process.caller())" == "the snap contoso-mail")
  }

  @Test("AppArmor's own label file comes first")
  func stackedModules() throws {
    try enterSnap(label: "unconfined_u:unconfined_r:unconfined_t:s0\n")
    refused()
    try process.write("attr/apparmor/current", "snap.contoso-mail.contoso-mail (enforce)\n")
    #expect(try process.caller().kind == .snap)
  }

  @Test(
    "The control group may be of an app, of a service, of an older snapd, of a parallel installation",
    arguments: [
      ("snap.a.b (enforce)", "0::/user.slice/snap.a.b.6f9d1e1c-7e3b-4a5e-9a40-0f2f4a5b6c7d.scope", "a.b"),
      ("snap.a.b (enforce)", "0::/user.slice/snap.a.b.service", "a.b"),
      ("snap.a.a (enforce)", "9:freezer:/snap.a\n1:name=systemd:/user.slice/session-1.scope", "a"),
      ("snap.a_1.a (enforce)", "0::/user.slice/snap.a_1.a-x.scope", "a_1"),
      ("snap.a-b.a-b (enforce)", "0::/user.slice/snap.a\\x2db.a\\x2db-x.scope", "a-b"),
    ])
  func snapUnits(label: String, groups: String, app: String) throws {
    try enterSnap(label: label, groups: groups)
    #expect(try process.caller().app?.name == app)
  }

  @Test(
    "A process that is in a snap by one of the two only, or in two snaps, is refused",
    arguments: [
      ("unconfined", scope), ("", scope), ("snap.contoso-mail.contoso-mail (enforce)", "0::/"),
      ("snap.contoso-mail.contoso-mail (enforce)", ""),
      ("snap.fabrikam.fabrikam (enforce)", scope), ("snap.contoso-mail.hook.configure (enforce)", scope),
      ("snap.contoso-mail (enforce)", scope), ("snap..a (enforce)", scope), ("snap.contoso-mail.a", scope),
      ("snap.contoso-mail.a//null-/usr/bin/x (enforce)", scope), ("snap.contoso-mail.a (mixed)", scope),
      ("snap.contoso-mail.a (enforce)", scope + "1:freezer:/snap.fabrikam\n"),
    ])
  func halfSnap(label: String, groups: String) throws {
    try enterSnap(label: label, groups: groups)
    refused()
    try process.folder.link("\(process.identifier)/root", to: "../system")
    refused("also with the system's root")
  }

  @Test("A snap without confinement is a host program, if it has the system's root")
  func classicSnap() throws {
    try enterSnap(label: "snap.contoso-mail.contoso-mail (complain)\n")
    refused()
    try process.folder.link("\(process.identifier)/root", to: "../system")
    #expect(try process.caller() == .host)
  }

  @Test("A control group that can't be read is refused")
  func unreadableGroups() throws {
    try FileManager.default.removeItem(atPath: "\(process.folder.path)/\(process.identifier)/cgroup")
    try process.folder.makeFolder("\(process.identifier)/cgroup")
    refused()
  }
}
