// SPDX-License-Identifier: MIT

import CLibSecret

/// Work that waits for its time on the GLib thread.
struct GLibTimer: Sendable {
  private let identifier: guint

  init(_ identifier: guint) { self.identifier = identifier }

  /// Stops the timer; harmless when it has run.
  func cancel() { GLibThread.shared.detach(identifier) }
}
