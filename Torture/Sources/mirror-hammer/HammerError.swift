// SPDX-License-Identifier: MIT

/// Why a hammer can't go on.
struct HammerError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
