// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// Runs a change of a group and then signals it to those who watch the group.
  ///
  /// The signal is sent even when the change throws, since the change may have been made nevertheless.
  func signalingChange<Outcome>(
    of group: AccessGroup, _ change: () async throws -> Outcome
  ) async throws -> Outcome {
    do {
      let outcome = try await change()
      await signalChange(of: group)
      return outcome
    } catch {
      await signalChange(of: group)
      throw error
    }
  }

  /// Signals to those who watch a group that it has changed.
  ///
  /// The signal is a best effort and never fails. It is sent even when the task is cancelled, since the write is
  /// already made. Without a connection nothing was written, and nothing is sent.
  private func signalChange(of group: AccessGroup) async {
    guard let live else { return }
    try? await live.signalChange(of: group.qualifiedName)
  }
}
