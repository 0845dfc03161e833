// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The record cache of a group: records that were read and are certain to be unchanged.
///
/// A record is cached if its own version is settled, and its version and the group's are the same before and after
/// the read. It is returned only while both versions stay the same. Every writer of this library unsettles a record's
/// version before it writes, and settles a new one when the write is acknowledged. So no read returns a stale record
/// after an acknowledged write of any process. Other programs keep no versions. Their changes are noticed by the
/// provider's signals, which empty the cache.
final class RecordCache: Sendable {
  /// The versions with which a record was read.
  struct Versions: Hashable, Sendable {
    fileprivate let record: VersionFile.Version
    fileprivate let group: VersionFile.Version
    /// The daemon; another daemon may have other items.
    fileprivate let daemon: String
    /// The number of change signals received.
    fileprivate let changeCount: Int
  }

  /// The version files of a record.
  private struct Files {
    let record: MappedVersion
    let group: MappedVersion
  }

  private struct Entry {
    /// The record; `nil` when it does not exist.
    let record: Record?
    let versions: Versions
    let files: Files
  }

  private struct State {
    var entries: [RecordKey: Entry] = [:]
    /// The connection whose signals are received; a weak reference, so that it can be released.
    weak var listening: ServiceHandle?
    var subscriptions: BusListening?
    /// The number of times the cache was emptied; a record whose read began before the last time is not cached.
    var clearCount = 0
    /// The version file of the group, which all records share.
    var groupVersion: MappedVersion?
  }

  private let client: SecretServiceClient
  private let group: AccessGroup
  private let state = Locked(State())

  init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// Returns the cached record, or a cached absence of the record, if it is certain to be current.
  ///
  /// - Returns: `nil` when it has to be read; `.some(nil)` when the record does not exist.
  func lookUp(_ key: RecordKey) -> Record?? {
    let live = client.live
    guard let live, let entry = state.withLock({ $0.listening === live ? $0.entries[key] : nil }),
      let versions = versions(in: entry.files, on: live)
    else { return nil }
    guard entry.versions == versions else {
      state.withLock { $0.entries[key] = nil }
      return nil
    }
    return .some(entry.record)
  }

  /// Reads a record, and caches it if nobody can have changed it meanwhile.
  func readThrough(_ key: RecordKey, _ read: () async throws -> Record?) async throws -> Record? {
    let handle = try await client.connection()
    await listen(to: handle)
    let clearCount = state.withLock(\.clearCount)
    let files = files(of: key)
    let before = files.flatMap { versions(in: $0, on: handle) }
    let record = try await read()
    guard let files, let before, before.record.isSettled,
      before == versions(in: files, on: client.live)
    else { return record }
    state.withLock { state in
      if state.clearCount == clearCount {
        state.entries[key] = Entry(record: record, versions: before, files: files)
      }
    }
    return record
  }

  /// Removes all records.
  func empty() {
    state.withLock { state in
      state.entries = [:]
      state.clearCount += 1
    }
  }

  private func files(of key: RecordKey) -> Files? {
    guard let record = try? VersionFile(of: key, in: group), let mapped = MappedVersion(at: record.path),
      let group = groupVersion()
    else { return nil }
    return Files(record: mapped, group: group)
  }

  private func groupVersion() -> MappedVersion? {
    if let known = state.withLock(\.groupVersion), known.read() != nil { return known }
    let mapped = (try? VersionFile(of: group)).flatMap { MappedVersion(at: $0.path) }
    state.withLock { $0.groupVersion = mapped }
    return mapped
  }

  private func versions(in files: Files, on handle: ServiceHandle?) -> Versions? {
    guard let handle, handle.isAlive, let record = files.record.read(), let group = files.group.read() else {
      return nil
    }
    return Versions(
      record: record, group: group, daemon: handle.daemon,
      changeCount: handle.changeCount(of: self.group.qualifiedName))
  }

  /// Subscribes to the provider's signals, and to writers whose versions are not visible here, before anything is
  /// read.
  private func listen(to handle: ServiceHandle) async {
    if state.withLock({ $0.listening === handle }) { return }
    // Records that were cached without a subscription may be stale.
    empty()
    let subscriptions = await handle.subscribe(toChangesOf: group.qualifiedName) { [weak self] in
      self?.empty()
    }
    state.withLock { state in
      state.listening = handle
      state.subscriptions = subscriptions
    }
  }
}
