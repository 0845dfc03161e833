// SPDX-License-Identifier: MIT

/// What a search found.
struct FoundItems: Sendable {
  var unlocked: [ObjectPath] = []
  var locked: [ObjectPath] = []
  /// Locked collections that hide from a search what is in them.
  var hiding: [ObjectPath] = []

  /// Whether something could be there that was not found, or can't be read.
  var isIncomplete: Bool { !locked.isEmpty || !hiding.isEmpty }
}
