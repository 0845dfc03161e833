// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Mount table")
struct MountTableTests {
  private static let folder = "/run/user/1000/secret-store-cache"
  private static let base = """
    100 50 0:40 /newroot / rw,nosuid - tmpfs tmpfs rw
    101 100 0:41 / /run rw,nosuid - tmpfs tmpfs rw
    102 101 0:42 / /run/user/1000 rw,nosuid - tmpfs tmpfs rw

    """

  private static func table(_ lines: String) -> MountTable? {
    MountTable(parsing: Array((base + lines).utf8))
  }

  /// Extra lines of a Flatpak's mount table, and whether the folder is the host's writable one.
  private static let tables: [(String, Bool)] = [
    ("", false),
    ("110 102 0:43 /user/1000/secret-store-cache \(folder) rw,nosuid - tmpfs tmpfs rw,size=1k\n", true),
    // With optional fields, and as the root of a path in a file system of the runtime directory.
    ("110 102 0:43 /secret-store-cache \(folder) rw shared:1 master:2 - tmpfs tmpfs rw\n", true),
    // An empty source.
    ("110 102 0:43 /secret-store-cache \(folder) rw - tmpfs  rw\n", true),
    // Read-only, as a mount or as a file system; an option that only begins so is another one.
    ("110 102 0:43 /secret-store-cache \(folder) ro,nosuid - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 /secret-store-cache \(folder) rw,nosuid - tmpfs tmpfs rw,ro\n", false),
    ("110 102 0:43 /secret-store-cache \(folder) rw,root=1 - tmpfs tmpfs rw,rofs=1\n", true),
    // Deleted on the host, another folder, a folder in it, and a new file system.
    ("110 102 0:43 /user/1000/secret-store-cache//deleted \(folder) rw - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 /home/ada/own \(folder) rw - ext4 /dev/sda rw\n", false),
    ("110 102 0:43 /user/1000/secret-store-cache/own \(folder) rw - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 / \(folder) rw - tmpfs tmpfs rw\n", false),
    // Elsewhere: below it, above it, beside it, and a path that only begins with its name.
    ("110 102 0:43 /secret-store-cache \(folder)/own rw - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 /secret-store-cache /run/user/secret-store-cache rw - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 /secret-store-cache \(folder)2 rw - tmpfs tmpfs rw\n", false),
    ("110 102 0:43 /secret-store-cache /elsewhere/secret-store-cache rw - tmpfs tmpfs rw\n", false),
    // Escapes of the same name, and escapes of another name.
    ("110 102 0:43 /secret-store-cache /run/user/1000/secret\\055store\\055cache rw - t t rw\n", true),
    ("110 102 0:43 /secret-store-cache /run/user/1000/secret\\040store\\040cache rw - t t rw\n", false),
    // Another mount over it, and over a folder above it, hides it.
    (
      """
      110 102 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw
      111 110 0:44 / \(folder) rw - tmpfs tmpfs rw

      """, false
    ),
    (
      """
      110 102 0:43 /secret-store-cache \(folder) ro - tmpfs tmpfs rw
      111 110 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw

      """, true
    ),
    (
      """
      110 102 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw
      111 102 0:44 / /run/user/1000 rw - tmpfs tmpfs rw

      """, false
    ),
    // Below an invisible mount, and in a cycle.
    ("110 999 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw\n", false),
    (
      """
      110 111 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw
      111 110 0:43 /secret-store-cache \(folder) rw - tmpfs tmpfs rw

      """, false
    ),
  ]

  @Test("The folder is shared only where the host's folder is mounted writable", arguments: tables)
  func mounted(lines: String, isOfOutside: Bool) {
    let mount = Self.table(lines)?.mount(at: Self.folder)
    let isFound = mount.map { $0.isWritable && $0.folderName == Array("secret-store-cache".utf8) } == true
    #expect(isFound == isOfOutside)
  }

  @Test(
    "A table with a malformed line is rejected",
    arguments: [
      "nonsense\n", "110 102 0:43 / /a rw\n", "110 102 0:43 / /a rw - tmpfs\n",
      "x 102 0:43 / /a rw - t t rw\n",
      "110 x 0:43 / /a rw - t t rw\n", "110 102 0:43 / a rw - t t rw\n", "110 102 0:43 / /a\\9 rw - t t rw\n",
      "110 102 0:43 / /a\\777 rw - t t rw\n", "110 102 0:43 / /a\\04 rw - t t rw\n",
      "110 102 0:43 / /a rw - t t rw more\n", "102 101 0:43 / /twice rw - t t rw\n",
      "110 51 0:43 / / rw - second root rw\n",
    ])
  func malformed(line: String) { #expect(Self.table(line) == nil) }

  @Test(
    "A file is on the mount that is on top of the path to it",
    arguments: [
      ("/run/user/1000/secret-store-cache", "/run/user/1000"), ("/run/user/1000", "/run/user/1000"),
      ("/run/user/10001", "/run"), ("/etc/passwd", "/"), ("/", "/"),
      ("/run/user/1000/a b/c", "/run/user/1000/a b"),
    ])
  func point(path: String, expected: String) {
    let table = Self.table("110 102 0:43 / /run/user/1000/a\\040b ro - tmpfs tmpfs rw\n")
    #expect(table?.mountPoint(of: path) == expected)
  }

  @Test("An empty table is rejected")
  func empty() { #expect(MountTable(parsing: []) == nil) }

  @Test("This process's own table can be read")
  func own() throws {
    let table = try #require(MountTable.current())
    #expect(table.mount(at: "/proc") != nil)
    #expect(table.mount(at: "/proc/self") == nil)
    #expect(!table.hasSharedLockFolder("/proc"))
  }
}
