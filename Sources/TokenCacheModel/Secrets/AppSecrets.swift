// SPDX-License-Identifier: MIT

import FoundationEssentials
public import KeychainGroupModel
import StrictJSON
public import UnifiedCache

/// An app's own small secrets, by service and account, in any of its access groups.
///
/// ```swift
/// import SecretStoreCache
///
/// let secrets = try SecretStore().secrets(for: app)
/// try await secrets.set(Secret("correct horse"), service: "imap.contoso.com", account: "ada")
/// let password = try await secrets.get(service: "imap.contoso.com", account: "ada")
/// try await secrets.remove(service: "imap.contoso.com", account: "ada")
/// ```
///
/// The rules for groups are those of Apple's keychain. A search without a group covers all of the app's groups, in the
/// order in which the app lists them, with its own group last. A secret without a group is stored in the first group
/// that the app lists, or else in the app's own. No call prompts: a locked group is `groupLocked`.
public struct AppSecrets: Sendable {
  struct Store: Sendable {
    let group: AccessGroup
    let backend: any TokenCacheBackend
  }

  /// The app's entitlements; `nil` for the user's own tools.
  private let app: AppEntitlements?
  private let stores: [Store]
  let clock: any WallClock

  /// Creates the secrets of an app.
  ///
  /// - Parameters:
  ///   - app: The app's entitlements.
  ///   - clock: The source of the current time.
  ///   - backend: A closure that returns the back end of one of the app's groups. What it throws is thrown.
  public init(
    for app: AppEntitlements, clock: any WallClock = SystemWallClock(),
    backend: (AccessGroup) throws -> any TokenCacheBackend
  ) rethrows {
    self.app = app
    self.stores = try app.searchedGroups.map { Store(group: $0, backend: try backend($0)) }
    self.clock = clock
  }

  /// Creates the secrets of one group, for the user's own tools.
  public init(
    group: AccessGroup, backend: any TokenCacheBackend, clock: any WallClock = SystemWallClock()
  ) {
    self.app = nil
    self.stores = [Store(group: group, backend: backend)]
    self.clock = clock
  }

  /// Stores a secret and replaces an existing one.
  ///
  /// - Parameters:
  ///   - secret: The secret; at most ``Secret/maximumBytes``.
  ///   - service: The service that the secret is for; not blank, at most 1,024 bytes, without control characters.
  ///   - account: The account at the service; empty if the service has one secret only. At most 1,024 bytes, without
  ///     control characters.
  ///   - label: The label in lists for the user; `nil` keeps the existing one. Some providers store it in clear text:
  ///     name the purpose, not the user.
  ///   - group: The group's name; `nil` for the app's default group.
  /// - Throws: `invalidArgument` for a malformed or too large argument; `notEntitled` for a group that the app doesn't
  ///   list; `corruptItem` when the stored item can't be read; and whatever the back end throws.
  public func set(
    _ secret: Secret, service: String, account: String = "", label: String? = nil, in group: String? = nil
  ) async throws {
    let name = try SecretName(service: service, account: account)
    guard secret.count <= Secret.maximumBytes else {
      throw SecretStoreError(.invalidArgument, "The secret is larger than \(Secret.maximumBytes) bytes.")
    }
    try Self.check(label: label)
    let now = clock.now()
    let store = try target(group)
    try await store.backend.update(name.record) { stored in
      var document = stored ?? CacheDocument()
      var content = SecretDocument(stored) ?? SecretDocument(name, at: now)
      content.set(secret, label: label, at: now)
      content.write(to: &document)
      stored = document
    }
  }

  /// Reads a secret.
  ///
  /// - Parameters:
  ///   - service: The service that the secret is for.
  ///   - account: The account at the service.
  ///   - group: The group's name; `nil` for the first of the app's groups that has it.
  /// - Returns: The secret, or `nil` when there is none.
  /// - Throws: As ``set(_:service:account:label:in:)``.
  public func get(
    service: String, account: String = "", from group: String? = nil
  ) async throws -> Secret? {
    try await found(service, account, group)?.document.secret()
  }

  /// Returns whether a secret is stored.
  public func contains(service: String, account: String = "", in group: String? = nil) async throws -> Bool {
    try await found(service, account, group) != nil
  }

  /// Returns the metadata of a secret, without the secret itself; `nil` when there is none.
  public func item(
    service: String, account: String = "", from group: String? = nil
  ) async throws -> SecretItem? {
    try await found(service, account, group).map { $0.document.item(in: $0.group) }
  }

  /// Removes a secret, even one that can't be read or was set aside for that reason.
  ///
  /// In a sandbox what was set aside stays: the agent doesn't serve it.
  ///
  /// - Parameters:
  ///   - service: The service that the secret is for.
  ///   - account: The account at the service.
  ///   - group: The group's name; `nil` for every group of the app that has it.
  /// - Returns: Whether there was one.
  /// - Throws: As ``set(_:service:account:label:in:)``, except `corruptItem`. An error of one group is thrown when the
  ///   secret is removed from the others. It names every group in which the removal failed.
  @discardableResult
  public func remove(service: String, account: String = "", from group: String? = nil) async throws -> Bool {
    let name = try SecretName(service: service, account: account)
    var existed = false
    let failures = try await Self.forEach(stores(named: group)) { store in
      var keys = try await store.backend.records(matching: .all(.damaged))
        .filter { ($0.statedKey ?? $0.key.originalOfSetAside) == name.record }.map(\.key)
      if try await store.backend.record(for: name.record) != nil { keys.append(name.record) }
      for key in keys { try await store.backend.remove(key) }
      existed = existed || !keys.isEmpty
    }
    if let failure = Self.combined(failures) { throw failure }
    return existed
  }

  /// Returns the metadata of the stored secrets, without the secrets, sorted by service, account and group.
  ///
  /// Items that can't be read are left out.
  ///
  /// - Parameters:
  ///   - service: The service, or `nil` for all.
  ///   - group: The group's name; `nil` for all of the app's groups.
  /// - Throws: `invalidArgument` for a malformed group name, `notEntitled` for a group that the app doesn't list, and
  ///   whatever the back end throws for one of the groups.
  public func list(service: String? = nil, from group: String? = nil) async throws -> [SecretItem] {
    let listing = try await listing(service: service, from: group)
    if let failure = listing.failure { throw failure }
    return listing.items
  }

  /// What is stored, also where not all of it can be read.
  package struct Listing: Sendable {
    /// The metadata of the secrets, sorted by service, account and group.
    package fileprivate(set) var items: [SecretItem] = []
    /// The secrets that can't be read, by their groups.
    package fileprivate(set) var damaged: [AccessGroup: [DamagedRecord]] = [:]
    /// The error of the groups that can't be read.
    package fileprivate(set) var failure: SecretStoreError?
  }

  /// Returns what ``list(service:from:)`` returns, and what is missing there.
  package func listing(service: String? = nil, from group: String? = nil) async throws -> Listing {
    var listing = Listing()
    let failures = try await Self.forEach(stores(named: group)) { store in
      let records = try await store.backend.records(matching: .all(.secret))
      let damaged = records.compactMap(DamagedRecord.init)
      if !damaged.isEmpty { listing.damaged[store.group] = damaged }
      listing.items += records.compactMap { SecretDocument(try? $0.document())?.item(in: store.group) }
        .filter { item in service.map { JSONText.equal($0, item.service) } != false }
    }
    listing.failure = Self.combined(failures)
    listing.items.sort { ($0.service, $0.account, $0.group.name) < ($1.service, $1.account, $1.group.name) }
    return listing
  }

  /// Returns the groups that a list looks into.
  package func groups(named group: String?) throws -> [AccessGroup] { try stores(named: group).map(\.group) }

  /// Returns the key of a secret's record in each group that a removal looks into.
  package func keys(
    service: String, account: String, from group: String? = nil
  ) throws -> [(group: AccessGroup, key: RecordKey)] {
    let key = try SecretName(service: service, account: account).record
    return try stores(named: group).map { ($0.group, key) }
  }

  // MARK: Groups

  /// Does something in every store, whatever goes wrong in one, and returns the errors.
  private static func forEach(
    _ stores: [Store], do body: (Store) async throws -> Void
  ) async throws -> [SecretStoreError] {
    var errors: [SecretStoreError] = []
    for store in stores {
      do {
        try await FurtherWaits.run(after: errors) {
          try await inStore(store, of: stores) { try await body(store) }
        }
      } catch let error as SecretStoreError {
        errors.append(error)
      }
    }
    return errors
  }

  /// Does something in one of several stores, whose group an error names.
  private static func inStore<Outcome>(
    _ store: Store, of stores: [Store], _ body: () async throws -> Outcome
  ) async throws -> Outcome {
    do {
      return try await body()
    } catch let error as SecretStoreError where stores.count > 1 {
      let detail = "Group \(store.group): \(error.detail)"
      throw SecretStoreError(error.code, detail, underlying: error.underlying)
    }
  }

  /// Returns the first of several errors with the details of all.
  private static func combined(_ errors: [SecretStoreError]) -> SecretStoreError? {
    guard let first = errors.first else { return nil }
    let details = errors.map(\.detail).joined(separator: " ")
    return SecretStoreError(first.code, details, underlying: first.underlying)
  }

  private func stores(named group: String?) throws -> [Store] { try group.map { [try store($0)] } ?? stores }

  /// Returns the store of a group: the named one, or the default one.
  func target(_ group: String?) throws -> Store { try group.map(store) ?? stores[0] }

  private func store(_ name: String) throws -> Store {
    let group = try app?.group(name)
    let store = stores.first { group == nil ? $0.group.name == name : $0.group == group }
    guard let store else {
      throw SecretStoreError(.notEntitled, "The access group \(name) is not among those opened.")
    }
    return store
  }

  private func found(
    _ service: String, _ account: String, _ group: String?
  ) async throws -> (document: SecretDocument, group: AccessGroup)? {
    let name = try SecretName(service: service, account: account)
    let stores = try stores(named: group)
    for store in stores {
      let document = try await Self.inStore(store, of: stores) { () -> SecretDocument? in
        guard let stored = try await store.backend.record(for: name.record)?.document() else { return nil }
        guard let document = SecretDocument(stored) else {
          throw SecretStoreError(.corruptItem, "The stored item holds no secret.")
        }
        return document
      }
      if let document { return (document, store.group) }
    }
    return nil
  }

  static func check(label: String?) throws {
    guard label.map(isLabel) != false else {
      throw SecretStoreError(
        .invalidArgument,
        "The label is empty, holds a control character or too many combining marks, or is longer than 256 bytes."
      )
    }
  }

  /// Returns whether a text is a valid label: not empty, at most 256 bytes, without control characters.
  package static func isLabel(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= 256 && !text.hasUnsafeCharacter
  }
}
