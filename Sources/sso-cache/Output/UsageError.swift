// SPDX-License-Identifier: MIT

import ArgumentParser

/// The message of the argument parser: requested help, or an error of the command line with the command's usage.
struct UsageError {
  let status: Int32
  /// The error, in one or two sentences.
  let detail: String
  /// The complete message.
  let text: String
  /// The command that prints the help.
  let remedy: String

  /// Creates the message.
  ///
  /// - Parameters:
  ///   - command: The command that failed.
  ///   - tool: The root command.
  init(_ error: any Error, of command: any ParsableCommand.Type, in tool: any ParsableCommand.Type) {
    status = tool.exitCode(for: error).rawValue
    let hint = CommandHint.text(for: Invocation.arguments, in: tool).map { " \($0)" } ?? ""
    detail = tool.message(for: error) + hint
    let usage = tool.usageString(for: command)
    let name = Self.name(in: usage)
    remedy = "See \(name) --help."
    let isOwnError = error is ValidationError && ObjectIdentifier(command) != ObjectIdentifier(tool)
    if isOwnError {
      text = "Error: \(detail)\nUsage: \(usage)\n  See '\(name) --help' for more information."
    } else {
      let full = tool.fullMessage(for: error)
      text =
        hint.isEmpty
        ? full : full.replacing(tool.message(for: error), with: detail, maxReplacements: 1)
    }
  }

  /// Returns the words of the command, with which its usage begins.
  private static func name(in usage: String) -> String {
    let words = usage.split(separator: "\n").first.map { $0.split(separator: " ") } ?? []
    return words.drop { $0.hasSuffix(":") }.prefix { $0.first?.isLetter == true }.joined(separator: " ")
  }
}
