// SPDX-License-Identifier: MIT

import Foundation
import Testing
import TokenCacheModel

@testable import SecretStoreCache

/// A keyring in gnome-keyring's plain-text format, written while the daemon is stopped.
///
/// This puts thousands of items into a collection within a second. Through the bus the time grows with the
/// square of their number.
struct PlainKeyring {
  private var text: String
  private var count = 0

  init(label: String) {
    text = "[keyring]\ndisplay-name=\(label)\nctime=0\nmtime=0\nlock-on-idle=false\nlock-after=false\n"
  }

  mutating func add(label: String, attributes: [String: String], secret: String) {
    count += 1
    text += "\n[\(count)]\nitem-type=0\ndisplay-name=\(label)\nmtime=1\nctime=1\n"
    text += "secret=\(Self.escaped(secret))\n"
    for (place, attribute) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
      text += "\n[\(count):attribute\(place)]\nname=\(attribute.key)\ntype=string\nvalue=\(attribute.value)\n"
    }
  }

  /// Adds the keyring to the session while `body` runs.
  ///
  /// The daemon restarts before and after.
  func loaded(as name: String, _ body: () async throws -> Void) async throws {
    let home = ProcessInfo.processInfo.environment["XDG_DATA_HOME"] ?? ""
    let file = URL(filePath: home).appending(path: "keyrings/\(name).keyring")
    try await restarting { try Data(text.utf8).write(to: file) }
    let outcome: Result<Void, any Error>
    do {
      // It has no password: no dialog is shown.
      try await ServiceSupport.python(
        """
        for collection in secretstorage.get_all_collections(connection):
            if collection.get_label() == sys.argv[1]:
                assert not collection.unlock(), "dismissed"
        """, name)
      try await protect(name)
      outcome = .success(try await body())
    } catch {
      outcome = .failure(error)
    }
    // The daemon is slow while it holds so many items.
    try await restarting { try FileManager.default.removeItem(at: file) }
    try outcome.get()
  }

  /// Gives the collection a password, because a group's own collection always has one.
  private func protect(_ name: String) async throws {
    let collection = try #require(GnomeKeyringFile(label: name).collection)
    let client = SecretServiceClient()
    try await client.perform { handle in
      try await handle.call(
        .waited, path: .service, interface: ServiceHandle.gnomeInterface, method: "ChangeWithMasterPassword",
        arguments: {
          [try .path(collection), try handle.encode(Secret("")), try handle.encode(Secret("large"))]
        }, reply: "()", read: { _ in })
    }
  }

  private func restarting(_ body: () throws -> Void) async throws {
    try await PrivateSession.keyring("stop")
    try body()
    try await PrivateSession.keyring("start")
  }

  /// A value of a key file (GLib's `GKeyFile`): a backslash is doubled.
  private static func escaped(_ text: String) -> String { text.replacing("\\", with: "\\\\") }
}
