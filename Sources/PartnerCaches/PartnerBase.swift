// SPDX-License-Identifier: MIT

import KeychainGroupModel
import StrictJSON
import UnifiedCache

/// What an import or an export last saw of a tool's cache and of the group: the base of a three-way merge.
///
/// It is kept in the group. It holds digests only, no token and no name.
struct PartnerBase: Hashable {
  /// What is known of an account of a client.
  struct Account: Hashable {
    /// Whether the account was at the tool.
    var isThere = false
    /// Whether an export wrote the account there, and the tool has not changed its tokens since.
    var isAdded = false
    /// Whether the user signed out of it there, so that an export does not bring it back.
    var isGone = false
  }

  /// The digests of a credential's secret in the group and at the tool.
  struct Values: Hashable {
    let here: String
    let there: String
  }

  var accounts: [String: Account] = [:]
  var values: [String: Values] = [:]

  /// Returns the key of an account of a client.
  static func key(_ identifier: String, _ environment: String, of client: String) -> String {
    digest([
      RecordKey.storedClient(client), HomeAccountID(identifier).compared,
      CloudEnvironment.canonical(environment),
    ])
  }

  /// Returns the key of a credential.
  static func key(_ credential: CredentialEntry) -> String {
    let isRefreshToken = credential.kind.section == .refreshToken
    return digest([
      credential.kind.rawValue, HomeAccountID(credential.homeAccountID).compared,
      CloudEnvironment.canonical(credential.environment), credential.distinctOwner,
      isRefreshToken ? "" : credential.comparedRealm,
      credential.kind.isAccessToken ? credential.scopes.target.lowercased() : "",
    ])
  }

  static func digest(_ parts: [String]) -> String {
    String(Digest.hex(parts.joined(separator: "\0")).prefix(32))
  }

  /// Notes what the tool has changed by itself since the base was stored, before anything else changes the tool's cache
  /// or the group.
  ///
  /// An account is the tool's own as soon as the tool has a token that no transfer has left there.
  mutating func seeChanges(_ there: [CredentialEntry], of client: String) {
    for credential in there where values[Self.key(credential)]?.there != Self.digest([credential.secret]) {
      accounts[Self.key(credential.homeAccountID, credential.environment, of: client)]?.isAdded = false
    }
  }

  /// Updates the base by what both sides have now.
  mutating func see(_ here: [CredentialEntry], _ there: [CredentialEntry], of client: String) {
    func owners(_ credentials: [CredentialEntry]) -> Set<String> {
      Set(credentials.map { Self.key($0.homeAccountID, $0.environment, of: client) })
    }
    let (ownersHere, ownersThere) = (owners(here), owners(there))
    for owner in ownersThere {
      accounts[owner, default: Account()].isThere = true
      accounts[owner]?.isGone = false
    }
    for owner in ownersHere.subtracting(ownersThere) where accounts[owner]?.isThere == true {
      accounts[owner] = Account(isGone: true)
    }
    let known = Dictionary(here.map { (Self.key($0), $0) }) { $1 }
    for credential in there {
      let key = Self.key(credential)
      let owner = Self.key(credential.homeAccountID, credential.environment, of: client)
      guard known[key] != nil || accounts[owner]?.isAdded == true else { continue }
      values[key] = Values(
        here: known[key].map { Self.digest([$0.secret]) } ?? "", there: Self.digest([credential.secret]))
    }
  }
}

extension PartnerBase {
  private static let member = "partner_base"

  /// Returns the record that keeps the base for a cache of a tool.
  static func record(_ partner: Partner, _ place: Partner.Place) -> RecordKey {
    .groupData("partner-\(digest([partner.name, place.location]))")
  }

  /// A base, and the one before a write that is not known to have happened.
  struct Stored {
    var base = PartnerBase()
    /// The base before the write, and the version of the tool's cache then.
    var pending: (before: String, base: PartnerBase)?

    /// Returns the base, by whether the write that was begun has changed the cache.
    func base(for version: String) -> PartnerBase {
      guard let pending, pending.before == version else { return base }
      return pending.base
    }
  }

  /// Reads what is stored; what only another program has is none of the group's.
  static func read(_ record: RecordKey, from backend: any TokenCacheBackend) async throws -> Stored {
    if let backend = backend as? any ForeignCopies, try await backend.recordsOfOthers().contains(record) {
      return Stored()
    }
    let fields = try await backend.record(for: record)?.document()[member: member]?.objectValue
    guard let fields else { return Stored() }
    var stored = Stored(base: PartnerBase(fields))
    if let before = fields["before"]?.stringValue, let former = fields["former"]?.objectValue {
      stored.pending = (before, PartnerBase(former))
    }
    return stored
  }

  /// Stores a base.
  static func write(_ stored: Stored, to record: RecordKey, of backend: any TokenCacheBackend) async throws {
    var fields = stored.base.json
    if let pending = stored.pending {
      fields["before"] = .string(pending.before)
      fields["former"] = .object(pending.base.json)
    }
    let value = JSONValue.object(fields)
    try await backend.update(record) { document in
      if document?[member: member] == value { return }
      var changed = document ?? CacheDocument()
      changed[member: member] = value
      document = changed
    }
  }

  private init(_ fields: JSONObject) {
    for (key, value) in fields["accounts"]?.objectValue ?? [:] {
      let flags = value.stringValue ?? ""
      accounts[key] = Account(
        isThere: flags.contains("t"), isAdded: flags.contains("a"), isGone: flags.contains("g"))
    }
    for (key, value) in fields["values"]?.objectValue ?? [:] {
      let parts = (value.stringValue ?? "").split(separator: " ", omittingEmptySubsequences: false)
      if parts.count == 2 { values[key] = Values(here: String(parts[0]), there: String(parts[1])) }
    }
  }

  private var json: JSONObject {
    var (accountFields, valueFields) = (JSONObject(), JSONObject())
    for (key, account) in accounts.sorted(by: { $0.key < $1.key }) {
      let flags = [(account.isThere, "t"), (account.isAdded, "a"), (account.isGone, "g")]
      accountFields[key] = .string(flags.filter(\.0).map(\.1).joined())
    }
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      valueFields[key] = .string("\(value.here) \(value.there)")
    }
    return ["accounts": .object(accountFields), "values": .object(valueFields)]
  }
}
