// SPDX-License-Identifier: MIT

import FoundationEssentials

/// Reads the members of an entry that is JSON, with problems that name the member and not its value.
struct ADALEntryMembers {
  let object: JSONObject

  init(_ value: JSONValue?) throws(ADALEntryProblem) {
    guard let object = value?.objectValue else { throw ADALEntryProblem("is not an object") }
    self.object = object
  }

  /// A text; an empty one and `null` count as absent.
  func text(_ name: String) throws(ADALEntryProblem) -> String? {
    switch object[name] {
    case nil, .null?: return nil
    case .string(let text)?: return text.isEmpty ? nil : text
    default: throw ADALEntryProblem("has a \(name) that is not text")
    }
  }

  /// A truth value.
  func bool(_ name: String) throws(ADALEntryProblem) -> Bool? {
    switch object[name] {
    case nil, .null?: return nil
    case .bool(let bool)?: return bool
    default: throw ADALEntryProblem("has a \(name) that is neither true nor false")
    }
  }

  /// The members of a member.
  func members(_ name: String) throws(ADALEntryProblem) -> ADALEntryMembers? {
    switch object[name] {
    case nil, .null?: return nil
    case .object(let object)?: return try ADALEntryMembers(.object(object))
    default: throw ADALEntryProblem("has a \(name) that is not an object")
    }
  }
}
