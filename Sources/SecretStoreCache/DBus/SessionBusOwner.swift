// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel

/// The owner of the session bus that this process would connect to, as far as its address shows.
package enum SessionBusOwner {
  /// Checks that the session bus does not belong to another user.
  ///
  /// - Throws: `serviceUnavailable` when it does: its keyring is another user's.
  package static func check(
    _ environment: [String: String] = ProcessEnvironment.current
  ) throws(SecretStoreError) {
    for address in socketAddresses(environment) {
      guard let owner = owner(of: address), owner != geteuid() else { continue }
      if case .path(let path) = address, let folder = SessionBusFolder(closedAbove: path) {
        throw SecretStoreError(.serviceUnavailable, folder.detail)
      }
      throw SecretStoreError(
        .serviceUnavailable,
        "The session bus \(address.text) is that of another user, \(FileOwner.name(owner)), and is left alone."
      )
    }
  }

  /// Returns the paths of the sockets in the bus address.
  package static func socketPaths(_ environment: [String: String]) -> [String] {
    socketAddresses(environment).compactMap { address in
      guard case .path(let path) = address else { return nil }
      return path
    }
  }

  /// Returns whether a program accepts connections at a socket.
  package static func acceptsConnections(at path: String) -> Bool {
    guard let socket = connected(to: .path(path)) else { return false }
    close(socket)
    return true
  }

  /// The location of a bus on this machine.
  private enum SocketAddress {
    case path(String)
    case abstract(String)

    var text: String {
      switch self {
      case .path(let path): path
      case .abstract(let name): "@\(name)"
      }
    }

    /// The name as the kernel has it; an abstract name begins with a zero byte (unix(7)).
    var bytes: [UInt8] {
      switch self {
      case .path(let path): Array(path.utf8)
      case .abstract(let name): [0] + Array(name.utf8)
      }
    }
  }

  /// Returns the sockets of the bus address (D-Bus Specification, "Server Addresses").
  ///
  /// Without an address GIO uses the socket in the runtime directory, but not where the address is set and empty.
  private static func socketAddresses(_ environment: [String: String]) -> [SocketAddress] {
    guard let list = environment["DBUS_SESSION_BUS_ADDRESS"] else {
      return environment["XDG_RUNTIME_DIR"].map { [.path("\($0)/bus")] } ?? []
    }
    return list.split(separator: ";").flatMap { entry -> [SocketAddress] in
      guard entry.hasPrefix("unix:") else { return [] }
      return entry.dropFirst(5).split(separator: ",").compactMap { pair in
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let value = unescaped(parts[1]), !value.isEmpty else { return nil }
        switch parts[0] {
        case "path": return .path(value)
        case "abstract": return .abstract(value)
        default: return nil
        }
      }
    }
  }

  /// Returns a value without its escapes; `nil` when it can't be a path: an escape is malformed or stands for zero.
  private static func unescaped(_ value: Substring) -> String? {
    guard let bytes = PercentEncoding.bytes(of: value.utf8)?.map(\.value), !bytes.contains(0) else {
      return nil
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the owner of a socket; `nil` when it is not known, or may be this user's.
  ///
  /// Root's sockets may be this user's, as those of a proxy are, but not one in a folder that this user may not enter.
  private static func owner(of address: SocketAddress) -> uid_t? {
    switch address {
    case .path(let path):
      var info = stat()
      if unsafe stat(path, &info) == 0 { return info.st_uid == 0 ? nil : info.st_uid }
      guard errno == EACCES, unsafe stat(FileOwner.existing(above: path), &info) == 0 else { return nil }
      return info.st_uid
    case .abstract:
      guard let socket = connected(to: address) else { return nil }
      defer { close(socket) }
      // A `struct ucred`: the process, its user and its group (unix(7)).
      var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
      var length = socklen_t(MemoryLayout.size(ofValue: peer))
      guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
      return peer.user == 0 ? nil : peer.user
    }
  }

  private static func connected(to address: SocketAddress) -> Int32? {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = address.bytes
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    guard bytes.count < MemoryLayout<sockaddr_un>.size - offset else { return nil }
    unsafe withUnsafeMutableBytes(of: &name) { unsafe $0[offset...].copyBytes(from: bytes) }
    let new = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard new >= 0 else { return nil }
    let length = socklen_t(offset + bytes.count)
    let result = unsafe withUnsafePointer(to: &name) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(new, $0, length) }
    }
    // A socket whose queue is full exists.
    if result == 0 || errno == EAGAIN { return new }
    close(new)
    return nil
  }
}
