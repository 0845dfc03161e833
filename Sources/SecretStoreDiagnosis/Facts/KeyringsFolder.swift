// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel
import SecretStoreCache

/// The folder of gnome-keyring's keyrings, and the free space of its disk.
struct KeyringsFolder: Sendable {
  private let path: String?

  init(_ environment: DiagnosticEnvironment) { path = environment.keyrings }

  /// The error when the disk lacks the space for a save; otherwise `nil`.
  ///
  /// A save writes a whole keyring beside the old one.
  var insufficientSpace: CheckResult? {
    guard let path else { return nil }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    let sizes = names.filter { $0.hasSuffix(".keyring") }.compactMap {
      FileReader().information("\(path)/\($0)", followsLink: true)?.st_size
    }
    var system = statvfs()
    guard let largest = sizes.max(), unsafe statvfs(path, &system) == 0 else { return nil }
    let free = UInt64(system.f_bavail) * UInt64(system.f_frsize)
    let needed = UInt64(max(largest, 0)) + Self.margin
    guard free < needed else { return nil }
    return .error(
      .storageFailed,
      "The disk of \(path) has \(free) bytes left, and a save needs up to \(needed): the next one fails.",
      remedy: "Free some space on the disk of \(path).")
  }

  /// The number of bytes by which a keyring grows when some records are saved.
  private static let margin: UInt64 = 64 << 10
}
