// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

extension Caller {
  /// The group of `/.flatpak-info` that states what the app may use.
  ///
  /// `flatpak build-finish --add-policy=SecretStoreCache.groups=…` writes it into the app's metadata, and Flatpak
  /// copies it from there.
  static let policy = "SecretStoreCache"

  /// Reads the content of `/.flatpak-info`, a GLib key file that Flatpak writes.
  ///
  /// Every policy is a list, also that of the publisher.
  ///
  /// - Throws: `identityMismatch` when the content is not a key file, names no valid app, or states several publishers.
  init(flatpakInfo bytes: [UInt8]) throws(SecretStoreError) {
    // GLib ends a text at a zero byte.
    guard !bytes.contains(0), let file = try? KeyFile(parsing: bytes), !file.has(group: "Runtime"),
      let name = try? file.string("name", in: "Application"), let app = try? AppIdentifier(name),
      app.hasFlatpakForm
    else {
      throw SecretStoreError(
        .identityMismatch, "The calling process is in a Flatpak, and its /.flatpak-info names no app.")
    }
    let group = "Policy \(Self.policy)"
    let groups: [String]
    let publishers: [String]
    do throws(BusError) {
      groups = try file.list("groups", in: group) ?? []
      publishers = try file.list("publisher", in: group) ?? []
    } catch {
      throw SecretStoreError(.identityMismatch, "The policy \(Self.policy) of \(app) can't be read.")
    }
    guard publishers.count <= 1 else {
      throw SecretStoreError(
        .identityMismatch, "The policy \(Self.policy) of \(app) states several publishers.")
    }
    self = .flatpak(app, groups: groups, publisher: publishers.first)
  }
}

extension AppIdentifier {
  /// The parts of the identifier between the dots.
  var labels: [Substring] { name.split(separator: ".", omittingEmptySubsequences: false) }

  /// Whether the identifier has three labels or more and none is empty, which Flatpak requires.
  ///
  /// No snap has such an identifier.
  fileprivate var hasFlatpakForm: Bool { labels.count >= 3 && !labels.contains("") }
}
