// SPDX-License-Identifier: MIT

import FoundationEssentials

/// The environment of this process.
enum ProcessEnvironment {
  static var current: [String: String] { ProcessInfo.processInfo.environment }
}
