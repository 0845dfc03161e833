// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel

extension AppSecrets {
  /// Returns whether the group can store secrets: writes one, reads it back and removes it.
  ///
  /// ``checkAccess(to:)`` throws the reason when it can't.
  ///
  /// - Parameter group: The group's name; `nil` for the app's default group.
  public func canAccess(_ group: String? = nil) async -> Bool {
    do {
      try await checkAccess(to: group)
      return true
    } catch {
      return false
    }
  }

  /// Checks that the group can store secrets: writes one, reads it back and removes it.
  ///
  /// - Parameter group: The group's name; `nil` for the app's default group.
  /// - Throws: The reason why it can't: `groupLocked`, `serviceUnavailable`, `storageFailed` and so on.
  public func checkAccess(to group: String? = nil) async throws {
    let (service, probe) = ("org.secretstorecache.access-check", Secret("\(UUID())"))
    let account = "\(UUID())"
    let group = try target(group).group.name
    try await set(probe, service: service, account: account, label: "Access check", in: group)
    let read = try await get(service: service, account: account, from: group)
    try await remove(service: service, account: account, from: group)
    guard read == probe else {
      throw SecretStoreError(.storageFailed, "What was written to the group could not be read back.")
    }
  }
}
