// SPDX-License-Identifier: MIT

import Foundation

/// A Secret Service with scripted faults; see `Scripts/support/mocks/mock-secret-service`.
actor MockService {
  static let shared = MockService()

  private var pipes: (input: FileHandle, output: FileHandle)?

  /// Removes everything; afterwards the service has gnome-keyring's own interface or not.
  func reset(isGnome: Bool) throws { try tell(["do": "reset", "gnome": isGnome]) }

  /// Takes a snapshot of everything that is stored.
  func snapshot() throws { try tell(["do": "snapshot"]) }

  /// Restores the snapshot for a kind of provider.
  func restore(isGnome: Bool) throws { try tell(["do": "restore", "gnome": isGnome]) }

  /// Locks every collection but login.
  func lock() throws { try tell(["do": "lock"]) }

  /// Changes the locked collections' passwords.
  func spoil() throws { try tell(["do": "spoil"]) }

  /// The methods called since the last request, in order.
  @discardableResult
  func calls() throws -> [String] { try tell(["do": "calls"]) as? [String] ?? [] }

  /// Sets a fault of a method.
  func begin(_ fault: Fault, of method: String, after count: Int = 0, seed: Int = 0) throws {
    try tell(["do": "fault", "method": method, "kind": fault.rawValue, "after": count, "seed": seed])
  }

  /// Waits until the method with the fault has been called.
  func waitUntilMet() async throws {
    while try !isMet() { try await Task.sleep(for: .milliseconds(2)) }
  }

  /// Returns whether the method with the fault has been called.
  func isMet() throws -> Bool { try tell(["do": "met"]) as? Bool ?? false }

  /// Ends the fault.
  func clear() throws { try tell(["do": "clear"]) }

  @discardableResult
  private func tell(_ command: [String: Any]) throws -> Any {
    let pipes = try started()
    try pipes.input.write(contentsOf: JSONSerialization.data(withJSONObject: command) + [UInt8(ascii: "\n")])
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let more = pipes.output.availableData
      if more.isEmpty { throw PrivateSession.Failed(description: "The mock service has ended.") }
      line += more
    }
    return try JSONSerialization.jsonObject(with: line, options: .fragmentsAllowed)
  }

  private func started() throws -> (input: FileHandle, output: FileHandle) {
    if let pipes { return pipes }
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(filePath: try PrivateSession.python)
    process.arguments = [
      URL(filePath: #filePath).appending(path: "../../../../Scripts/support/mocks/mock-secret-service")
        .standardized.path()
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let pipes = (input: input.fileHandleForWriting, output: output.fileHandleForReading)
    self.pipes = pipes
    return pipes
  }
}
