// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// The temporary directory of a run, with the sockets of the bus and the daemon and their log.
///
/// The directory of a killed run remains. The next run with the same keyring removes it.
struct SessionDirectory {
  let path: String
  /// The socket of the bus, in the runtime directory of the command where that is possible: there its locks count as
  /// shared.
  let socket: String
  /// The runtime directory of the caller; `nil` when it has none.
  let callersRuntime: String?
  private let link: String

  /// The runtime directory of the daemon, and of a command whose caller has none.
  var runtime: String { Self.runtime(in: path) }
  /// The log of the bus and the daemon.
  var log: String { "\(path)/\(Self.logName)" }

  init(keyring: KeyringDirectory, environment: [String: String]) throws(HeadlessFailure) {
    link = keyring.sessionLink
    Self.removeStale(link)
    callersRuntime = environment["XDG_RUNTIME_DIR"].flatMap { Self.isRuntimeDirectory($0) ? $0 : nil }
    let parent: String
    (parent, path) = try Self.make(environment)
    socket = parent == callersRuntime ? Self.socket(beside: path) : "\(Self.runtime(in: path))/bus"
    guard unsafe symlink(path, link) == 0, unsafe mkdir(runtime, 0o700) == 0 else {
      let number = errno
      remove()
      throw .storage(
        "The run's temporary directory can't be made: \(HeadlessFailure.text(ofError: number)).",
        remedy: "Check that there is space, and that you may write to \(keyring.path).")
    }
  }

  /// Removes the directory and its content.
  func remove() {
    _ = unsafe unlink(socket)
    try? FileManager.default.removeItem(atPath: path)
    _ = unsafe unlink(link)
  }

  private static let prefix = "sso-cache."

  private static let runtimeName = "run"
  private static let logName = "log"
  /// The names in a run's directory; one with another name isn't a run's.
  private static let content: Set = [runtimeName, logName, "bus.conf", "control"]

  private static func runtime(in path: String) -> String { "\(path)/\(runtimeName)" }

  private static func socket(beside path: String) -> String { "\(path).bus" }

  private static func isRuntimeDirectory(_ path: String) -> Bool {
    var information = stat()
    guard path.hasPrefix("/"), unsafe stat(path, &information) == 0 else { return false }
    return information.st_mode & S_IFMT == S_IFDIR && information.st_uid == geteuid()
  }

  /// Makes the directory, and returns it with the directory that it is in.
  private static func make(
    _ environment: [String: String]
  ) throws(HeadlessFailure) -> (parent: String, path: String) {
    let candidates = [environment["XDG_RUNTIME_DIR"], environment["TMPDIR"], "/tmp"]
    for case let directory? in candidates where isUsable(directory) {
      var template = Array("\(directory)/\(prefix)XXXXXX".utf8CString)
      if unsafe mkdtemp(&template) != nil {
        return (
          directory, String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        )
      }
    }
    throw .storage(
      "There is no place for the run's temporary directory.",
      remedy: "Make /tmp writable, or name another directory with TMPDIR.")
  }

  /// Returns whether a directory can contain the socket.
  ///
  /// The path must be short and need no escaping in a D-Bus address.
  private static func isUsable(_ directory: String) -> Bool {
    directory.hasPrefix("/") && directory.utf8.count <= 64
      && directory.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "_"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  /// Removes the directory that a killed run left.
  ///
  /// It is not in use, because this process holds the lock.
  private static func removeStale(_ link: String) {
    var target = [UInt8](repeating: 0, count: 256)
    let count = unsafe target.withUnsafeMutableBytes { bytes in
      unsafe bytes.withMemoryRebound(to: CChar.self) { text in
        unsafe text.baseAddress.map { unsafe readlink(link, $0, text.count) } ?? 0
      }
    }
    guard count > 0 else { return }
    _ = unsafe unlink(link)
    let path = String(decoding: target[..<count], as: UTF8.self)
    var information = stat()
    guard count < target.count, path.hasPrefix("/"), unsafe lstat(path, &information) == 0,
      information.st_mode & S_IFMT == S_IFDIR, information.st_uid == geteuid(),
      path.split(separator: "/").last?.hasPrefix(prefix) == true,
      let names = try? FileManager.default.contentsOfDirectory(atPath: path), Set(names).isSubset(of: content)
    else { return }
    _ = unsafe unlink(socket(beside: path))
    try? FileManager.default.removeItem(atPath: path)
  }
}
