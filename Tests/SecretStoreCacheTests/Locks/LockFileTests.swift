// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache
@testable import SecretStoreDiagnosis

@Suite("Lock file")
struct LockFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let kinds = [
    "a directory", "a FIFO", "a link", "a dangling link", "a socket", "another user's", "a second name",
  ]

  /// Replaces a lock file.
  private func makeFile(_ kind: String) throws -> String {
    let path = "\(folder.path)/write.lock"
    switch kind {
    case "a directory": try folder.makeFolder(of: "write.lock/x")
    case "a FIFO": _ = unsafe mkfifo(path, 0o600)
    case "a link": try folder.link("write.lock", to: try folder.write("other", ""))
    case "a dangling link": try folder.link("write.lock", to: "\(folder.path)/none")
    case "a socket": _ = unsafe mknod(path, S_IFSOCK | 0o600, 0)
    case "a second name": _ = unsafe link(try folder.write("other", "content"), path)
    default:
      try folder.write("write.lock", "")
      _ = unsafe chown(path, 65533, 65533)
    }
    return path
  }

  @Test("A refresh makes the lock files of its save first, also that of the family whose token it may bring")
  func refresh() throws {
    let group = try AccessGroup("com.contoso.\(UUID().uuidString)")
    func file(_ key: RecordKey) throws -> String {
      "\(try LockFolder.find().path)/\(FileLock(.write, of: key, in: group).fileName)"
    }
    for (host, hasFamilies) in [("login.windows.net", true), ("id.contoso.com", false)] {
      let key = RecordKey.credentials(homeAccountID: "a.b", environment: host, clientID: "c")
      let family = RecordKey.family(homeAccountID: "a.b", environment: host, familyID: "1")
      try FileLock.makeFiles(ofRefresh: key, in: group)
      #expect(try FileManager.default.fileExists(atPath: file(key)))
      #expect(try FileManager.default.fileExists(atPath: file(family)) == hasFamilies)
    }
  }

  @Test("A file that is no regular file of this user is refused by name without blocking", arguments: kinds)
  func refused(kind: String) throws {
    let path = try makeFile(kind)
    guard kind != "another user's" || getuid() == 0 else { return #expect(LockFile.problem(at: path) == nil) }
    for access in [O_RDONLY, O_WRONLY, O_RDWR] {
      do {
        close(try LockFile.open(path, access))
        Issue.record("It was opened.")
      } catch {
        #expect(error.code == .storageFailed)
        #expect(error.detail.contains(path))
      }
    }
    #expect(MappedVersion(at: path) == nil)
    let result = try #require(LockFilesCheck(folder: folder.path).run())
    #expect(result.remedy == "mv \(path) \(path).aside")
  }

  @Test("A missing file is created, and an existing one is opened")
  func opened() throws {
    let path = "\(folder.path)/write.lock"
    close(try LockFile.open(path, O_RDONLY))
    close(try LockFile.open(path, O_RDWR))
    #expect(LockFilesCheck(folder: folder.path).run() == nil)
  }
}
