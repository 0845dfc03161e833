// SPDX-License-Identifier: MIT

/// How a prompt of the Secret Service ended.
enum PromptOutcome: Sendable, Hashable {
  /// It was done; an item or a collection that was made comes with it.
  case done(ObjectPath?)
  /// It was refused, by a person or by the provider, which may have left something half made.
  case refused(ObjectPath?)
}
