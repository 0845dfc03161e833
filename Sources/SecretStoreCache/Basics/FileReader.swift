// SPDX-License-Identifier: MIT

package import Glibc
import KeychainGroupModel

/// Reads files, and determines who owns them.
package struct FileReader: Sendable {
  /// The reason why a file is not read.
  package enum Refusal: Error, Hashable {
    case notRegular
    /// It is a symbolic link, and links are not followed.
    case symbolicLink
    /// The file is larger than this number of bytes.
    case tooLarge(Int)
    /// The system refused to open or to read the file, with this error number.
    case failed(Int32)

    /// The reason, worded to follow "The file …".
    package var reason: String {
      switch self {
      case .notRegular: "is no regular file"
      case .symbolicLink: "is a symbolic link"
      case .tooLarge(let limit): "is larger than \(limit) bytes"
      case .failed(ENOENT): "is a link that leads nowhere"
      case .failed(ELOOP): "is a link that leads in a circle"
      case .failed(EACCES), .failed(EPERM): "can't be opened: permission denied"
      case .failed(let error): "can't be read (error \(error))"
      }
    }
  }

  private let user = geteuid()
  /// The user id shown for owners unknown in this user namespace, such as root; `nil` where root is known.
  private let unmappedOwner: uid_t?

  package init() {
    let mapsRoot = Self.text("/proc/self/uid_map").map { map in
      map.split(whereSeparator: \.isNewline).contains { $0.split(separator: " ").first == "0" }
    }
    unmappedOwner = mapsRoot == false ? Self.text("/proc/sys/kernel/overflowuid").flatMap { uid_t($0) } : nil
  }

  /// Returns the file information of a path; `nil` when nothing is there.
  package func information(_ path: String, followsLink: Bool) -> stat? {
    var info = stat()
    guard unsafe (followsLink ? stat(path, &info) : lstat(path, &info)) == 0 else { return nil }
    // A symbolic link is on the file system of its folder.
    let folder = followsLink ? path : String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
    mapReadOnlyOwnerToRoot(in: &info) { unsafe statvfs(folder, &$0) }
    return info
  }

  /// Returns the owner of a file.
  package func owner(of info: stat) -> ManifestFile.Owner {
    if info.st_uid == 0 { return .root }
    return info.st_uid == user ? .user : .other
  }

  /// Returns whether others than a file's owner can write to it.
  ///
  /// A user's own file may be writable for the user's private group, as a umask of 002 makes it. A symbolic link has no
  /// mode of its own.
  package func isWritableByOthers(_ info: stat) -> Bool {
    if info.st_mode & S_IFMT == S_IFLNK { return false }
    if info.st_mode & 0o020 == 0 || info.st_uid == user && FileOwner.isPrivateGroup(info.st_gid) {
      return info.st_mode & 0o002 != 0
    }
    return true
  }

  /// Reads a regular file's content and file information.
  ///
  /// - Parameters:
  ///   - path: The file's path.
  ///   - limit: The maximum size in bytes; a larger file is refused.
  ///   - folder: The open folder that a relative path begins at; this process's own by default.
  ///   - followsLink: Whether a symbolic link at the path is followed.
  package func contents(
    _ path: String, limit: Int, in folder: Int32 = AT_FDCWD, followsLink: Bool = true
  ) throws(Refusal) -> (bytes: [UInt8], info: stat) {
    let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY
    let file = unsafe openat(folder, path, followsLink ? flags : flags | O_NOFOLLOW)
    guard file >= 0 else { throw Self.refusal(errno, followsLink: followsLink) }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0 else { throw .failed(errno) }
    guard info.st_mode & S_IFMT == S_IFREG else { throw .notRegular }
    if info.st_size > limit { throw .tooLarge(limit) }
    mapReadOnlyOwnerToRoot(in: &info) { unsafe fstatvfs(file, &$0) }
    return (try Self.bytes(file, limit: limit), info)
  }

  private static func refusal(_ error: Int32, followsLink: Bool) -> Refusal {
    switch error {
    case ELOOP where !followsLink: .symbolicLink
    // A socket, or a device that is not there (open(2)).
    case ENXIO: .notRegular
    default: .failed(error)
    }
  }

  /// Returns the first bytes of a regular file, 512 at most; `nil` when it can't be read.
  func beginning(of path: String) -> [UInt8]? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var info = stat()
    guard unsafe fstat(file, &info) == 0, info.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    return count < 0 ? nil : Array(bytes.prefix(count))
  }

  /// Returns the text of a small kernel file, such as one in `/proc`; `nil` when it can't be read.
  package static func text(_ path: String) -> String? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard let bytes = try? bytes(file, limit: 1_000_000) else { return nil }
    var text = Substring(decoding: bytes, as: UTF8.self)
    while text.last == "\n" || text.last == "\0" { text.removeLast() }
    return String(text)
  }

  /// Treats a file on a read-only file system as root's, in a sandbox whose user namespace does not know root.
  ///
  /// Such a file is part of the sandbox itself.
  private func mapReadOnlyOwnerToRoot(in info: inout stat, _ read: (inout statvfs) -> Int32) {
    guard info.st_uid == unmappedOwner else { return }
    var system = statvfs()
    if read(&system) == 0 && system.f_flag & UInt(ST_RDONLY) != 0 { info.st_uid = 0 }
  }

  private static func bytes(_ file: Int32, limit: Int) throws(Refusal) -> [UInt8] {
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
      if count == 0 { return bytes }
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { throw .failed(errno) }
      bytes += chunk[..<count]
    }
    throw .tooLarge(limit)
  }
}
