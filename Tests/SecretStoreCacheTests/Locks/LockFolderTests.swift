// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Lock folder")
struct LockFolderTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func mode(_ name: String) throws -> Int {
    let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
    return try #require(attributes[.posixPermissions] as? Int)
  }

  @Test("A missing folder is created with its parents, accessible to nobody else")
  func made() throws {
    #expect(PrivateFolder.make("\(folder.path)/run/user/snap.mail"))
    for name in ["run", "run/user", "run/user/snap.mail"] { #expect(try mode(name) == 0o700) }
    #expect(PrivateFolder.make("\(folder.path)/run/user/snap.mail"))
    #expect(PrivateFolder.state(of: "\(folder.path)/run/user/snap.mail") == .secure)
  }

  @Test(
    "Nothing is created below a folder writable by others, unless it is sticky",
    arguments: [0o777, 0o1777])
  func writableByOthers(mode: Int) throws {
    try folder.makeFolder(of: "open/x")
    try folder.setMode(mode, of: "open")
    #expect(PrivateFolder.make("\(folder.path)/open/a/b") == (mode == 0o1777))
    #expect(FileManager.default.fileExists(atPath: "\(folder.path)/open/a") == (mode == 0o1777))
  }

  @Test("Nothing is created below a folder of a group with other members that can write to it")
  func writableByGroup() throws {
    try folder.makeFolder(of: "open/x")
    try folder.setMode(0o770, of: "open")
    for group in [getegid(), 65533] {
      // Only root can give a folder to a group that it is not in.
      guard unsafe chown("\(folder.path)/open", geteuid(), group) == 0 else { continue }
      let isTrusted = group == 0 || FileOwner.isPrivateGroup(group)
      #expect(PrivateFolder.make("\(folder.path)/open/\(group)") == isTrusted)
    }
  }

  @Test("Nothing is created below another user's folder")
  func ofAnother() throws {
    try folder.makeFolder(of: "theirs/x")
    guard unsafe chown("\(folder.path)/theirs", 65533, 65533) == 0 else {
      // Only root can create a folder in root's folder.
      #expect(!PrivateFolder.make("/proc/own/folder"))
      return
    }
    #expect(!PrivateFolder.make("\(folder.path)/theirs/a"))
    #expect(FileOwner.foreignOwner(above: "\(folder.path)/theirs/a/b") == 65533)
  }

  @Test("A link in place of the folder is not followed", arguments: ["dangling", "live"])
  func link(kind: String) throws {
    try folder.makeFolder(of: "target/x")
    try folder.link("link", to: kind == "live" ? "\(folder.path)/target" : "\(folder.path)/none")
    let isMade = PrivateFolder.make("\(folder.path)/link/a")
    #expect(isMade == (kind == "live"))  // a live one in a folder of one's own is one's own
    #expect(PrivateFolder.state(of: "\(folder.path)/link") == .unusable)
    #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/none"))
  }

  @Test("A path that is not plain is refused", arguments: ["relative", "/tmp/../tmp/x", "/tmp/./x"])
  func paths(path: String) { #expect(!PrivateFolder.make(path)) }

  @Test("A file, a folder of another mode and a missing folder are distinguished")
  func states() throws {
    try folder.write("file", "")
    try folder.makeFolder(of: "open/x")
    try folder.setMode(0o770, of: "open")
    #expect(PrivateFolder.state(of: "\(folder.path)/file") == .unusable)
    #expect(PrivateFolder.state(of: "\(folder.path)/open") == .unusable)
    #expect(PrivateFolder.state(of: "\(folder.path)/none") == .missing)
  }
}
