// SPDX-License-Identifier: MIT

import CLibSecret
import TokenCacheModel

extension ServiceHandle {
  /// Searches the whole service, several times, and gets the secrets of what is found when nothing of it is locked.
  ///
  /// Each is a round trip, but the caller is woken once: a look-up is mostly waking up.
  func read(_ searches: [[String: String]]) async throws -> SearchAnswers {
    guard let session, let first = searches.first else { throw BusError.malformed }
    let collected = Locked<[FoundItems]>([])
    let last = try await calls.call(.cancellable, Self.search(first)) { answer in
      collected.withLock { found in
        guard found.count < searches.count, let more = try? Self.found(in: answer) else { return nil }
        found.append(more)
        if found.count < searches.count { return try? Self.search(searches[found.count]) }
        let items = Set(found.flatMap(\.unlocked))
        guard found.allSatisfy(\.locked.isEmpty), !items.isEmpty else { return nil }
        return try? Self.getting(Array(items), for: session)
      }
    }
    let found = collected.withLock { $0 }
    guard found.count == searches.count else {
      _ = try Self.found(in: last)
      throw BusError.malformed
    }
    let secrets = try? last.read(as: Self.secretsType) { $0.values(at: 0, decode) }
    return SearchAnswers(found: found, secrets: secrets)
  }

  /// Searches the whole service.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    try Self.found(in: await calls.call(.cancellable, Self.search(attributes)))
  }

  /// The secrets of items; one that can't be decrypted is missing from the answer.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    guard let session else { throw BusError.malformed }
    let answer = try await calls.call(.cancellable, Self.getting(items, for: session))
    guard let secrets = try answer.read(as: Self.secretsType, { $0.values(at: 0, decode) }) else {
      throw BusError.malformed
    }
    return secrets
  }

  private static let secretsType = "(a{o(oayays)})"

  private static func search(_ attributes: [String: String]) throws -> BusMessage {
    try BusMessage(calling: method("SearchItems")) { [.strings(attributes)] }
  }

  private static func getting(_ items: [ObjectPath], for session: ObjectPath) throws -> BusMessage {
    try BusMessage(calling: method("GetSecrets")) { [.paths(items), .path(session)] }
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
