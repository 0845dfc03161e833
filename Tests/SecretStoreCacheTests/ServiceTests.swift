// SPDX-License-Identifier: MIT

import Testing

/// All tests that share the session's keyring daemon: one at a time, since some of them restart it.
@Suite("On a real gnome-keyring", .serialized)
enum ServiceTests {}
