// SPDX-License-Identifier: MIT

import KeychainGroupModel
import TokenCacheModel

/// The records of a group that were read, for as long as it is certain that nobody has changed them.
///
/// A record is kept when its version and the group's were settled and the same before and after it was read, and it is
/// handed out only while they still are: every writer of this library unsettles a record's version before it writes, and
/// settles another one when the write is acknowledged. So nothing stale is read after an acknowledged write, whoever
/// made it. Other programs keep no versions; what they do is noticed by the provider's signals, which empty the mirror.
final class Mirror: Sendable {
  /// The versions under which a record was read.
  struct Versions: Hashable, Sendable {
    fileprivate let record: VersionFile.Version
    fileprivate let group: VersionFile.Version
    /// Another daemon may have other items.
    fileprivate let daemon: String
    /// How often other programs were heard to change something.
    fileprivate let news: Int
  }

  /// Where the versions of a record stand.
  private struct Files {
    let record: MappedVersion
    let group: MappedVersion
  }

  private struct Kept {
    /// `nil` when there is none.
    let record: Record?
    let versions: Versions
    let files: Files
  }

  private struct State {
    var kept: [RecordKey: Kept] = [:]
    /// Which connection's signals are listened to; it is not kept from ending.
    weak var listening: ServiceHandle?
    var subscriptions: BusListening?
    /// Counts how often it was emptied: what was read before the last time is not kept.
    var emptyings = 0
    /// Where the group's version stands; all records share it.
    var groupVersion: MappedVersion?
  }

  private let client: SecretServiceClient
  private let group: AccessGroup
  private let state = Locked(State())

  init(client: SecretServiceClient, group: AccessGroup) {
    self.client = client
    self.group = group
  }

  /// The record, or that there is none, when that is still certain.
  func lookUp(_ key: RecordKey) -> Record?? {
    let live = client.live
    guard let live, let kept = state.withLock({ $0.listening === live ? $0.kept[key] : nil }),
      let versions = versions(in: kept.files, on: live)
    else { return nil }
    guard kept.versions == versions else {
      state.withLock { $0.kept[key] = nil }
      return nil
    }
    return .some(kept.record)
  }

  /// Reads a record, and keeps it if nobody can have changed it meanwhile.
  func reading(_ key: RecordKey, _ read: () async throws -> Record?) async throws -> Record? {
    let handle = try await client.connection()
    await listen(to: handle)
    let emptyings = state.withLock(\.emptyings)
    let files = files(of: key)
    let before = files.flatMap { versions(in: $0, on: handle) }
    let record = try await read()
    guard let files, let before, before.record.isSettled,
      before == versions(in: files, on: client.live)
    else { return record }
    state.withLock { state in
      if state.emptyings == emptyings {
        state.kept[key] = Kept(record: record, versions: before, files: files)
      }
    }
    return record
  }

  /// Lets go of everything.
  func empty() {
    state.withLock { state in
      state.kept = [:]
      state.emptyings += 1
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
      record: record, group: group, daemon: handle.daemon, news: handle.news(of: self.group.description))
  }

  /// Listens to what the provider tells, and writers whose versions are not seen here, before anything is read.
  private func listen(to handle: ServiceHandle) async {
    if state.withLock({ $0.listening === handle }) { return }
    // What was kept while nobody listened may be out of date.
    empty()
    let subscriptions = await handle.subscribe(toChangesOf: group.description) { [weak self] in
      self?.empty()
    }
    state.withLock { state in
      state.listening = handle
      state.subscriptions = subscriptions
    }
  }
}
