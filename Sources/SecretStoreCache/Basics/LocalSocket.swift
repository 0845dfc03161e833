// SPDX-License-Identifier: MIT

import Glibc

/// The address of a socket on this machine (unix(7)).
package enum LocalSocket: Sendable, Hashable {
  case path(String)
  case abstract(String)

  /// Whether a program accepts connections.
  package var acceptsConnections: Bool {
    guard let socket = connected() else { return false }
    close(socket)
    return true
  }

  /// The address as people write it.
  var text: String {
    switch self {
    case .path(let path): path
    case .abstract(let name): "@\(name)"
    }
  }

  /// The name as the kernel has it; an abstract name begins with a zero byte.
  private var bytes: [UInt8] {
    switch self {
    case .path(let path): Array(path.utf8)
    case .abstract(let name): [0] + Array(name.utf8)
    }
  }

  /// Returns a connected socket, which the caller closes; `nil` when no program accepts connections.
  func connected() -> Int32? {
    var name = sockaddr_un()
    name.sun_family = sa_family_t(AF_UNIX)
    let bytes = bytes
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
