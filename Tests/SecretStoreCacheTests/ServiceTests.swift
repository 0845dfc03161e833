// SPDX-License-Identifier: MIT

import Testing

/// All tests that share the session's keyring daemon: one at a time, since some of them restart it.
///
/// They run on gnome-keyring, but for the suites named below.
@Suite("On a real Secret Service", .serialized)
enum ServiceTests {
  /// What must hold on gnome-keyring, KWallet and KeePassXC.
  @Suite("On every provider", .serialized)
  enum EveryProvider {}

  /// What KWallet alone does, and so not run elsewhere.
  @Suite("On KWallet", .serialized)
  enum KWallet {}

  /// What KeePassXC alone does, and so not run elsewhere.
  @Suite("On KeePassXC", .serialized)
  enum KeePassXC {}
}
