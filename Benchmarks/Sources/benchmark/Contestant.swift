// SPDX-License-Identifier: MIT

/// Who does a work: the library in this process, or a program.
struct Contestant: Sendable {
  /// The table's name for it.
  let name: String
  let target: Target?
  /// What each of the runs of one turn took, in nanoseconds, or what it takes of memory, in kB.
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
