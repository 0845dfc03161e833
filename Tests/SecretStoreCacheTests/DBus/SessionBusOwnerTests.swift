// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import SecretStoreCache

@Suite("Session bus owner")
struct SessionBusOwnerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func refusal(_ address: String?, runtime: String? = nil) -> String? {
    var environment: [String: String] = [:]
    environment["DBUS_SESSION_BUS_ADDRESS"] = address
    environment["XDG_RUNTIME_DIR"] = runtime
    do {
      try SessionBusOwner.check(environment)
      return nil
    } catch {
      #expect(error.code == .serviceUnavailable)
      return error.detail
    }
  }

  @Test(
    "An own, missing or non-socket address is left to the connection",
    arguments: [
      "unix:path=OWN", "unix:path=OWN,guid=0", "unix:path=OWN/none", "unix:abstract=/none", "tcp:host=::1",
      "unix:",
      "unix:path", "unix:path=", "nonsense", ";", "unix:path=%zz", "unix:path=%00", "",
    ])
  func own(address: String) throws {
    #expect(refusal(address.replacing("OWN", with: folder.path)) == nil)
  }

  /// Gives a file to another user, which only root can do.
  ///
  /// - Returns: The text that the refusal must contain; `nil` when the file still belongs to this user.
  private func changeOwner(_ path: String) -> String? {
    unsafe chown(path, 65533, 65533) == 0 ? "65533" : nil
  }

  @Test(
    "Another user's socket is refused by name, at any position in the address",
    arguments: [
      "unix:path=BUS", "unix:path=BUS,guid=0", "unix:guid=0,path=BUS", "unix:path=/none;unix:path=BUS",
      "unix:path=BU%53",
    ])
  func ofAnother(address: String) throws {
    let bus = try folder.write("BUS", "")
    let owner = changeOwner(bus)
    let detail = refusal(address.replacing("BU", with: "\(folder.path)/BU"))
    #expect((detail == nil) == (owner == nil))
    if let detail, let owner { #expect(detail.contains(bus) && detail.contains(owner)) }
  }

  @Test("A bus in a folder of root's that may not be entered is root's; another one may be a proxy's")
  func ofRoot() {
    let isClosed = unsafe access("/root", X_OK) != 0
    let detail = refusal("unix:path=/root/bus")
    #expect((detail != nil) == isClosed)
    if let detail { #expect(detail.contains("root (0)")) }
    #expect(refusal("unix:path=/dev/null") == nil)
  }

  @Test("Without an address the bus in the runtime directory is used")
  func inRuntimeDirectory() throws {
    let bus = try folder.write("bus", "")
    #expect(refusal(nil, runtime: folder.path) == nil)
    let owner = changeOwner(bus)
    #expect((refusal(nil, runtime: folder.path) == nil) == (owner == nil))
    // GIO looks there for a variable that is not set, and not for one that is empty.
    #expect(refusal("", runtime: folder.path) == nil)
    #expect(refusal("unix:path=/none", runtime: folder.path) == nil)
  }
}
