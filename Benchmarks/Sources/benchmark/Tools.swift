// SPDX-License-Identifier: MIT

/// The programs beside the benchmark.
struct Tools: Sendable {
  /// Where `floor`, `launch` and `holder` were built.
  let programs: String
  /// The tool, built as it is installed.
  let tool: String
  /// The Python that has the peers' packages.
  let python: String
  /// The directory of the peers' scripts.
  let peers: String
  /// A directory for files that the programs read.
  let directory: String

  func peer(_ script: String) -> [String] { [python, "\(peers)/\(script)"] }

  /// A peer of Python at an operation.
  func peer(_ operation: String, _ group: SeededGroup) -> Program {
    Program(command: peer("worker.py") + [operation], subject: [group.file])
  }

  /// The C program at an operation.
  func floor(_ operation: String, _ items: [String]) -> Program {
    Program(command: ["\(programs)/floor", operation], subject: items)
  }

  /// A whole process, started anew for each run.
  func process(_ command: [String]) -> Program {
    Program(command: ["\(programs)/launch"], subject: command)
  }
}
