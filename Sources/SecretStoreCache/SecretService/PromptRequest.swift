// SPDX-License-Identifier: MIT

/// What a person is asked for by a dialog of the Secret Service.
enum PromptRequest: Hashable, Sendable {
  case unlock(ObjectPath)
  case create(String)
  case delete(ObjectPath)
}
