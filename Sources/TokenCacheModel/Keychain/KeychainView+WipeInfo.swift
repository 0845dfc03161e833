// SPDX-License-Identifier: MIT

public import FoundationEssentials
import KeychainGroupModel

extension KeychainView {
  /// Notes who removed accounts and tokens of the group, and when.
  ///
  /// It explains the next missing token, to ``TokenCache`` as well. Removing a refresh token notes it without being
  /// told.
  ///
  /// - Parameters:
  ///   - name: Who did it, as the note will say; the app, or the process when no app is acting, when `nil`.
  ///   - date: When it was; now when `nil`.
  ///   - isEverything: Whether all accounts and tokens of the group were removed, rather than single tokens.
  /// - Throws: `corruptItem` when the note before it can't be read, and whatever the back end throws.
  public func saveWipeInfo(by name: String? = nil, at date: Date? = nil, isEverything: Bool = false)
    async throws
  {
    let name = name ?? app?.name ?? ProcessInfo.processInfo.processName
    try await WipeRecord(app: name, date: date ?? clock.now(), isEverything: isEverything).write(to: backend)
  }

  /// Who removed accounts and tokens of the group last, and when.
  ///
  /// - Returns: The note, or `nil` when nobody did.
  /// - Throws: `corruptItem` when the note can't be read, and whatever the back end throws.
  public func wipeInfo() async throws -> WipeRecord? { try await WipeRecord.read(from: backend) }

  /// Notes that a refresh token was removed.
  ///
  /// The removal has been done by then: whoever asked for it is not told when the note can't be written.
  func noteRemoval() async { try? await saveWipeInfo() }
}
