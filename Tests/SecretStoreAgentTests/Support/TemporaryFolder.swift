// SPDX-License-Identifier: MIT

import Foundation

/// A temporary folder, removed with this object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "ssc-\(UUID().uuidString)").path()
    try makeFolder("")
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func makeFolder(_ name: String, mode: Int = 0o755) throws {
    try FileManager.default.createDirectory(
      atPath: "\(path)/\(name)", withIntermediateDirectories: true, attributes: [.posixPermissions: mode])
  }

  /// Writes a file and creates its parent folders.
  @discardableResult
  func write(_ name: String, _ content: some Sequence<UInt8>, mode: Int = 0o644) throws -> String {
    try makeFolder((name as NSString).deletingLastPathComponent)
    let file = "\(path)/\(name)"
    try Data(content).write(to: URL(filePath: file))
    try setMode(mode, of: name)
    return file
  }

  func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
  }

  @discardableResult
  func write(_ name: String, _ text: String, mode: Int = 0o644) throws -> String {
    try write(name, text.utf8, mode: mode)
  }

  /// Creates a symbolic link and its parent folders; replaces one that is there.
  func link(_ name: String, to destination: String) throws {
    try makeFolder((name as NSString).deletingLastPathComponent)
    try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
    try FileManager.default.createSymbolicLink(atPath: "\(path)/\(name)", withDestinationPath: destination)
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
  }
}
