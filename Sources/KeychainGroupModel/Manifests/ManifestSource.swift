// SPDX-License-Identifier: MIT

/// Where `.desktop` files are found: what the rules of manifests need to know of the system.
public protocol ManifestSource: Sendable {
  /// The files, those that come first in the desktop's order first: `XDG_DATA_HOME`, then `XDG_DATA_DIRS`.
  func manifestFiles() -> [ManifestFile]
}
