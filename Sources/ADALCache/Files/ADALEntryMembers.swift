// SPDX-License-Identifier: MIT

import FoundationEssentials
import StrictJSON

/// The members of a JSON entry; errors name a member but never show its value.
struct ADALEntryMembers {
  let object: JSONObject

  init(_ value: JSONValue?) throws(ADALEntryProblem) {
    guard let object = value?.objectValue else { throw ADALEntryProblem("is not an object") }
    self.object = object
  }

  /// Returns a string member; an empty string and `null` count as absent.
  func text(_ name: String) throws(ADALEntryProblem) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.isEmpty ? nil : text
    default: throw ADALEntryProblem("has a \(name) that is not text")
    }
  }

  /// Returns a Boolean member; `null` counts as absent.
  func bool(_ name: String) throws(ADALEntryProblem) -> Bool? {
    switch object[name] {
    case nil, .null?: return nil
    case .bool(let bool)?: return bool
    default: throw ADALEntryProblem("has a \(name) that is neither true nor false")
    }
  }

  /// Returns the members of an object member; `null` counts as absent.
  func members(_ name: String) throws(ADALEntryProblem) -> ADALEntryMembers? {
    switch object[name] {
    case nil, .null?: return nil
    case .object(let object)?: return try ADALEntryMembers(.object(object))
    default: throw ADALEntryProblem("has a \(name) that is not an object")
    }
  }
}
