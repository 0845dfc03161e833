// SPDX-License-Identifier: MIT

import Foundation
import Subprocess

/// What the figures were taken on.
enum Machine {
  /// One line: the processor, its cores, and the versions of what was measured against.
  static func describe() async throws -> String {
    let libsecret = try await output(of: "pkg-config", "--modversion", "libsecret-1")
    let keyring = try await output(of: "gnome-keyring-daemon", "--version").split(separator: " ").last ?? "?"
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return "\(processor), \(cores) cores; libsecret \(libsecret), gnome-keyring \(keyring)."
  }

  private static var processor: String {
    let information = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = information.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces) ?? "unknown processor"
  }

  /// The first line that a program prints.
  private static func output(of program: String, _ arguments: String...) async throws -> String {
    let result = try await run(
      .name(program), arguments: Arguments(arguments), output: .string(limit: 10_000))
    return result.standardOutput.split(separator: "\n").first.map(String.init) ?? "?"
  }
}
