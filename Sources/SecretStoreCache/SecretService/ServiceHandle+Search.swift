// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

extension ServiceHandle {
  /// How many secrets are asked for in one call.
  ///
  /// A bus takes a program off itself that sends an array of more than 64 MiB (D-Bus Specification, "Marshalling"), and
  /// gnome-keyring ends then: so many of the largest records fit.
  private static let secretsPerCall = 40

  /// The largest record that is written, in bytes.
  static let maximumBytes = 1_600_000

  /// What has come while one caller waits.
  private struct Received {
    var found: [FoundItems] = []
    /// The items whose secrets have not been asked for yet.
    var items: ArraySlice<ObjectPath> = []
    var secrets: [BusAnswer] = []

    /// Takes the items that the next call asks for.
    mutating func nextItems() -> [ObjectPath]? {
      if items.isEmpty { return nil }
      defer { items = items.dropFirst(secretsPerCall) }
      return Array(items.prefix(secretsPerCall))
    }
  }

  /// Searches the whole service, several times, and gets the secrets of what is found when nothing of it is locked.
  ///
  /// Each is a round trip, but the caller is woken once: a look-up is mostly waking up.
  func read(_ searches: [[String: String]]) async throws -> SearchAnswers {
    guard let session, let first = searches.first else { throw BusError.malformed }
    let received = Locked(Received())
    let last = try await calls.call(.cancellable, Self.search(first)) { answer in
      received.withLock { received in
        if received.found.count == searches.count {
          received.secrets.append(answer)
          return try? Self.getting(received.nextItems(), for: session)
        }
        guard let more = try? Self.found(in: answer) else { return nil }
        received.found.append(more)
        let found = received.found
        if found.count < searches.count { return try? Self.search(searches[found.count]) }
        guard found.allSatisfy(\.locked.isEmpty) else { return nil }
        received.items = Array(Set(found.flatMap(\.unlocked)))[...]
        return try? Self.getting(received.nextItems(), for: session)
      }
    }
    let outcome = received.withLock(\.self)
    guard outcome.found.count == searches.count else {
      _ = try Self.found(in: last)
      throw BusError.malformed
    }
    let secrets = outcome.secrets.isEmpty ? nil : try? self.secrets(in: outcome.secrets)
    return SearchAnswers(found: outcome.found, secrets: secrets)
  }

  /// Searches the whole service.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    try Self.found(in: await calls.call(.cancellable, Self.search(attributes)))
  }

  /// The secrets of items; one that can't be decrypted is missing from the answer.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    guard let session else { throw BusError.malformed }
    let received = Locked(Received(items: items[...]))
    guard let first = try received.withLock({ try Self.getting($0.nextItems(), for: session) }) else {
      return [:]
    }
    _ = try await calls.call(.cancellable, first) { answer in
      received.withLock { received in
        received.secrets.append(answer)
        return try? Self.getting(received.nextItems(), for: session)
      }
    }
    return try secrets(in: received.withLock(\.secrets))
  }

  private func secrets(in answers: [BusAnswer]) throws -> [ObjectPath: Secret] {
    var secrets: [ObjectPath: Secret] = [:]
    for answer in answers {
      guard let some = try answer.read(as: Self.secretsType, { $0.values(at: 0, decode) }) else {
        throw BusError.malformed
      }
      secrets.merge(some) { $1 }
    }
    return secrets
  }

  private static let secretsType = "(a{o(oayays)})"

  private static func search(_ attributes: [String: String]) throws -> BusMessage {
    try BusMessage(calling: method("SearchItems")) { [.strings(attributes)] }
  }

  private static func getting(_ items: [ObjectPath]?, for session: ObjectPath) throws -> BusMessage? {
    guard let items else { return nil }
    return try BusMessage(calling: method("GetSecrets")) { [.paths(items), .path(session)] }
  }

  private static func method(_ name: String) -> BusMethod {
    BusMethod(service: busName, path: .service, interface: "org.freedesktop.Secret.Service", name: name)
  }

  private static func found(in answer: BusAnswer) throws -> FoundItems {
    try answer.read(as: "(aoao)") { reply in
      guard let unlocked = reply.paths(at: 0), let locked = reply.paths(at: 1) else {
        throw BusError.malformed
      }
      return FoundItems(unlocked: unlocked, locked: locked)
    }
  }
}
