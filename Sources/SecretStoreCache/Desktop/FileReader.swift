// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// Reads small files, and knows whose they are.
struct FileReader: Sendable {
  /// Why a file can't be read; it goes into "The file …".
  struct Refusal: Error {
    let reason: String
  }

  private let user = geteuid()
  /// The owner that files of users have who are not known in this user namespace, root among them; `nil`
  /// where root is known.
  private let unmappedOwner: uid_t?

  init() {
    let mapsRoot = Self.text("/proc/self/uid_map").map { map in
      map.split(whereSeparator: \.isNewline).contains { $0.split(separator: " ").first == "0" }
    }
    unmappedOwner = mapsRoot == false ? Self.text("/proc/sys/kernel/overflowuid").flatMap { uid_t($0) } : nil
  }

  /// What the file system says about a path; `nil` when there is nothing.
  func information(_ path: String, followsLink: Bool) -> stat? {
    var info = stat()
    guard unsafe (followsLink ? stat(path, &info) : lstat(path, &info)) == 0 else { return nil }
    // A link is in its folder's file system.
    let place = followsLink ? path : String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    nameRoot(in: &info) { unsafe statvfs(place, &$0) }
    return info
  }

  /// Whose a file is.
  func owner(of info: stat) -> ManifestFile.Owner {
    if info.st_uid == 0 { return .root }
    return info.st_uid == user ? .user : .other
  }

  /// A regular file's content and what the file system says about it.
  ///
  /// - Parameters:
  ///   - path: The file's path; a link is followed.
  ///   - limit: The most bytes that are read.
  func contents(_ path: String, limit: Int) throws(Refusal) -> (bytes: [UInt8], info: stat) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { throw Refusal(reason: Self.reason(errno)) }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      throw Refusal(reason: "is no regular file")
    }
    nameRoot(in: &info) { unsafe fstatvfs(file, &$0) }
    guard let bytes = Self.bytes(file, limit: limit) else {
      throw Refusal(reason: "is larger than \(limit) bytes, or can't be read")
    }
    return (bytes, info)
  }

  /// The text of a small file of the kernel's; `nil` when there is none.
  static func text(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard let bytes = bytes(file, limit: 1_000_000) else { return nil }
    var text = Substring(decoding: bytes, as: UTF8.self)
    while text.last == "\n" || text.last == "\0" { text.removeLast() }
    return String(text)
  }

  /// Takes a file for root's that is on a file system which nobody can write to, in a sandbox that knows no
  /// root: it is the sandbox's own.
  private func nameRoot(in info: inout stat, _ read: (inout statvfs) -> Int32) {
    guard info.st_uid == unmappedOwner else { return }
    var system = statvfs()
    if read(&system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0 { info.st_uid = 0 }
  }

  private static func bytes(_ file: Int32, limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return nil }
      bytes += chunk[..<count]
    }
    return nil
  }

  private static func reason(_ error: Int32) -> String {
    switch error {
    case ENOENT: "is a link that leads nowhere"
    case ELOOP: "is a link that leads in a circle"
    case EACCES, EPERM: "can't be opened: permission denied"
    default: "can't be opened"
    }
  }
}
