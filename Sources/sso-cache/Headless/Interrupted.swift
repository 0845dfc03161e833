// SPDX-License-Identifier: MIT

/// A signal asked to end before the command was started.
struct Interrupted: Error {
  let signal: Int32
}
