// SPDX-License-Identifier: MIT

import KeychainGroupModel

extension SecretServiceClient {
  /// Runs a change of a group and tells those who watch it, also when nobody knows whether it was done.
  func telling<Outcome>(
    changeOf group: AccessGroup, _ change: () async throws -> Outcome
  ) async throws -> Outcome {
    do {
      let outcome = try await change()
      await tellChange(of: group)
      return outcome
    } catch {
      await tellChange(of: group)
      throw error
    }
  }

  /// Tells whoever watches a group that it has changed.
  ///
  /// That is a courtesy and never fails, and is not left out when the task is cancelled: what was written is written.
  /// Without a connection nothing was.
  private func tellChange(of group: AccessGroup) async {
    guard let live else { return }
    try? await live.tellChange(of: group.description)
  }
}
