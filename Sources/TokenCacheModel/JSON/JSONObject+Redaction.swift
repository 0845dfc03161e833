// SPDX-License-Identifier: MIT

extension JSONObject: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A redacted text: the number of members, without any key or value.
  public var description: String { "object(\(count) \(count == 1 ? "member" : "members"))" }

  /// A redacted text: the number of members, without any key or value.
  public var debugDescription: String { description }

  /// A mirror without children, so that `dump` shows no key or value.
  public var customMirror: Mirror { Mirror(self, children: [], displayStyle: .struct) }
}
