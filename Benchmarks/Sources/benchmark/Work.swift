// SPDX-License-Identifier: MIT

import ArgumentParser

/// The measured works, for which the project publishes figures.
enum Work: String, CaseIterable, ExpressibleByArgument, Sendable {
  case coldLookUp, repeatedLookUp, warmLookUp, firstSave, save, saveFamily, list, importing
  case tool, memory, ownMemory

  /// The name in the table.
  var title: String {
    switch self {
    case .coldLookUp: "silent look-up, cold on an open connection"
    case .repeatedLookUp: "silent look-up, repeated, strict"
    case .warmLookUp: "silent look-up, warm (`cachesRecords`)"
    case .firstSave: "save a response, new account"
    case .save: "save a response, known account"
    case .saveFamily: "save a response with a family token"
    case .list: "list accounts, cold"
    case .importing: "import a cache of this many accounts"
    case .tool: "`sso-cache token`, the whole process"
    case .memory: "memory of a process that holds all accounts"
    case .ownMemory: "what of it no other process can share"
    }
  }

  /// Whether the values are kB instead of nanoseconds.
  var isMemory: Bool { self == .memory || self == .ownMemory }

  /// The works that the plot of the growth shows.
  static let growing: [Work] = [.coldLookUp, .save, .list]
}
