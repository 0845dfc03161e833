// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that reports who removed accounts or tokens of a group.
///
/// A removal is not a problem. It explains why the accounts or tokens are missing.
struct GroupWipeCheck: Sendable {
  let backend: SecretServiceBackend
  let inventory: GroupInventory

  static let name = "group-wipe"
  /// The number of apps that are named: any program may write names.
  private static let maximumApps = 5

  func run() async throws -> CheckResult {
    do {
      let wipe = try await WipeRecord.read(from: backend)
      let removals = [wipe?.description].compactMap(\.self) + signOuts
      return .ok(
        removals.isEmpty
          ? "No app has recorded a removal of its accounts or tokens. Other programs record none."
          : removals.joined(separator: " "))
    } catch SecretStoreError.Code.corruptItem {
      return .skipped("the note of it can't be read")
    }
  }

  /// A sentence for each app that removed tokens by signing out, those of the newest first.
  private var signOuts: [String] {
    var byApp: [String: (accounts: Set<String>, date: Date)] = [:]
    for item in inventory.items(.credentials) + inventory.items(.legacy) {
      guard let key = item.key, let document = item.document, let signOut = document.metadata.signOut else {
        continue
      }
      let known = byApp[signOut.app]
      let account = document.adalToken?.userID ?? key.account
      byApp[signOut.app] = (
        (known?.accounts ?? []).union([account]), max(known?.date ?? .distantPast, signOut.date)
      )
    }
    return byApp.sorted { ($1.value.date, $0.key) < ($0.value.date, $1.key) }.prefix(Self.maximumApps).map {
      "\($0.key) signed \(Quantity.of($0.value.accounts.count, "account")) out, last on"
        + " \($0.value.date.formatted(.iso8601))."
    }
  }
}
