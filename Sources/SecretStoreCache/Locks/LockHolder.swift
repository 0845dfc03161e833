// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A process that holds one of the library's locks, as `/proc/locks` lists it.
package struct LockHolder: Hashable, Sendable {
  /// The process ID; `nil` when the process is outside of this process's sandbox and can't be seen.
  package let process: Int?
  /// The lock file's name.
  package let file: String

  package var isWriting: Bool {
    [FileLock.Purpose.write, .optimisticWrites, .recycledItems].contains(where: isFor)
  }
  package var isRefreshing: Bool { isFor(.refresh) }

  private func isFor(_ purpose: FileLock.Purpose) -> Bool { file.hasPrefix(purpose.rawValue) }

  /// Whether a signal or a debugger has stopped the process.
  package var isStopped: Bool { process.map { SystemProcess($0).isStopped } ?? false }

  /// Returns all holders of locks except this process.
  ///
  /// In a sandbox, `/proc/locks` does not list processes outside of it. So every lock that no listed process holds is
  /// tried.
  package static func all() throws -> [LockHolder] {
    let folder = try LockFolder.find().path
    let held = FileReader.text("/proc/locks") ?? ""
    var names: [String: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      guard let info = FileReader().information("\(folder)/\(name)", followsLink: false) else { continue }
      names[kernelName(info)] = name
    }
    var own: Set<String> = []
    var holders = held.split(whereSeparator: \.isNewline).compactMap { line -> LockHolder? in
      let words = line.split(separator: " ")
      guard words.count > 5, words[1] == "FLOCK", let process = Int(words[4]), process > 0,
        let name = names[String(words[5])]
      else { return nil }
      guard process != getpid() else {
        own.insert(name)
        return nil
      }
      return LockHolder(process: holder(from: process, of: "\(folder)/\(name)"), file: name)
    }
    let known = own.union(holders.map(\.file))
    for name in names.values where name.hasSuffix(".lock") && !known.contains(name) {
      if isHeld("\(folder)/\(name)") { holders.append(LockHolder(process: nil, file: name)) }
    }
    return holders
  }

  /// Returns the process that holds a lock.
  ///
  /// The kernel names the one that took it. When that has ended, a child that it has forked may hold it on.
  private static func holder(from taker: Int, of file: String) -> Int {
    guard SystemProcess(taker).hasEnded, let path = PrivateFolder.resolved(file) else { return taker }
    let holder = SystemProcess.all().first { $0.identifier != Int(getpid()) && $0.holdsLock(on: path) }
    return holder?.identifier ?? taker
  }

  /// Returns whether a process holds the lock on a file now.
  private static func isHeld(_ path: String) -> Bool {
    guard let file = try? LockFile.open(path, O_RDONLY) else { return false }
    defer { close(file) }
    return flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Returns a file's name in `/proc/locks`: the device's two numbers in hexadecimal digits, and the inode.
  private static func kernelName(_ info: stat) -> String {
    // A device's number may have more digits than a byte, which `hexadecimalDigits` is for.
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

extension LockHolder: CustomStringConvertible {
  /// The process's name for the beginning of a sentence.
  package var description: String {
    guard let process else { return "A process outside of this sandbox" }
    // A process chooses its own name, so only safe characters are kept.
    let name = SystemProcess(process).name?.filter { letter in
      letter.isASCII && (letter.isLetter || letter.isNumber || "-_.".contains(letter))
    }
    return "Process \(process)\(name.map { " (\($0))" } ?? "")"
  }
}
