// SPDX-License-Identifier: MIT

import TokenCacheModel

extension ServiceHandle {
  /// The number of secrets requested in one call.
  ///
  /// A bus disconnects a program that sends an array of more than 64 MiB (D-Bus Specification, "Marshalling"), and
  /// gnome-keyring then exits. This many records of the largest size fill half of that.
  private static let secretsPerCall = (32 << 20) / CacheDocument.maximumBytes

  /// The replies received while one caller waits.
  private struct Received {
    var found: [FoundItems] = []
    /// The items whose secrets have not been requested yet.
    var items: ArraySlice<ObjectPath> = []
    var secrets: [BusReply] = []

    /// Removes and returns the items for the next call.
    mutating func nextItems() -> [ObjectPath]? {
      if items.isEmpty { return nil }
      defer { items = items.dropFirst(secretsPerCall) }
      return Array(items.prefix(secretsPerCall))
    }
  }

  /// Searches the whole service several times, and reads the secrets of the items found if none of them is locked.
  ///
  /// Each search is a round trip, but the caller is resumed only once. Resuming is most of the cost of a look-up.
  ///
  /// - Parameter known: An item whose secret is also read.
  func read(_ searches: [[String: String]], with known: ObjectPath? = nil) async throws -> SearchReplies {
    guard let session, let first = searches.first else { throw BusError.malformed }
    let received = Locked(Received())
    let report = RecordReading.report
    let last = try await calls.call(.cancellable, searching(first)) { [self] reply in
      defer { Self.tell(received, to: report) }
      return received.withLock { received in
        if received.found.count == searches.count {
          received.secrets.append(reply)
          return try? getting(received.nextItems(), for: session)
        }
        guard let more = try? Self.found(in: reply) else { return nil }
        received.found.append(more)
        let found = received.found
        if found.count < searches.count { return try? searching(searches[found.count]) }
        guard found.allSatisfy(\.locked.isEmpty) else { return nil }
        received.items = Array(Set(found.flatMap(\.unlocked) + (known.map { [$0] } ?? [])))[...]
        return try? getting(received.nextItems(), for: session)
      }
    }
    let outcome = received.withLock(\.self)
    guard outcome.found.count == searches.count else {
      _ = try Self.found(in: last)
      throw BusError.malformed
    }
    let secrets = outcome.secrets.isEmpty ? nil : try? self.secrets(in: outcome.secrets)
    return SearchReplies(found: outcome.found, secrets: secrets)
  }

  /// Searches the whole service.
  func search(_ attributes: [String: String]) async throws -> FoundItems {
    try Self.found(in: await calls.call(.cancellable, searching(attributes)))
  }

  /// Returns the secrets of items; items whose secret can't be decrypted are left out.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    guard let session else { throw BusError.malformed }
    let received = Locked(Received(items: items[...]))
    guard let first = try received.withLock({ try self.getting($0.nextItems(), for: session) }) else {
      return [:]
    }
    let report = RecordReading.report
    _ = try await calls.call(.cancellable, first) { [self] reply in
      defer { Self.tell(received, to: report) }
      return received.withLock { received in
        received.secrets.append(reply)
        return try? getting(received.nextItems(), for: session)
      }
    }
    return try secrets(in: received.withLock(\.secrets))
  }

  /// Reports how many secrets of a long list were read.
  private static func tell(_ received: Locked<Received>, to report: WorkProgress.Report?) {
    guard let report else { return }
    // A slice keeps the positions of its items, so that its end is the number of all.
    let (replies, total) = received.withLock { ($0.secrets.count, $0.items.endIndex) }
    if replies > 0, total > secretsPerCall { report(min(replies * secretsPerCall, total), total) }
  }

  private func secrets(in replies: [BusReply]) throws -> [ObjectPath: Secret] {
    var secrets: [ObjectPath: Secret] = [:]
    for reply in replies {
      guard let some = try reply.read(as: Self.secretsType, { $0.values(at: 0, decode) }) else {
        throw BusError.malformed
      }
      secrets.merge(some) { $1 }
    }
    return secrets
  }

  private static let secretsType = "(a{o(oayays)})"

  private func searching(_ attributes: [String: String]) throws -> BusMessage {
    try BusMessage(calling: method("SearchItems")) { [try .strings(attributes)] }
  }

  private func getting(_ items: [ObjectPath]?, for session: ObjectPath) throws -> BusMessage? {
    guard let items else { return nil }
    return try BusMessage(calling: method("GetSecrets")) { [try .paths(items), try .path(session)] }
  }

  private func method(_ name: String) -> BusMethod {
    BusMethod(service: owner, path: .service, interface: "org.freedesktop.Secret.Service", name: name)
  }

  private static func found(in reply: BusReply) throws -> FoundItems {
    try reply.read(as: "(aoao)") { values in
      guard let unlocked = values.paths(at: 0), let locked = values.paths(at: 1) else {
        throw BusError.malformed
      }
      return FoundItems(unlocked: unlocked, locked: locked)
    }
  }
}
