// SPDX-License-Identifier: MIT

import FoundationEssentials
import KeychainGroupModel
import TokenCacheModel

/// The group creation lease of processes that share no lock: an item in the login collection while a group is created.
///
/// Without it, two processes could create two collections at the same time, and one collection would get the password
/// of the other.
struct GroupCreationLease: Sendable {
  let client: SecretServiceClient
  let group: AccessGroup

  /// The age, in seconds, at which a lease that is not renewed expires, as after a crash of its owner.
  static let expiry = 3

  /// Runs `body` while this process holds the lease.
  ///
  /// - Parameter body: The work. Its argument renews the lease and returns whether this process still holds it: after
  ///   ``expiry`` another process may have taken it. The body returns `nil` when it gives up for that reason.
  /// - Returns: The body's result; `nil` when another process creates the group now.
  func run<Outcome>(
    _ body: (_ renewLease: () async throws -> Bool) async throws -> Outcome?
  ) async throws -> Outcome? {
    // Without a login collection there is only one place for a group, which nobody has to create.
    guard let login = try await client.collection(alias: "login") else { return try await body { true } }
    guard let leaseItem = try await acquire(in: login) else { return nil }
    let outcome: Outcome?
    do {
      outcome = try await body { try await renew(leaseItem) }
    } catch {
      _ = try? await client.deleteItem(leaseItem)
      throw error
    }
    _ = try? await client.deleteItem(leaseItem)
    return outcome
  }

  /// Renews a lease.
  ///
  /// - Returns: Whether the lease item still existed.
  private func renew(_ leaseItem: ObjectPath) async throws -> Bool {
    do {
      // The secret must change: writing the same secret does not update the item's modification time.
      let renewal = Secret(ItemAttributes.randomKey())
      try await client.setSecret(renewal, of: leaseItem)
      return true
    } catch let error as BusError where error.meaning == .noSuchObject {
      return false
    }
  }

  /// Returns whether a process that shares no lock is creating the group.
  func isTaken() async throws -> Bool { try await !leaseItems().isEmpty }

  /// Creates a lease item, unless there is one.
  ///
  /// When several processes do so at the same time, the one whose item has the first path gets the lease.
  private func acquire(in login: ObjectPath) async throws -> ObjectPath? {
    let optimisticWrite = OptimisticWrite()
    guard try await leaseItems().isEmpty else { return nil }
    let leaseItem: ObjectPath
    do {
      leaseItem = try await client.createItem(
        in: login, label: "Making of the access group \(group.name)", attributes: newAttributes(),
        schema: ItemAttributes.schema, secret: Secret(""), during: optimisticWrite)
    } catch is WriteConflict {
      return nil
    }
    do {
      try await OptimisticWrite.settle()
      if try await leaseItems().min(by: { $0.text < $1.text }) == leaseItem { return leaseItem }
    } catch {
      _ = try? await client.deleteItem(leaseItem)
      throw error
    }
    // Another process may already have deleted the item as expired.
    _ = try? await client.deleteItem(leaseItem)
    return nil
  }

  /// Returns the valid lease items of the login collection and deletes the expired ones.
  private func leaseItems() async throws -> [ObjectPath] {
    let attributes = ItemAttributes.creationLease(of: group)
    if try await client.search(attributes).unlocked.isEmpty { return [] }
    guard let login = try await client.collection(alias: "login") else { return [] }
    let own = Array(try await client.ownItems(attributes, in: login).keys)
    let secrets = try await client.secrets(of: own)
    var leaseItems: [ObjectPath] = []
    for leaseItem in own where secrets[leaseItem].map(Self.hasForm) != false {
      do {
        // A time in the future comes from a wrong clock.
        let age = Date().timeIntervalSince1970 - Double(try await client.modified(leaseItem))
        if abs(age) <= Double(Self.expiry) + 1 {
          leaseItems.append(leaseItem)
        } else {
          _ = try await client.deleteItem(leaseItem)
        }
      } catch let error as BusError where error.meaning == .noSuchObject {}
    }
    return leaseItems
  }

  /// Returns the unlocked items of a lease's kind that no process has made as one.
  ///
  /// Those that name an account go with it.
  func unrelatedItems() async throws -> Set<ObjectPath> {
    let attributes = ItemAttributes.creationLease(of: group)
    let found = try await client.search(attributes).unlocked
    let items = try await client.attributes(of: found).filter { !ItemAttributes.namesAnyAccount($0.value) }
      .keys
    guard !items.isEmpty, let login = try await client.collection(alias: "login") else { return Set(items) }
    let inLogin = Array(try await client.ownItems(attributes, in: login).keys)
    let secrets = try await client.secrets(of: inLogin)
    return Set(items).subtracting(inLogin.filter { secrets[$0].map(Self.hasForm) != false })
  }

  /// Returns whether a secret is one that a lease item gets: none at first, then random hexadecimal digits.
  private static func hasForm(_ secret: Secret) -> Bool {
    secret.read { $0.count <= 16 && $0.allSatisfy(Set("0123456789abcdef".utf8).contains) }
  }

  private func newAttributes() -> [String: String] {
    var attributes = ItemAttributes.creationLease(of: group)
    for name in ["home_account_id", "environment", "client_id", "family_id"] { attributes[name] = "" }
    attributes["key"] = ItemAttributes.randomKey()
    return attributes
  }

  /// Waits for a random time, so that the other process can finish.
  ///
  /// - Throws: `lockTimedOut` when the deadline would pass.
  static func pause() async throws {
    let pause = Duration.milliseconds(Int.random(in: 20...100))
    guard Deadline.remaining > pause else {
      throw SecretStoreError(.lockTimedOut, "Another app was making the access group until the deadline.")
    }
    try await Task.sleep(for: pause)
  }
}
