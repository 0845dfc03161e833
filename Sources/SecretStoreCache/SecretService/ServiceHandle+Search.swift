// SPDX-License-Identifier: MIT

import TokenCacheModel

extension ServiceHandle {
  /// The replies received while one caller waits.
  private struct Received {
    var found: [FoundItems] = []
    /// The calls that have not been made yet.
    var requests: ArraySlice<SecretRequest> = []
    /// The requests that were replied to, each with its reply.
    var secrets: [(request: SecretRequest, reply: BusReply)] = []
    /// The request whose reply is awaited.
    var current: SecretRequest?

    /// Stores the reply to the current request.
    mutating func receive(_ reply: BusReply) {
      if let current { secrets.append((current, reply)) }
    }

    mutating func nextRequest() -> SecretRequest? {
      current = requests.popFirst()
      return current
    }
  }

  /// Searches the whole service several times, and reads the secrets of the items found if none of them is locked.
  ///
  /// Each search is a round trip, but the caller is resumed only once. Resuming is most of the cost of a look-up.
  ///
  /// - Parameter known: Items whose secrets are also read.
  func read(_ searches: [[String: String]], with known: [ObjectPath] = []) async throws -> SearchReplies {
    guard let session, let first = searches.first else { throw BusError.malformed }
    let received = Locked(Received())
    let report = RecordReading.report
    let last = try await calls.call(.cancellable, searching(first)) { [self] reply in
      defer { Self.reportProgress(of: received, to: report) }
      return received.withLock { received in
        if received.found.count == searches.count {
          received.receive(reply)
          return try? getting(received.nextRequest(), for: session)
        }
        guard let more = try? Self.found(in: reply) else { return nil }
        received.found.append(more)
        let found = received.found
        if found.count < searches.count { return try? searching(searches[found.count]) }
        guard found.allSatisfy(\.locked.isEmpty) else { return nil }
        received.requests = requests(for: Set(found.flatMap(\.unlocked) + known))[...]
        return try? getting(received.nextRequest(), for: session)
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

  /// Returns the secrets of items; items whose secret can't be read or decrypted are left out.
  func secrets(of items: [ObjectPath]) async throws -> [ObjectPath: Secret] {
    guard let session else { throw BusError.malformed }
    let received = Locked(Received(requests: requests(for: Set(items))[...]))
    guard let first = try received.withLock({ try self.getting($0.nextRequest(), for: session) }) else {
      return [:]
    }
    let report = RecordReading.report
    _ = try await calls.call(.cancellable, first) { [self] reply in
      defer { Self.reportProgress(of: received, to: report) }
      return received.withLock { received in
        received.receive(reply)
        return try? getting(received.nextRequest(), for: session)
      }
    }
    return try secrets(in: received.withLock(\.secrets))
  }

  private func requests(for items: Set<ObjectPath>) -> [SecretRequest] {
    guard traits.offersGnomeInterface else { return SecretRequest.list(for: items, sizeOf: nil) }
    return SecretRequest.list(for: items) { [keyringFiles] in keyringFiles.size(of: $0) }
  }

  /// Reports how many secrets of a long list were read.
  private static func reportProgress(of received: Locked<Received>, to report: WorkProgress.Report?) {
    guard let report else { return }
    let (read, left, calls) = received.withLock { received in
      (
        received.secrets.reduce(0) { $0 + $1.request.count }, received.requests.reduce(0) { $0 + $1.count },
        received.secrets.count + received.requests.count
      )
    }
    if read > 0, calls > 1 { report(read, read + left) }
  }

  private func secrets(
    in replies: [(request: SecretRequest, reply: BusReply)]
  ) throws -> [ObjectPath: Secret] {
    var secrets: [ObjectPath: Secret] = [:]
    for (request, reply) in replies {
      switch request {
      case .batch:
        guard let some = try reply.read(as: "(a{o(oayays)})", { $0.values(at: 0, decode) }) else {
          throw BusError.malformed
        }
        secrets.merge(some) { $1 }
      case .single(let item):
        do {
          secrets[item] = try reply.read(as: "((oayays))") { $0.child(0, decode) }
        } catch let error as BusError where error.isItemError {}
      }
    }
    return secrets
  }

  private func searching(_ attributes: [String: String]) throws -> BusMessage {
    try BusMessage(calling: method("SearchItems")) { [try .strings(attributes)] }
  }

  private func getting(_ request: SecretRequest?, for session: ObjectPath) throws -> BusMessage? {
    switch request {
    case nil: return nil
    case .batch(let items):
      return try BusMessage(calling: method("GetSecrets")) { [try .paths(items), try .path(session)] }
    case .single(let item):
      let method = BusMethod(
        service: owner, path: item, interface: "org.freedesktop.Secret.Item", name: "GetSecret")
      return try BusMessage(calling: method) { [try .path(session)] }
    }
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
