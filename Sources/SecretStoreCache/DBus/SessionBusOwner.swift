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

  /// Returns the sockets of the bus address (D-Bus Specification, "Server Addresses").
  ///
  /// Without an address GIO uses the socket in the runtime directory, but not where the address is set and empty.
  private static func socketAddresses(_ environment: [String: String]) -> [LocalSocket] {
    guard let list = environment["DBUS_SESSION_BUS_ADDRESS"] else {
      return environment["XDG_RUNTIME_DIR"].map { [.path("\($0)/bus")] } ?? []
    }
    return list.split(separator: ";").flatMap { entry -> [LocalSocket] in
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
  private static func owner(of address: LocalSocket) -> uid_t? {
    switch address {
    case .path(let path):
      var info = stat()
      if unsafe stat(path, &info) == 0 { return info.st_uid == 0 ? nil : info.st_uid }
      guard errno == EACCES, unsafe stat(FileOwner.existing(above: path), &info) == 0 else { return nil }
      return info.st_uid
    case .abstract:
      guard let socket = address.connected() else { return nil }
      defer { close(socket) }
      // A `struct ucred`: the process, its user and its group (unix(7)).
      var peer: (process: pid_t, user: uid_t, group: gid_t) = (0, 0, 0)
      var length = socklen_t(MemoryLayout.size(ofValue: peer))
      guard unsafe getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 else { return nil }
      return peer.user == 0 ? nil : peer.user
    }
  }
}
