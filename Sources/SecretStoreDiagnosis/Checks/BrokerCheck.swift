// SPDX-License-Identifier: MIT

import KeychainGroupModel
import SecretStoreCache
import TokenCacheModel

/// A check that names the identity broker, its version and the number of its accounts.
///
/// An installed broker is started. No account is named.
struct BrokerCheck {
  let bus: SessionBus
  /// The time limit of each question; there are two, and others to the bus.
  let limit: Duration

  static let name = "broker"

  func run() async -> CheckResult {
    let broker = BrokerClient(broker: SessionBusBroker(), clientID: BrokerClient.browserID, limit: limit)
    do {
      guard let version = try await broker.version() else {
        return .ok("No identity broker is installed: apps sign in by themselves.")
      }
      let name =
        "The identity broker\(await process().map { ", process \($0)," } ?? "") of version \(version)"
      do {
        guard let accounts = try await broker.accounts() else {
          return .ok("\(name) has ended.")
        }
        return .ok("\(name) has \(Quantity.of(accounts.count, "account")).")
      } catch let error as SecretStoreError {
        // himmelblau refuses so when the user is not one of its own.
        guard (error.underlying as? SecretStoreError.BrokerError)?.busError != nil else { throw error }
        return .ok("\(name) has no account of this user.")
      }
    } catch {
      let problem = (error as? SecretStoreError)?.detail ?? "The identity broker can't be asked."
      return .warning(problem, remedy: await remedy())
    }
  }

  private func process() async -> Int? { try? await bus.process(ofOwner: SessionBusBroker.name) }

  /// Returns what makes the broker reply again; D-Bus starts it with the next request.
  private func remedy() async -> String {
    guard let process = await process() else { return "Read its messages: journalctl --user --since=-1h" }
    return GeneralRemedy.ending(process)
  }
}
