// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A process that holds one of the library's locks, as the kernel tells in `/proc/locks`.
struct LockHolder: Hashable, Sendable {
  let process: Int
  /// The lock file's name.
  let file: String

  var isWriting: Bool { ["write-", "window-", "retired-items"].contains(where: file.hasPrefix) }
  var isRefreshing: Bool { file.hasPrefix("refresh-") }

  /// Whether the process was stopped by a signal.
  var isStopped: Bool {
    let state = FileReader.text("/proc/\(process)/stat")?.split(separator: ")").last
    return state?.split(separator: " ").first == "T"
  }

  /// Everybody who holds a lock, but for this process.
  static func all() throws -> [LockHolder] {
    let folder = try RuntimeDirectory.lockFolder()
    var names: [String: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let info = FileReader().information("\(folder)/\(name)", followsLink: false) else { continue }
      names[kernelName(info)] = name
    }
    return (FileReader.text("/proc/locks") ?? "").split(whereSeparator: \.isNewline).compactMap { line in
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", let process = Int(words[4]), process != getpid(),
        let name = names[String(words[5])]
      else { return nil }
      return LockHolder(process: process, file: name)
    }
  }

  /// A file as `/proc/locks` names it: the device's two numbers in hexadecimal digits, and the inode.
  private static func kernelName(_ info: stat) -> String {
    func digits(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return text.count < 2 ? "0\(text)" : text
    }
    let device = UInt64(info.st_dev)
    let major = device >> 8 & 0xfff
    let minor = device & 0xff | device >> 12 & 0xfff00
    return "\(digits(major)):\(digits(minor)):\(info.st_ino)"
  }
}
