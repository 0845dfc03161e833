// SPDX-License-Identifier: MIT

import ArgumentParser

/// What is measured: the work that the project states figures for.
enum Work: String, CaseIterable, ExpressibleByArgument, Sendable {
  case coldLookUp, repeatedLookUp, warmLookUp, firstSave, save, saveFamily, list, tool, memory, ownMemory

  /// The table's name for it.
  var title: String {
    switch self {
    case .coldLookUp: "silent look-up, cold on an open connection"
    case .repeatedLookUp: "silent look-up, repeated, strict"
    case .warmLookUp: "silent look-up, warm (`keepsMirror`)"
    case .firstSave: "save a response, new account"
    case .save: "save a response, known account"
    case .saveFamily: "save a response with a family token"
    case .list: "list accounts, cold"
    case .tool: "`sso-cache token`, the whole process"
    case .memory: "memory of a process that holds all accounts"
    case .ownMemory: "what of it no other process can share"
    }
  }

  /// Whether it is measured in kB, and not in nanoseconds.
  var isMemory: Bool { self == .memory || self == .ownMemory }

  /// Those that the plot of the growth shows.
  static let growing: [Work] = [.coldLookUp, .save, .list]
}
