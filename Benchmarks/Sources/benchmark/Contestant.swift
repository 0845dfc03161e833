// SPDX-License-Identifier: MIT

/// One of the compared implementations: the library in this process, or a program.
struct Contestant: Sendable {
  /// The name in the table.
  let name: String
  let target: Target?
  /// Runs one turn and returns the time of each run in nanoseconds, or the memory in kB.
  let turn: @Sendable (Limit) async throws -> [Double]

  init(_ name: String, target: Target? = nil, turn: @escaping @Sendable (Limit) async throws -> [Double]) {
    self.name = name
    self.target = target
    self.turn = turn
  }

  init(_ name: String, target: Target? = nil, _ program: Program) {
    self.init(name, target: target) { try await program.times($0) }
  }
}
