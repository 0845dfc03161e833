// SPDX-License-Identifier: MIT

import Glibc
import KeychainGroupModel
import TokenCacheModel

/// Whether what is written can be read again and deleted: the proof, with an item of nobody's.
struct RoundTripCheck: Sendable {
  let client: SecretServiceClient
  let surroundings: Surroundings

  static let name = "round-trip"

  /// - Returns: The finding, and when the item was written by the daemon's clock, in seconds since 1970.
  func find() async throws -> (Finding, written: Int?) {
    do {
      return try await FileLock(name: "doctor").run { try await prove() }
    } catch let error as BusError where error.meaning == .failed {
      return (notWritten("The Secret Service can't store an item (\(error))."), nil)
    } catch let error as SecretStoreError where error.code == .storageFailed {
      return (notWritten(error.detail), nil)
    }
  }

  private func prove() async throws -> (Finding, written: Int?) {
    guard let collection = try await collection() else {
      return (.notLookedAt("there is no collection to write to"), nil)
    }
    guard try await client.isOpen(collection) else {
      return (.notLookedAt("the collection is locked"), nil)
    }
    let secret = Secret("\(UInt64.random(in: 0...(.max)))")
    let leftover = try await client.search(Self.attributes).unlocked.first
    let item: ObjectPath
    if let leftover {
      try await client.setSecret(secret, of: leftover)
      item = leftover
    } else {
      item = try await client.createItem(
        in: collection, label: "Test of sso-cache doctor", attributes: Self.attributes,
        schema: ItemAttributes.schema, secret: secret)
    }
    let kept = try await client.secrets(of: [item])[item]
    let written = try await client.modified(item)
    if try await !client.deleteItem(item) { try await client.setSecret(Secret([]), of: item) }
    guard kept == secret else { return (notWritten("What was written could not be read back."), nil) }
    return (.ok("An item was written, read back and deleted."), written > 0 ? written : nil)
  }

  /// Where new passwords of groups go, else where shared groups are.
  private func collection() async throws -> ObjectPath? {
    if try await client.traits().offersGnomeInterface, let login = try await client.collection(alias: "login")
    {
      return login
    }
    return try await client.collection(alias: "default")
  }

  private static let attributes: [String: String] = {
    var attributes = ["kind": "probe", "publisher": "", "group": ""]
    for name in ["home_account_id", "environment", "client_id", "family_id", "key"] { attributes[name] = "" }
    return attributes
  }()

  private func notWritten(_ detail: String) -> Finding {
    let home = surroundings.runsKeyring ?? DataDirectories(environment: surroundings.environment).home
    guard let home else {
      return .error(.storageFailed, detail, remedy: GeneralRemedy.text(for: .storageFailed))
    }
    let keyrings = "\(home)/keyrings"
    let folder = FileReader().information(keyrings, followsLink: true) == nil ? home : keyrings
    var system = statvfs()
    let isKnown = unsafe statvfs(folder, &system) == 0
    if isKnown && system.f_bavail == 0 {
      return .error(
        .storageFailed, "\(detail) The disk of \(folder) is full.",
        remedy: "Free some space on the disk of \(folder).")
    }
    if isKnown && system.f_flag & UInt(ST_RDONLY) != 0 {
      return .error(
        .storageFailed, "\(detail) The disk of \(folder) is read-only.",
        remedy: "sudo mount -o remount,rw \(ToolCommand.quoted(folder))")
    }
    return .error(.storageFailed, detail, remedy: "chmod u+rwx \(ToolCommand.quoted(folder))")
  }
}
