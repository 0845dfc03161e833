// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// Whose turn it is to make a group, among processes that share no lock: an item in the login collection says so,
/// for as long as the group is being made.
///
/// Two that made one at the same time would make two collections, and one would have the password of the other.
struct MakingTurn: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  /// How long a sign counts that is not renewed: who died is not waited for.
  ///
  /// Seconds.
  static let patience = 3

  /// Runs `body` while nobody else makes the group.
  ///
  /// - Parameter body: Is given what tells whether the turn still holds, and renews it: after ``patience`` somebody may
  ///   have taken it. It returns `nil` when it gives up then.
  /// - Returns: Its outcome; `nil` when somebody else makes the group now.
  func run<Outcome>(
    _ body: (_ holds: () async throws -> Bool) async throws -> Outcome?
  ) async throws -> Outcome? {
    // Without a login collection there is one place only, which nobody makes.
    guard let login = try await client.collection(alias: "login") else { return try await body { true } }
    guard let sign = try await take(in: login) else { return nil }
    let outcome: Outcome?
    do {
      outcome = try await body { try await renew(sign) }
    } catch {
      _ = try? await client.deleteItem(sign)
      throw error
    }
    _ = try? await client.deleteItem(sign)
    return outcome
  }

  /// Makes a sign as young as a new one.
  ///
  /// - Returns: Whether it was still there.
  private func renew(_ sign: ObjectPath) async throws -> Bool {
    do {
      // The time of an item that is given what it has stays as it was.
      let renewal = Secret(String(UInt64.random(in: .min ... .max), radix: 16))
      try await WriteWindow.$current.withValue(nil) { try await client.setSecret(renewal, of: sign) }
      return true
    } catch let error as BusError where error.meaning == .noSuchObject {
      return false
    }
  }

  /// Whether somebody makes the group now who shares no lock.
  func isTaken() async throws -> Bool { try await !signs().isEmpty }

  /// Puts up a sign, unless there is one; of several that do so at the same time the first one by its path has the turn.
  private func take(in login: ObjectPath) async throws -> ObjectPath? {
    let sign = try await WriteWindow.$current.withValue(WriteWindow()) { () async throws -> ObjectPath? in
      guard try await signs().isEmpty else { return nil }
      do {
        return try await client.createItem(
          in: login, label: "Making of the access group \(group.name)", attributes: attributes(unique: true),
          schema: ItemAttributes.schema, secret: Secret(""))
      } catch is StaleChange {
        return nil
      }
    }
    guard let sign else { return nil }
    do {
      try await WriteWindow.settle()
      if try await signs().min(by: { $0.text < $1.text }) == sign { return sign }
    } catch {
      _ = try? await client.deleteItem(sign)
      throw error
    }
    // Somebody may have taken it for one that was left behind.
    _ = try? await client.deleteItem(sign)
    return nil
  }

  /// The signs that are up, but for those that somebody has left behind.
  private func signs() async throws -> [ObjectPath] {
    var signs: [ObjectPath] = []
    for sign in try await client.search(attributes(unique: false)).unlocked {
      do {
        // One from the future was put up by a clock that was wrong.
        let age = Date().timeIntervalSince1970 - Double(try await client.modified(sign))
        if abs(age) <= Double(Self.patience) + 1 {
          signs.append(sign)
        } else {
          _ = try await client.deleteItem(sign)
        }
      } catch let error as BusError where error.meaning == .noSuchObject {}
    }
    return signs
  }

  private func attributes(unique: Bool) -> [String: String] {
    var attributes = ItemAttributes.making(of: group)
    if unique {
      for name in ["home_account_id", "environment", "client_id", "family_id"] { attributes[name] = "" }
      attributes["key"] = String(UInt64.random(in: .min ... .max), radix: 16)
    }
    return attributes
  }

  /// Lets others get on with it.
  static func pause() async throws {
    let pause = Duration.milliseconds(Int.random(in: 20...100))
    guard Deadline.remaining > pause else {
      throw SecretStoreError(.leaseTimedOut, "Another app was making the access group until the deadline.")
    }
    try await Task.sleep(for: pause)
  }
}
