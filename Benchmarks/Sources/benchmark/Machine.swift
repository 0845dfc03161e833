// SPDX-License-Identifier: MIT

import Foundation
import Subprocess
import SystemPackage

/// The machine on which the measurements were made.
enum Machine {
  /// Returns the processor, its cores, and the versions of the measured software.
  static func describe(python: String) async throws -> String {
    let keyring = try await output(of: "gnome-keyring-daemon", "--version").last ?? "?"
    let libraries = try await ["libsecret-1", "glib-2.0"].asyncMap {
      "\($0) \(try await output(of: "pkg-config", "--modversion", $0).first ?? "?")"
    }
    let swift = try await output(of: "swift", "--version").joined(separator: " ").firstMatch(
      of: /Swift version [0-9.]+/)
    let packages = try await output(of: python, "-c", Self.packages).joined(separator: " ")
    let cores = ProcessInfo.processInfo.activeProcessorCount
    return """
      \(processor), \(cores) cores, \(ProcessInfo.processInfo.physicalMemory >> 30) GiB; \
      \(system), Linux \(try await output(of: "uname", "-r").first?.split(separator: "-").first ?? "?"); \
      \(swift.map { String($0.output) } ?? "Swift"); gnome-keyring \(keyring); \
      \(libraries.joined(separator: ", ")); \(packages).
      """
  }

  /// The load average of the last minute.
  static var load: String {
    let text = (try? String(contentsOfFile: "/proc/loadavg", encoding: .utf8)) ?? ""
    return text.split(separator: " ").first.map(String.init) ?? "?"
  }

  /// A Python program that prints the versions of the peers.
  private static let packages = """
    import platform, importlib.metadata as m
    names = ["msal", "msal-extensions", "SecretStorage", "keyring", "PyGObject", "jeepney", "cryptography"]
    print("Python", platform.python_version() + ",", ", ".join(f"{n} {m.version(n)}" for n in names))
    """

  private static var processor: String {
    value("model name", in: "/proc/cpuinfo", separator: ":") ?? "unknown processor"
  }

  private static var system: String {
    value("PRETTY_NAME", in: "/etc/os-release", separator: "=")?.replacing("\"", with: "") ?? "Linux"
  }

  private static func value(_ name: String, in file: String, separator: Character) -> String? {
    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(separator: separator).last?.trimmingCharacters(in: .whitespaces)
  }

  /// Returns the words of the first line that a program prints.
  private static func output(of program: String, _ arguments: String...) async throws -> [String] {
    let executable: Executable = program.contains("/") ? .path(.init(program)) : .name(program)
    let result = try await run(
      executable, arguments: Arguments(arguments), output: .string(limit: 10_000), error: .discarded)
    return result.standardOutput.split(separator: "\n").first?.split(separator: " ").map(String.init) ?? []
  }
}

extension Sequence {
  fileprivate func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
