// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache

extension Caller {
  /// Reads the content of `/.flatpak-info`, a GLib key file that Flatpak writes.
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
    guard let stated = try? FlatpakMetadata.policy(in: file) else {
      throw SecretStoreError(
        .identityMismatch, "The policy \(FlatpakMetadata.policy) of \(app) can't be read.")
    }
    guard stated.publishers.count <= 1 else {
      throw SecretStoreError(
        .identityMismatch, "The policy \(FlatpakMetadata.policy) of \(app) states several publishers.")
    }
    self = .flatpak(app, groups: stated.groups, publisher: stated.publishers.first)
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
