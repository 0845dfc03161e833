// SPDX-License-Identifier: MIT

import SecretStoreCache
import Testing

/// A call of the library by an app.
struct PublicCall: Sendable, CustomTestStringConvertible {
  /// The preparation of the store before the call.
  enum Preparation { case nothing, lock, lockPermanently }

  let name: String
  var isGnome = true
  /// Whether the call changes nothing, so that it ends at once when cancelled.
  var isRead = false
  /// Whether the call watches a group, which reports every failure as `serviceUnavailable`.
  var isWatch = false
  var preparation = Preparation.nothing
  var placement = GroupPlacement.dedicatedIfSilent
  /// Whether the tests also try the faults of connecting.
  var connects: Bool { ["backend.record", "tokenCache.save", "store.createGroup"].contains(name) }
  /// Whether the call goes on when it is cancelled: what a sign-in brought must not be lost.
  var finishesWhenCancelled: Bool { name == "tokenCache.save" }
  let run: @Sendable (Caller) async throws -> Void

  var testDescription: String { isGnome ? name : "\(name), without gnome-keyring's interface" }

  /// A call with both kinds of provider.
  private static func both(
    _ name: String, isRead: Bool = false, isWatch: Bool = false,
    _ run: @escaping @Sendable (Caller) async throws -> Void
  ) -> [PublicCall] {
    [true, false].map {
      PublicCall(name: name, isGnome: $0, isRead: isRead, isWatch: isWatch, run: run)
    }
  }

  static let all: [PublicCall] = backend + cache + secrets + groups + dialogs

  private static let backend: [PublicCall] =
    both("backend.records", isRead: true) { caller in
      try caller.require(try await caller.backend.records(matching: .all(.groupData)).count == 1)
    }
    + both("backend.record", isRead: true) { caller in
      try caller.require(try await ServiceSupport.read(caller.backend) == "kept")
    }
    + both("backend.update of what is there") { try await ServiceSupport.write("new", to: $0.backend) }
    + both("backend.update of a new record") { caller in
      let document = try ServiceSupport.document("new")
      try await caller.backend.update(.groupData("other")) { $0 = document }
    }
    + both("backend.update in a new group") {
      try await ServiceSupport.write("new", to: $0.store.unrestrictedBackend(for: $0.other))
    }
    + both("backend.remove") { try await $0.backend.remove(ServiceSupport.note) }
    + both("backend.withRefreshLease", isRead: true) { caller in
      try await caller.backend.withRefreshLease(on: ServiceSupport.note) {
        try caller.require(try await ServiceSupport.read(caller.backend) == "kept")
      }
    }
    + both("backend.watch", isRead: true, isWatch: true) { caller in
      let view = await caller.backend.watch().observe([.all(.groupData)])
      try Task.checkCancellation()
      guard case .open = view.state else { throw SecretStoreError(.serviceUnavailable, "\(view.state)") }
      try caller.require(view.records.contains { $0.key == ServiceSupport.note })
    }

  private static let cache: [PublicCall] =
    both("tokenCache.save") { caller in
      try await caller.cache().save(
        RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
    }
    + both("tokenCache.accounts", isRead: true) { caller in
      try caller.require(try await caller.cache().accounts().count == 1)
    }
    + both("tokenCache.acquireTokenSilent", isRead: true) { caller in
      let token = try await caller.cache().acquireTokenSilent(
        scopes: RoundTripGroup.scopes, account: caller.account)
      try caller.require(token.accessToken == "at-1-1")
    }
    + both("tokenCache.signOut") { try await $0.cache().signOut($0.account) }
    + both("tokenCache.changes", isRead: true, isWatch: true) { caller in
      var changes = try caller.cache().changes().makeAsyncIterator()
      guard case .snapshot(let snapshot)? = await changes.next() else { throw CancellationError() }
      guard case .open = snapshot.state else {
        throw SecretStoreError(.serviceUnavailable, "\(snapshot.state)")
      }
    }

  private static let secrets: [PublicCall] =
    both("secrets.set") { try await $0.secrets().set(Secret("new"), service: "imap") }
    + both("secrets.get", isRead: true) { caller in
      try caller.require(try await caller.secrets().get(service: "imap") == Secret("kept"))
    }
    + both("secrets.remove") { caller in _ = try await caller.secrets().remove(service: "imap") }
    + both("secrets.list", isRead: true) { caller in
      try caller.require(try await caller.secrets().list().count == 1)
    }
    + both("store.moveSecrets") { caller in
      let source = SecretSource(attributes: ["foreign": "yes"], service: .attribute("host"))
      try await caller.store.moveSecrets(source, to: caller.secrets(), keepsOriginals: !caller.deletesAtOnce)
    }

  private static let groups: [PublicCall] =
    both("store.groups", isRead: true) { caller in
      try caller.require(try await caller.store.groups().count == 2)
    }
    + both("store.createGroup") { try await $0.store.createGroup($0.other) }
    + both("store.unlockGroup") { caller in
      try caller.require(try await caller.store.unlockGroup(caller.group))
    }
    + both("store.lockGroup") { caller in try await caller.store.lockGroup(caller.group) }
    + [
      PublicCall(name: "backend.record of a locked group", isRead: true, preparation: .lock) { caller in
        try caller.require(try await ServiceSupport.read(caller.backend) == "kept")
      },
      PublicCall(name: "store.unlockGroup of a locked group", preparation: .lock) { caller in
        try caller.require(try await caller.store.unlockGroup(caller.group))
      },
      PublicCall(name: "store.moveGroup") { caller in
        _ = try await caller.store.moveGroup(caller.shared)
      },
      PublicCall(name: "store.deleteGroup") { try await $0.store.deleteGroup($0.group) },
      PublicCall(name: "store.resetGroup", preparation: .lockPermanently) {
        try await $0.store.resetGroup($0.group)
      },
    ]

  private static let dialog = PromptPolicy.allowed(timeLimit: .seconds(10), again: true)

  private static let dialogs: [PublicCall] = [
    PublicCall(name: "store.createGroup, asking", isGnome: false, placement: .dedicated) { caller in
      try await caller.store.createGroup(caller.other, promptPolicy: dialog)
    },
    PublicCall(name: "store.unlockGroup, asking", isGnome: false, preparation: .lock) { caller in
      try caller.require(try await caller.store.unlockGroup(caller.group, promptPolicy: dialog))
    },
    PublicCall(name: "store.deleteGroup, asking", isGnome: false) { caller in
      try await caller.store.deleteGroup(caller.group, promptPolicy: dialog)
    },
  ]
}
