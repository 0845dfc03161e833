// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import KeychainGroupModel

/// A folder of another user's that keeps this user from the socket of the user's own bus, as a runtime directory that
/// root has taken.
package struct SessionBusFolder: Sendable {
  package let path: String
  private let owner: uid_t
  private let isSticky: Bool

  /// Finds the folder in the environment of a process; `nil` when there is none.
  package init?(_ environment: [String: String]) {
    let folders = SessionBusOwner.socketPaths(environment).lazy.compactMap { Self(closedAbove: $0) }
    guard let folder = folders.first else { return nil }
    self = folder
  }

  /// Creates the folder of a socket; `nil` unless it is closed to this user, and a program of the user's accepts
  /// connections at the socket.
  init?(closedAbove socket: String) {
    guard let slash = socket.lastIndex(of: "/"), slash > socket.startIndex,
      let info = FileReader().information(String(socket[..<slash]), followsLink: false),
      info.st_mode & S_IFMT == S_IFDIR, info.st_uid != geteuid(),
      unsafe access(socket, F_OK) != 0, errno == EACCES, Self.isOwn(socket)
    else { return nil }
    path = String(socket[..<slash])
    owner = info.st_uid
    isSticky = info.st_mode & mode_t(S_ISVTX) != 0
  }

  /// What is wrong, as a sentence.
  var detail: String {
    "The folder \(path) of the session bus belongs to another user, \(FileOwner.name(owner)), and keeps you from the"
      + " bus, which is yours."
  }

  /// The command that makes the folder this user's again where it is a runtime directory, which no other user needs.
  package func remedy(in environment: [String: String]) -> String {
    let folder = ShellWord.quoted(path)
    return !isSticky && [RuntimeDirectory.usual, environment["XDG_RUNTIME_DIR"]].contains(path)
      ? "sudo chown -h \(geteuid()) \(folder)"
      : "Find out by ls -ld \(folder) why it is closed to you, and open it."
  }

  /// Returns whether a process of this user has the socket of this path, and accepts connections there.
  private static func isOwn(_ socket: String) -> Bool {
    // Processes of one network namespace list the same sockets.
    var listed: [String: Set<String>] = [:]
    for process in names(in: "/proc") where Int(process) != nil {
      let folder = "/proc/\(process)"
      guard FileReader().information("\(folder)/fd", followsLink: false)?.st_uid == geteuid(),
        let namespace = target(of: "\(folder)/ns/net")
      else { continue }
      let sockets = listed[namespace] ?? listening(at: socket, "\(folder)/net/unix")
      listed[namespace] = sockets
      if sockets.isEmpty { continue }
      let files = names(in: "\(folder)/fd")
      if files.contains(where: { target(of: "\(folder)/fd/\($0)").map(sockets.contains) == true }) {
        return true
      }
    }
    return false
  }

  /// Returns the sockets of a path that accept connections, as links to them name them (proc_pid_net(5)).
  private static func listening(at path: String, _ table: String) -> Set<String> {
    // Number, count, protocol, flags, type, state, inode and path; the flag stands for listen(2).
    let rows = (FileReader.text(table) ?? "").split(whereSeparator: \.isNewline)
      .map { $0.split(separator: " ", maxSplits: 7) }
    return Set(
      rows.filter { $0.count == 8 && $0[3] == "00010000" && $0[7] == path }.map { "socket:[\($0[6])]" })
  }

  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  private static func target(of link: String) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: link)
  }
}
