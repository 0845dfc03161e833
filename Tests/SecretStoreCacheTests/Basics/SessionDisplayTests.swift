// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Display of the session")
struct SessionDisplayTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Binds a socket of this name in the folder.
  private func bind(_ name: String, listens: Bool) -> Int32 {
    bind(Array("\(folder.path)/\(name)".utf8), listens: listens)
  }

  /// Binds a socket of a path, or of a name after a zero byte, which is in no folder.
  private func bind(_ name: [UInt8], listens: Bool) -> Int32 {
    let new = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: name) }
    let size = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let result = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Glibc.bind(new, $0, size) }
    }
    #expect(result == 0)
    if listens { listen(new, 1) }
    return new
  }

  @Test("A display is there when a program accepts connections at its socket")
  func wayland() {
    let sockets = [bind("wayland-1", listens: true), bind("wayland-2", listens: false)]
    defer { for socket in sockets { close(socket) } }
    #expect(LocalSocket.path("\(folder.path)/wayland-1").acceptsConnections)
    #expect(!LocalSocket.path("\(folder.path)/wayland-2").acceptsConnections)
    let runtime = ["XDG_RUNTIME_DIR": folder.path]
    for (name, answers) in [
      ("wayland-1", true), ("\(folder.path)/wayland-1", true), ("wayland-2", false), ("wayland-3", false),
      ("", false),
    ] {
      let environment = runtime.merging(["WAYLAND_DISPLAY": name]) { $1 }
      #expect(SessionDisplay.answers(environment) == answers, "\(name)")
      // One of the two is enough.
      #expect(
        SessionDisplay.answers(environment.merging(["DISPLAY": ":\(Self.unused + 1)"]) { $1 }) == answers,
        "\(name)")
    }
    #expect(!SessionDisplay.answers(["WAYLAND_DISPLAY": "wayland-1"]), "nothing says where it is")
  }

  /// The number of a display that no program serves; X servers count from 0.
  private static let unused = 2 * (1_000_000 + Int(getpid()))

  @Test("A display of X is there when a program accepts connections at its abstract socket")
  func abstract() {
    for listens in [true, false] {
      let server = bind([0] + "/tmp/.X11-unix/X\(Self.unused)".utf8, listens: listens)
      defer { close(server) }
      for name in [":\(Self.unused)", ":\(Self.unused).0", "unix:\(Self.unused)"] {
        #expect(SessionDisplay.answers(["DISPLAY": name]) == listens, "\(name)")
      }
    }
  }

  @Test(
    "A display of X on this machine has to answer, and one on another machine is taken to be there",
    arguments: [
      (":\(unused + 1)", false), (":\(unused + 1).0", false), ("unix:\(unused + 1)", false), ("", false),
      ("nonsense", false), (":", false),
      ("localhost:10.0", true), ("desk.contoso.com:0", true), ("[fe80::1]:0", true),
    ])
  func x11(name: String, answers: Bool) {
    #expect(SessionDisplay.answers(["DISPLAY": name]) == answers)
  }

  @Test("Without a variable there is no display")
  func none() {
    #expect(!SessionDisplay.answers([:]))
  }
}
