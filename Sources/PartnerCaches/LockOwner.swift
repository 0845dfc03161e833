// SPDX-License-Identifier: MIT

import Glibc
import SecretStoreCache

/// What a lock file of another tool says of the process that made it.
///
/// All tools write the process ID and the program's name.
package struct LockOwner {
  private let path: String
  private let text: String
  private let info: stat?

  package init(_ path: String) {
    self.path = path
    let read = try? FileReader().contents(path, limit: 4096, followsLink: false)
    text = read.map { String(decoding: $0.bytes, as: UTF8.self) } ?? ""
    var info = stat()
    self.info = unsafe lstat(path, &info) == 0 ? info : nil
  }

  private static let ownName = "sso-cache"

  /// The content of this process's own lock files: process ID, name, and when the process started.
  static var ownMark: String { "\(getpid()) \(ownName) \(SystemProcess(Int(getpid())).startTime ?? "")" }

  /// How long a tool takes at most to write its name into the file that it has made.
  private static let writingSeconds = 3

  private var words: [Substring] { text.split(separator: " ") }
  private var process: Int? { words.first.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil } }

  /// Whether the process that the file names has ended, also where its number is another process's now.
  private var isGone: Bool? {
    guard let number = process else { return nil }
    let process = SystemProcess(number)
    guard let start = process.startTime else { return true }
    if words.count == 3 && words[1] == Self.ownName { return String(words[2]) != start }
    guard let age = process.age, let info else { return false }
    // The clock may have been set since then: a lock that the kernel knows is held.
    return time(nil) - Int(info.st_mtim.tv_sec) > age + 60 && !isHeld
  }

  /// Whether a process has a lock on the file, as most tools do.
  private var isHeld: Bool {
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return !PartnerLock.lock(descriptor)
  }

  /// Whether the file was left behind: by a process that has ended, or, if it names none, by one that has no lock on it
  /// and has had the time to write its name.
  package var isLeft: Bool {
    guard let info, info.st_mode & S_IFMT == S_IFREG else { return false }
    if let isGone { return isGone }
    return Int(info.st_mtim.tv_sec) < time(nil) - Self.writingSeconds && !isHeld
  }

  /// Whether there is something else than a file.
  package var isNoFile: Bool { info.map { $0.st_mode & S_IFMT != S_IFREG } ?? false }

  /// Who has the lock, in words.
  package var description: String {
    guard let process else { return "another program has made the lock file \(path)" }
    let state = isGone == true ? "has ended and left" : "has made"
    return "process \(process) \(state) the lock file \(path)"
  }

  /// Removes the file if a process of this tool made it and has ended.
  ///
  /// A process locks the file before it removes it. Else it could remove the file of a later owner, who made it after
  /// another process had removed this one.
  func removeIfOwnAndLeft() {
    guard isOwnAndLeft else { return }
    let descriptor = unsafe open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // It is read again, since the file may be a later owner's by now.
    guard PartnerLock.lock(descriptor), LockOwner(path).isOwnAndLeft, PartnerLock.names(path, descriptor)
    else { return }
    _ = unsafe unlink(path)
  }

  private var isOwnAndLeft: Bool { words.count == 3 && words[1] == Self.ownName && isGone == true }
}
