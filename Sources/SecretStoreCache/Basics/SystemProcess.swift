// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc

/// A process of this system, as its files in `/proc` describe it (proc(5)).
package struct SystemProcess: Sendable {
  package let identifier: Int
  private let folder: String

  /// Describes a process.
  ///
  /// - Parameter processes: The folder `/proc`.
  package init(_ identifier: Int, in processes: String = "/proc") {
    self.identifier = identifier
    folder = "\(processes)/\(identifier)"
  }

  /// The name of the process, truncated by the kernel; `nil` when the process does not exist.
  ///
  /// A process chooses its own name.
  package var name: String? { FileReader.text("\(folder)/comm") }

  /// Returns whether a name, as the kernel truncates it, is that of a program, or of one that NixOS has wrapped.
  package static func isName(_ name: String?, of program: String) -> Bool {
    [program, ".\(program)-wrapped"].contains { $0.prefix(15) == name ?? "" }
  }

  /// The environment variables that the process was started with; `nil` where they can't be read, as those of a program
  /// with file capabilities.
  ///
  /// They are empty while the process is starting or exiting, and when there is none.
  package var environment: [String: String]? {
    let file = unsafe open("\(folder)/environ", O_RDONLY | O_CLOEXEC)
    if file < 0 { return errno == EACCES ? nil : [:] }
    close(file)
    let pairs = FileReader.text("\(folder)/environ")?.split(separator: "\0") ?? []
    let known = pairs.map { $0.split(separator: "=", maxSplits: 1) }.filter { $0.count == 2 }
    return Dictionary(known.map { (String($0[0]), String($0[1])) }) { first, _ in first }
  }

  /// Whether a signal or a debugger has stopped the process: the states `T` and `t`.
  package var isStopped: Bool { ["T", "t"].contains(status?.first) }

  /// The process, as a debugger, that has stopped this one; `nil` where none has.
  package var debugger: Int? {
    guard status?.first == "t" else { return nil }
    let line = (FileReader.text("\(folder)/status") ?? "").split(whereSeparator: \.isNewline)
      .first { $0.hasPrefix("TracerPid:") }
    return line?.split(separator: "\t").last.flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Whether there is no such process any more, but perhaps its entry: the states `Z` and `X`.
  package var hasEnded: Bool { ["Z", "X", nil].contains(status?.first) }

  /// Returns whether the process holds a lock by flock(2) on a file; `false` also where that can't be seen.
  ///
  /// - Parameter file: The file's path, without links.
  func holdsLock(on file: String) -> Bool {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")) ?? []
    return open.contains {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/fd/\($0)")) == file
        && FileReader.text("\(folder)/fdinfo/\($0)")?.split(whereSeparator: \.isNewline)
          .contains { $0.hasPrefix("lock:") && $0.contains(" FLOCK ") } == true
    }
  }

  /// All processes that this one can see.
  static func all() -> [SystemProcess] {
    ((try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []).compactMap { Int($0) }.sorted()
      .map { SystemProcess($0) }
  }

  /// Whether the process has as many files open as its limit lets it; `false` also where that can't be seen.
  package var hasNoFreeDescriptor: Bool {
    let limits = FileReader.text("\(folder)/limits") ?? ""
    let line = limits.split(whereSeparator: \.isNewline).first { $0.hasPrefix("Max open files") }
    guard let limit = line?.split(separator: " ").dropFirst(3).first.flatMap({ Int($0) }),
      let open = try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/fd")
    else { return false }
    return open.count >= limit
  }

  /// The parent of the process; `nil` when there is no such process.
  package var parent: Int? { status.flatMap { $0.count > 1 ? Int($0[1]) : nil } }

  /// When the process started, in ticks since the system did: the field 22 of `stat`; `nil` when there is no such
  /// process.
  package var startTime: String? { status.flatMap { $0.count > 19 ? String($0[19]) : nil } }

  /// How long ago the process started, in seconds; `nil` when there is no such process.
  package var age: Int? {
    guard let ticks = startTime.flatMap({ Int($0) }) else { return nil }
    var now = timespec()
    guard unsafe clock_gettime(CLOCK_BOOTTIME, &now) == 0 else { return nil }
    return now.tv_sec - ticks / sysconf(Int32(_SC_CLK_TCK))
  }

  /// The fields of `stat` from the third on.
  private var status: [Substring]? {
    // The name, in parentheses, may hold any character.
    guard let text = FileReader.text("\(folder)/stat"), let end = text.lastIndex(of: ")") else { return nil }
    return text[text.index(after: end)...].split(separator: " ")
  }
}
