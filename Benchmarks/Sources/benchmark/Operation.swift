// SPDX-License-Identifier: MIT

import ArgumentParser

/// What is measured: the operations that the project states figures for.
enum Operation: String, CaseIterable, ExpressibleByArgument {
  case coldLookUp, repeatedLookUp, list, save, saveFamily, firstSave

  /// The table's name for it.
  var title: String {
    switch self {
    case .coldLookUp: "silent look-up, cold on an open connection"
    case .repeatedLookUp: "silent look-up, repeated"
    case .list: "list accounts"
    case .save: "save a response, known account"
    case .saveFamily: "save a response with a family token"
    case .firstSave: "save a response, new account"
    }
  }

  /// The operation of the `floor` program that makes the same calls.
  var floorName: String {
    switch self {
    case .coldLookUp, .list: "look-up"
    case .repeatedLookUp: "read"
    case .save, .saveFamily: "save"
    case .firstSave: "create"
    }
  }

  /// Whether it writes; then it takes milliseconds and is run less often.
  var writes: Bool {
    switch self {
    case .coldLookUp, .repeatedLookUp, .list: false
    case .save, .saveFamily, .firstSave: true
    }
  }
}
