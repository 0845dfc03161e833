// SPDX-License-Identifier: MIT

/// A process of this system, as its files in `/proc` describe it (proc(5)).
package struct SystemProcess: Sendable {
  package let identifier: Int

  package init(_ identifier: Int) { self.identifier = identifier }

  /// The name of the process, truncated by the kernel; `nil` when the process does not exist.
  ///
  /// A process chooses its own name.
  package var name: String? { FileReader.text("/proc/\(identifier)/comm") }

  /// Whether a signal has stopped the process: the state `T`.
  package var isStopped: Bool {
    let state = FileReader.text("/proc/\(identifier)/stat")?.split(separator: ")").last
    return state?.split(separator: " ").first == "T"
  }
}
