// SPDX-License-Identifier: MIT

import Foundation

/// The Secret Service that misbehaves as it is told; see `Scripts/support/mock-secret-service`.
actor MockService {
  static let shared = MockService()

  private var pipes: (input: FileHandle, output: FileHandle)?

  /// Forgets everything, and offers gnome-keyring's own interface or not.
  func reset(isGnome: Bool) throws { try tell(["do": "reset", "gnome": isGnome]) }

  /// Keeps all that is stored.
  func snapshot() throws { try tell(["do": "snapshot"]) }

  /// Brings back what was kept for a kind of provider.
  func restore(isGnome: Bool) throws { try tell(["do": "restore", "gnome": isGnome]) }

  /// Locks every collection but login.
  func lock() throws { try tell(["do": "lock"]) }

  /// Changes the locked collections' passwords.
  func spoil() throws { try tell(["do": "spoil"]) }

  /// The methods that were called since the last time, in order.
  @discardableResult
  func calls() throws -> [String] { try tell(["do": "calls"]) as? [String] ?? [] }

  /// From now on, a method has a fault.
  func begin(_ fault: Fault, of method: String, after count: Int = 0, seed: Int = 0) throws {
    try tell(["do": "fault", "method": method, "kind": fault.rawValue, "after": count, "seed": seed])
  }

  /// Waits until the method with the fault has been called.
  func waitUntilMet() async throws {
    while try tell(["do": "met"]) as? Bool == false { try await Task.sleep(for: .milliseconds(2)) }
  }

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
      URL(filePath: #filePath).appending(path: "../../../../Scripts/support/mock-secret-service").standardized
        .path()
    ]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    let pipes = (input: input.fileHandleForWriting, output: output.fileHandleForReading)
    self.pipes = pipes
    return pipes
  }
}
