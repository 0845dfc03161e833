// SPDX-License-Identifier: MIT

/// The programs that the benchmark runs.
struct Tools: Sendable {
  /// The directory in which `floor`, `launch` and `holder` were built.
  let programs: String
  /// The tool `sso-cache`, built as for an installation.
  let tool: String
  /// The Python that has the peers' packages.
  let python: String
  /// The directory of the peers' scripts.
  let peers: String
  /// A directory for files that the programs read.
  let directory: String

  func peer(_ script: String) -> [String] { [python, "\(peers)/\(script)"] }

  /// Returns an operation of a Python peer.
  func peer(_ operation: String, _ group: SeededGroup) -> Program {
    Program(command: peer("worker.py") + [operation], subject: [group.file])
  }

  /// Returns an operation of the C program.
  func floor(_ operation: String, _ items: [String]) -> Program {
    Program(command: ["\(programs)/floor", operation], subject: items)
  }

  /// Returns a program that starts a new process for each run.
  func process(_ command: [String]) -> Program {
    Program(command: ["\(programs)/launch"], subject: command)
  }
}
