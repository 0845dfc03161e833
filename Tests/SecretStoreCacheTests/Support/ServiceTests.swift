// SPDX-License-Identifier: MIT

import Testing

/// All tests that share the session's keyring daemon.
///
/// They run one at a time, because some of them restart the daemon. They run on gnome-keyring, except for the suites
/// below.
@Suite("On a real Secret Service", .serialized)
enum ServiceTests {
  /// Rules that hold on gnome-keyring, KWallet and KeePassXC.
  @Suite("On every provider", .serialized)
  enum EveryProvider {}

  /// Behaviour of KWallet only.
  @Suite("On KWallet", .serialized)
  enum KWallet {}

  /// Behaviour of KeePassXC only.
  @Suite("On KeePassXC", .serialized)
  enum KeePassXC {}

  /// Dialogs of gnome-keyring; a ``MockPrompter`` completes them.
  @Suite("Dialogs of gnome-keyring", .serialized)
  enum Prompts {}

  /// Errors of the service that no real provider produces on demand; a ``MockService`` produces them.
  @Suite("With a mock service", .serialized)
  enum Faults {}

  /// The agent, which the session's bus starts.
  @Suite("Over the agent", .serialized)
  enum Agent {}
}
