// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel
public import TokenCacheModel
import UnifiedCache

extension KeychainView {
  /// Records who removed accounts and tokens from the group, and when.
  ///
  /// The wipe record explains the next missing token, in ``TokenCache`` too. The removal of a refresh token writes
  /// it automatically.
  ///
  /// - Parameters:
  ///   - name: The name to record; `nil` for the app's name, or the process name when no app is acting.
  ///   - date: The time of the removal; `nil` for now.
  ///   - isEverything: Whether all accounts and tokens of the group were removed, not just single tokens.
  /// - Throws: `corruptItem` when the previous wipe record can't be read, and errors of the back end.
  public func saveWipeInfo(by name: String? = nil, at date: Date? = nil, isEverything: Bool = false)
    async throws
  {
    let name = name ?? app?.name ?? ProcessInfo.processInfo.processName
    try await WipeRecord(app: name, date: date ?? clock.now(), isEverything: isEverything).write(to: backend)
  }

  /// Reads who last removed accounts and tokens from the group, and when.
  ///
  /// - Returns: The wipe record, or `nil` when there is none.
  /// - Throws: `corruptItem` when the wipe record can't be read, and errors of the back end.
  public func wipeInfo() async throws -> WipeRecord? { try await WipeRecord.read(from: backend) }

  /// Records that a refresh token was removed.
  ///
  /// The token is already removed, so an error in writing the wipe record is ignored.
  func noteRemoval() async { try? await saveWipeInfo() }
}
