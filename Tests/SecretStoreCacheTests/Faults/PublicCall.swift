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
  let run: @Sendable (CallingApp) async throws -> Void

  var testDescription: String { isGnome ? name : "\(name), without gnome-keyring's interface" }

  /// A call with both kinds of provider.
  private static func both(
    _ name: String, isRead: Bool = false, isWatch: Bool = false,
    _ run: @escaping @Sendable (CallingApp) async throws -> Void
  ) -> [PublicCall] {
    [true, false].map {
      PublicCall(name: name, isGnome: $0, isRead: isRead, isWatch: isWatch, run: run)
    }
  }

  static let all: [PublicCall] = backend + cache + secrets + groups + dialogs

  private static let backend: [PublicCall] =
    both("backend.records", isRead: true) { app in
      try app.require(try await app.backend.records(matching: .all(.groupData)).count == 1)
    }
    + both("backend.record", isRead: true) { app in
      try app.require(try await ServiceSupport.read(app.backend) == "kept")
    }
    + both("backend.update of what is there") { try await ServiceSupport.write("new", to: $0.backend) }
    + both("backend.update of a new record") { app in
      let document = try ServiceSupport.document("new")
      try await app.backend.update(.groupData("other")) { $0 = document }
    }
    + both("backend.update in a new group") {
      try await ServiceSupport.write("new", to: $0.store.unrestrictedBackend(for: $0.other))
    }
    + both("backend.remove") { try await $0.backend.remove(ServiceSupport.note) }
    + both("backend.withRefreshLease", isRead: true) { app in
      try await app.backend.withRefreshLease(on: ServiceSupport.note) {
        try app.require(try await ServiceSupport.read(app.backend) == "kept")
      }
    }
    + both("backend.watch", isRead: true, isWatch: true) { app in
      let view = await app.backend.watch().observe([.all(.groupData)])
      try Task.checkCancellation()
      guard case .open = view.state else { throw SecretStoreError(.serviceUnavailable, "\(view.state)") }
      try app.require(view.records.contains { $0.key == ServiceSupport.note })
    }

  private static let cache: [PublicCall] =
    both("tokenCache.save") { app in
      try await app.cache().save(
        RoundTripGroup.response(account: 1, version: 2), scopes: RoundTripGroup.scopes)
    }
    + both("tokenCache.accounts", isRead: true) { app in
      try app.require(try await app.cache().accounts().count == 1)
    }
    + both("tokenCache.acquireTokenSilent", isRead: true) { app in
      let token = try await app.cache().acquireTokenSilent(
        scopes: RoundTripGroup.scopes, account: app.account)
      try app.require(token.accessToken == "at-1-1")
    }
    + both("tokenCache.signOut") { try await $0.cache().signOut($0.account) }
    + both("tokenCache.changes", isRead: true, isWatch: true) { app in
      var changes = try app.cache().changes().makeAsyncIterator()
      guard case .snapshot(let snapshot)? = await changes.next() else { throw CancellationError() }
      guard case .open = snapshot.state else {
        throw SecretStoreError(.serviceUnavailable, "\(snapshot.state)")
      }
    }

  private static let secrets: [PublicCall] =
    both("secrets.set") { try await $0.secrets().set(Secret("new"), service: "imap") }
    + both("secrets.get", isRead: true) { app in
      try app.require(try await app.secrets().get(service: "imap") == Secret("kept"))
    }
    + both("secrets.remove") { app in _ = try await app.secrets().remove(service: "imap") }
    + both("secrets.list", isRead: true) { app in
      try app.require(try await app.secrets().list().count == 1)
    }
    + both("store.moveSecrets") { app in
      let source = SecretSource(attributes: ["foreign": "yes"], service: .attribute("host"))
      try await app.store.moveSecrets(source, to: app.secrets(), keepsOriginals: !app.deletesAtOnce)
    }

  private static let groups: [PublicCall] =
    both("store.groups", isRead: true) { app in
      try app.require(try await app.store.groups().count == 2)
    }
    + both("store.createGroup") { try await $0.store.createGroup($0.other) }
    + both("store.unlockGroup") { app in
      try app.require(try await app.store.unlockGroup(app.group))
    }
    + both("store.lockGroup") { app in try await app.store.lockGroup(app.group) }
    + [
      PublicCall(name: "backend.record of a locked group", isRead: true, preparation: .lock) { app in
        try app.require(try await ServiceSupport.read(app.backend) == "kept")
      },
      PublicCall(name: "store.unlockGroup of a locked group", preparation: .lock) { app in
        try app.require(try await app.store.unlockGroup(app.group))
      },
      PublicCall(name: "store.moveGroup") { app in
        _ = try await app.store.moveGroup(app.shared)
      },
      PublicCall(name: "store.deleteGroup") { try await $0.store.deleteGroup($0.group) },
      PublicCall(name: "store.resetGroup", preparation: .lockPermanently) {
        try await $0.store.resetGroup($0.group)
      },
    ]

  private static let dialog = PromptPolicy.allowed(timeLimit: .seconds(10), again: true)

  private static let dialogs: [PublicCall] = [
    PublicCall(name: "store.createGroup, asking", isGnome: false, placement: .dedicated) { app in
      try await app.store.createGroup(app.other, promptPolicy: dialog)
    },
    PublicCall(name: "store.unlockGroup, asking", isGnome: false, preparation: .lock) { app in
      try app.require(try await app.store.unlockGroup(app.group, promptPolicy: dialog))
    },
    PublicCall(name: "store.deleteGroup, asking", isGnome: false) { app in
      try await app.store.deleteGroup(app.group, promptPolicy: dialog)
    },
  ]
}
