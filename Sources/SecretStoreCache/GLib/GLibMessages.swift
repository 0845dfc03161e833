// SPDX-License-Identifier: MIT

import CLibSecret

/// The messages that GLib writes for developers, as with `G_MESSAGES_DEBUG`.
package enum GLibMessages {
  /// Makes GLib write all of them to standard error.
  ///
  /// By default it writes those of the lower levels to standard output, into what another program reads there.
  package static func useStandardError() { g_log_writer_default_set_use_stderr(1) }
}
