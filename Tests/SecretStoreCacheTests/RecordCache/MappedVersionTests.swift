// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Mapped version")
struct MappedVersionTests {
  private let file: VersionFile

  init() throws {
    file = try VersionFile(name: "test-\(UUID().uuidString)")
  }

  /// Waits until the path's validity has expired.
  private func wait() async throws { try await Task.sleep(for: .milliseconds(1)) }

  @Test("It is the file's version before and after each change")
  func changes() throws {
    defer { unsafe unlink(file.path) }
    let mapped = try #require(MappedVersion(at: file.path))
    #expect(mapped.read()?.isSettled == true)
    #expect(mapped.read() == file.read())
    for _ in 0..<100 {
      try file.unsettle()
      #expect(mapped.read()?.isSettled == false)
      #expect(mapped.read() == file.read())
      try file.settle()
      #expect(mapped.read()?.isSettled == true)
      #expect(mapped.read() == file.read())
    }
  }

  @Test("It is the version of an existing file")
  func former() throws {
    defer { unsafe unlink(file.path) }
    try file.unsettle()
    #expect(try #require(MappedVersion(at: file.path)).read() == file.read())
  }

  @Test("It is nil after the file is deleted or replaced", arguments: [false, true])
  func gone(isReplaced: Bool) async throws {
    defer { unsafe unlink(file.path) }
    let mapped = try #require(MappedVersion(at: file.path))
    unsafe unlink(file.path)
    if isReplaced { try file.settle() }
    try await wait()
    #expect(mapped.read() == nil)
  }

  @Test("It is nil if the file cannot be opened", arguments: ["/nonexistent/version", "/proc/version", "/"])
  func absent(path: String) {
    #expect(MappedVersion(at: path) == nil)
  }
}
