// SPDX-License-Identifier: MIT

import Foundation

/// A temporary folder, removed with this object.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    path = FileManager.default.temporaryDirectory.appending(path: "ssc-\(UUID().uuidString)").path()
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file and creates its parent folders.
  @discardableResult
  func write(_ name: String, _ text: String) throws -> String { try write(name, Data(text.utf8)) }

  @discardableResult
  func write(_ name: String, _ data: Data) throws -> String {
    let file = "\(path)/\(name)"
    try makeFolder(of: name)
    try data.write(to: URL(filePath: file))
    try setMode(0o644, of: name)
    return file
  }

  /// Creates a symbolic link and its parent folders.
  func link(_ name: String, to destination: String) throws {
    try makeFolder(of: name)
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: destination)
  }

  func setMode(_ mode: Int, of name: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: "\(path)/\(name)")
  }

  func makeFolder(of name: String) throws {
    let folder = URL(filePath: "\(path)/\(name)").deletingLastPathComponent().path()
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
  }
}
